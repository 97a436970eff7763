// The output, checkpoints and socket lines of real processes. No server is involved.
#include "tests/unit/worker/process_given.hpp"

namespace hone::worker {
namespace {

class RunOutput : public WorkerProcess {};

// Output ----------------------------------------------------------------------

TEST_F(RunOutput, both_streams_are_logged) {
  ASSERT_TRUE(shell("echo out; echo err >&2; printf end"));
  const auto end = exited();
  for (const char* part : {"out\n", "err\n", "end"}) {
    EXPECT_NE(log().find(part), std::string::npos);
    EXPECT_NE(end.log_tail.find(part), std::string::npos);
  }
}

// The tail is bounded, begins at a line, and has the last words.
TEST_F(RunOutput, the_tail_is_bounded) {
  ASSERT_TRUE(shell("i=0; while [ $i -lt 5000 ]; do echo \"line $i\"; i=$((i+1)); done"));
  const auto end = exited();
  EXPECT_LE(end.log_tail.size(), limits::tail_bytes_max);
  EXPECT_TRUE(end.log_tail.starts_with("line "));
  EXPECT_NE(end.log_tail.find("\nline 4999\n"), std::string::npos);
}

TEST_F(RunOutput, hone_lines_are_received_in_order) {
  ASSERT_TRUE(
      shell("echo '@hone {\"metric\":{\"name\":\"loss\",\"step\":1,\"value\":0.5}}'; echo noise;"
            "echo '@hone {\"report\":{\"step\":10,\"value\":2}}'; printf '@hone "
            "{\"report\":{\"step\":20,\"value\":\"diverged\"}}'"));
  exited();
  ASSERT_EQ(heard_.size(), 3U);
  EXPECT_EQ(std::get<MetricPoint>(heard_[0].first).name, "loss");
  EXPECT_EQ(std::get<ReportLine>(heard_[1].first).step, 10);
  EXPECT_EQ(heard_[1].second, Origin::output);
  EXPECT_TRUE(std::get<ReportLine>(heard_[2].first).score.is_diverged())
      << "a last line without its end counts";
}

// An invalid line is noted in the log.
TEST_F(RunOutput, a_wrong_hone_line_is_noted_in_the_log) {
  ASSERT_TRUE(shell("echo '@hone {\"report\":{\"stepp\":10,\"value\":2}}'"));
  EXPECT_NE(exited().log_tail.find("did you mean 'step'?"), std::string::npos);
  EXPECT_TRUE(heard_.empty());
}

// A line over 1 MiB costs bounded memory and does not hurt those after it.
TEST_F(RunOutput, an_endless_line_is_skipped) {
  ASSERT_TRUE(
      python("import sys\nsys.stdout.write('@hone ' + 'x' * 3000000 + '\\n')\n"
             "print('@hone {\"report\":{\"step\":10,\"value\":2}}')"));
  exited();
  ASSERT_EQ(heard_.size(), 1U);
}

// A held process waits in write(); let go, it loses nothing.
TEST_F(RunOutput, a_held_process_waits) {
  ASSERT_TRUE(
      python("for i in range(4000): print('@hone {\"report\":{\"step\":%d,\"value\":2}}' % i, "
             "flush=True)"));
  run_->hold(true);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  serve_until([&] { return std::chrono::steady_clock::now() > end; });
  EXPECT_TRUE(heard_.empty());
  EXPECT_FALSE(exited_) << "4000 lines do not fit a pipe";
  run_->hold(false);
  exited();
  ASSERT_EQ(heard_.size(), 4000U);
  EXPECT_EQ(std::get<ReportLine>(heard_.back().first).step, 3999);
}

// Checkpoints -----------------------------------------------------------------

// Only files inside the checkpoint folder are read, whatever a process says.
TEST_F(RunOutput, checkpoints_stay_in_their_folder) {
  ASSERT_TRUE(
      shell("cd \"$HONE_CHECKPOINT_DIR\"; echo w > p0.pt; ln -s /etc/passwd link; mkdir sub; echo "
            "w > sub/p1.pt"));
  exited();
  EXPECT_TRUE(run_->checkpoint("p0.pt"));
  EXPECT_TRUE(run_->checkpoint("sub/../sub/p1.pt"));
  EXPECT_TRUE(run_->checkpoint(*run_->checkpoint("p0.pt"))) << "an absolute path inside";
  for (const char* name : {"link", "../run.json", "/etc/passwd", "missing.pt", "sub", ""}) {
    const auto path = run_->checkpoint(name);
    ASSERT_FALSE(path) << name;
    EXPECT_EQ(path.error().at, "/checkpoint/path");
  }
}

TEST_F(RunOutput, the_checkpoint_to_continue_from_is_linked) {
  const std::string cached = place_.data + "/cached";
  std::ofstream(cached) << "weights";
  auto grant = grant_of(
      {"/bin/sh", "-c", "cat \"$HONE_RUN_FILE\"; cat \"$(dirname $HONE_RUN_FILE)/resume\""});
  grant.resume = ModelRef{ModelId{3}, "aa", 7, 400, 3};
  auto run = RunProcess::start(place_, {place_.work_folder}, {grant, cached, {}});
  ASSERT_TRUE(run);
  run_ = std::move(*run);
  fs::remove(cached);  // the cache may forget it now
  exited();
  EXPECT_NE(log().find("\"model\": \"md_3\""), std::string::npos);
  EXPECT_TRUE(log().ends_with("weights"));
}

// The socket ------------------------------------------------------------------

constexpr const char* speak =
    "import os, socket\n"
    "s = socket.socket(socket.AF_UNIX); s.connect(os.environ['HONE_SOCKET']); f = "
    "s.makefile('rw')\n"
    "def say(line): f.write(line + '\\n'); f.flush()\n"
    "def ask(line): say(line); return f.readline().strip()\n";

TEST_F(RunOutput, answers_on_the_socket) {
  ASSERT_TRUE(python(std::string(speak) + "print(ask('{\"report\":{\"step\":10,\"value\":2}}'))"));
  serve_until([&] { return !heard_.empty(); });
  EXPECT_EQ(heard_.at(0).second, Origin::socket);
  run_->answer(Verdict{Action::stop, VerdictReason::evicted, {}});
  exited();
  EXPECT_EQ(log(), "{\"verdict\":\"stop\",\"reason\":\"evicted\"}\n");
}

TEST_F(RunOutput, a_wrong_line_is_answered_with_its_place) {
  ASSERT_TRUE(python(std::string(speak) +
                     "print(ask('{\"report\":{\"step\":10,\"value\":\"bad\"}}'))\n"
                     "print(ask('{\"reprot\":{}}'))\nprint(ask('not json'))"));
  exited();
  EXPECT_NE(log().find("\"at\":\"/report/value\""), std::string::npos) << log();
  EXPECT_NE(log().find("did you mean 'report'?"), std::string::npos) << log();
  EXPECT_TRUE(heard_.empty());
}

TEST_F(RunOutput, an_endless_socket_line_is_refused) {
  ASSERT_TRUE(
      python(std::string(speak) +
             "print(ask('x' * 3000000))\nprint(ask('{\"report\":{\"step\":1,\"value\":2}}'))"));
  serve_until([&] { return !heard_.empty(); });
  run_->answer(Saved{"aa"});
  exited();
  EXPECT_NE(log().find("too_large"), std::string::npos);
  EXPECT_NE(log().find("{\"saved\":{\"sha256\":\"aa\"}}"), std::string::npos);
}

// The last lines of a process that exits at once are received, although none was read before.
TEST_F(RunOutput, last_lines_on_the_socket_are_received) {
  ASSERT_TRUE(python(std::string(speak) +
                     "for i in range(100): "
                     "say('{\"metric\":{\"name\":\"loss\",\"step\":%d,\"value\":1}}' % i)\n"));
  exited();
  EXPECT_EQ(heard_.size(), 100U);
}

// A helper may log on its own connection; answers go to the connection that sent the report.
TEST_F(RunOutput, answers_go_to_the_connection_that_asked) {
  ASSERT_TRUE(python(
      std::string(speak) +
      "g = f\nt = socket.socket(socket.AF_UNIX); t.connect(os.environ['HONE_SOCKET']); f = "
      "t.makefile('rw')\n"
      "say('{\"metric\":{\"name\":\"loss\",\"step\":1,\"value\":1}}')\n"
      "f, h = g, f\nsay('{\"report\":{\"step\":10,\"value\":2}}')\nprint(f.readline().strip())"));
  serve_until([&] { return heard_.size() == 2; });
  run_->answer(Verdict{});
  exited();
  EXPECT_EQ(log(), "{\"verdict\":\"continue\",\"reason\":\"no_rule\"}\n");
}

// A data folder may lie deeper than a socket's path may be long.
TEST_F(RunOutput, a_deep_data_folder_still_has_a_socket) {
  place_.data += "/" + std::string(120, 'd');
  fs::create_directories(place_.data);
  ASSERT_TRUE(
      python(std::string(speak) + "say('{\"metric\":{\"name\":\"loss\",\"step\":1,\"value\":1}}')"))
      << refusal_.detail;
  exited();
  EXPECT_EQ(heard_.size(), 1U);
}

}  // namespace
}  // namespace hone::worker
