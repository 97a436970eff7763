// Real processes: how they start, what they say, how they end. No server is involved.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "schemas/codec/json.hpp"
#include "worker/process/command_line.hpp"
#include "worker/process/environment.hpp"
#include "worker/process/log_file.hpp"
#include "worker/process/run_process.hpp"

namespace hone::worker {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// A data folder, and runs of shell or Python text in it.
class WorkerProcess : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "hone-process-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    place_ = {pattern, "/nowhere", pattern};
  }
  void TearDown() override {
    run_.reset();
    fs::remove_all(place_.data);
  }

  static LeaseGrant grant_of(std::vector<std::string> argv) {
    LeaseGrant grant;
    grant.lease = LeaseId{1};
    grant.attempt = {{TrialId{42}, 0}, 1};
    grant.sweep = SweepId{7};
    grant.trainer = CommandTrainer{std::move(argv)};
    grant.params = {{"lr", 0.001}, {"layers", std::int64_t{2}}, {"act", std::string("relu")}, {"big", true}};
    grant.seed = 5;
    grant.budget = {"frames", 1000, 10};
    return grant;
  }

  // False, with `refusal_`, where it does not start.
  bool start(std::vector<std::string> argv) {
    auto run = RunProcess::start(place_, {grant_of(std::move(argv)), {}, {}});
    if (run)
      run_ = std::move(*run);
    else
      refusal_ = run.error();
    return run_ != nullptr;
  }
  bool shell(const std::string& text) { return start({"/bin/sh", "-c", text}); }
  bool python(const std::string& text) { return start({"python3", "-c", text}); }

  // Serves until `done` or 20 s have passed.
  template <class Done>
  void serve_until(Done done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!done() && std::chrono::steady_clock::now() < end) {
      std::vector<pollfd> fds;
      run_->watch(fds);
      ::poll(fds.data(), fds.size(), 20);  // the child's end shows in collect(), not here
      for (auto& heard : run_->serve()) heard_.push_back(std::move(heard));
      if (!exited_) exited_ = run_->collect(LeaseId{1}, heard_);
    }
  }
  Exited exited() {
    serve_until([&] { return exited_.has_value(); });
    EXPECT_TRUE(exited_.has_value()) << "it did not end";
    return exited_.value_or(Exited{});
  }
  std::string log() const { return read_file(fs::path(place_.data) / "logs" / "rn_42.0#1.log"); }

  Workplace place_;
  std::unique_ptr<RunProcess> run_;
  Error refusal_;
  std::vector<RunProcess::Heard> heard_;
  std::optional<Exited> exited_;
};

// Starting ------------------------------------------------------------------------------------------

TEST_F(WorkerProcess, ExitStatusIsSeen) {
  ASSERT_TRUE(shell("exit 7"));
  const auto end = exited();
  EXPECT_FALSE(end.by_signal);
  EXPECT_EQ(end.number, 7);
}

TEST_F(WorkerProcess, SignalIsSeen) {
  ASSERT_TRUE(shell("kill -SEGV $$"));
  const auto end = exited();
  EXPECT_TRUE(end.by_signal);
  EXPECT_EQ(end.number, SIGSEGV);
}

// A program that is not there is refused with its name, before anything runs.
TEST_F(WorkerProcess, AMissingProgramIsNamed) {
  EXPECT_FALSE(start({"no-such-program-of-ours"}));
  EXPECT_NE(refusal_.detail.find("no-such-program-of-ours"), std::string::npos);
  EXPECT_FALSE(start({"./missing.sh"}));
  EXPECT_NE(refusal_.detail.find("missing.sh"), std::string::npos);
}

TEST_F(WorkerProcess, AFileThatIsNoProgramIsRefused) {
  const fs::path file = fs::path(place_.data) / "text";
  std::ofstream(file) << "\x7f""ELF, but not really";
  fs::permissions(file, fs::perms::owner_all);
  EXPECT_FALSE(start({file.string()}));
  EXPECT_NE(refusal_.detail.find("cannot run"), std::string::npos);
}

TEST_F(WorkerProcess, TheBuiltinTrainerThatWasNotBuiltIsNamed) {
  auto grant = grant_of({});
  grant.trainer = BuiltinTrainer{"ga3c", {}};
  const auto run = RunProcess::start(place_, {grant, {}, {}});
  ASSERT_FALSE(run);
  EXPECT_NE(run.error().detail.find("/nowhere/hone-train"), std::string::npos);
}

// It finds its run file, an empty checkpoint folder, no input, and no descriptor of ours.
TEST_F(WorkerProcess, SeesWhatItWasPromised) {
  ASSERT_TRUE(shell("cat \"$HONE_RUN_FILE\"; ls -d \"$HONE_CHECKPOINT_DIR\"; cat; ls /proc/self/fd | wc -l"));
  EXPECT_EQ(exited().number, 0);
  const std::string text = log();
  const auto run = parse_json(text.substr(0, text.find("\n}\n") + 2));
  ASSERT_TRUE(run) << run.error().detail;
  EXPECT_EQ((*run)["run"], "rn_42.0");
  EXPECT_EQ((*run)["attempt"], 1);
  EXPECT_EQ((*run)["params"]["layers"], 2);
  EXPECT_EQ((*run)["budget"]["per_run"], 1000);
  EXPECT_TRUE((*run)["resume"].is_null());
  EXPECT_NE(text.find("/checkpoints\n4\n"), std::string::npos) << text;  // 0 1 2 and ls's own
}

TEST_F(WorkerProcess, ThreadsAndDevicesAreBounded) {
  const auto env = trial_environment({"CUDA_VISIBLE_DEVICES=5,6", "HONE_TOKEN=secret", "HOME=/h"}, {"r", "s", "c"}, 2, {1});
  const auto has = [&](const std::string& entry) { return std::find(env.begin(), env.end(), entry) != env.end(); };
  EXPECT_TRUE(has("OMP_NUM_THREADS=2"));
  EXPECT_TRUE(has("CUDA_VISIBLE_DEVICES=6")) << "the second of those the worker may use";
  EXPECT_TRUE(has("HOME=/h"));
  EXPECT_FALSE(has("HONE_TOKEN=secret")) << "a trial speaks to its worker only";
  const auto none = trial_environment({}, {"r", "s", "c"}, 1, {});
  EXPECT_NE(std::find(none.begin(), none.end(), "CUDA_VISIBLE_DEVICES="), none.end());
}

// Words of a command -------------------------------------------------------------------------------

TEST_F(WorkerProcess, ParametersAreFilledIn) {
  const auto argv = command_line(grant_of({"train", "--lr=${lr}", "${layers}${act}", "${big}", "$${lr} $x"}), "/bin");
  ASSERT_TRUE(argv);
  EXPECT_EQ(*argv, (std::vector<std::string>{"train", "--lr=0.001", "2relu", "true", "${lr} $x"}));
}

TEST_F(WorkerProcess, AnUnknownParameterIsNamedWithThoseThereAre) {
  EXPECT_FALSE(start({"train", "${rate}"}));
  EXPECT_NE(refusal_.detail.find("${rate}"), std::string::npos);
  EXPECT_NE(refusal_.detail.find("lr, layers, act, big"), std::string::npos);
  EXPECT_FALSE(command_line(grant_of({"train", "${lr"}), "/bin"));
}

// No shell: what a parameter holds is never run.
TEST_F(WorkerProcess, ValuesAreNotInterpreted) {
  auto grant = grant_of({"/bin/echo", "${act}"});
  grant.params = {{"act", std::string("$(touch harm); `id`")}};
  auto run = RunProcess::start(place_, {grant, {}, {}});
  ASSERT_TRUE(run);
  run_ = std::move(*run);
  exited();
  EXPECT_EQ(log(), "$(touch harm); `id`\n");
  EXPECT_FALSE(fs::exists(fs::path(place_.data) / "harm"));
}

// Output -------------------------------------------------------------------------------------------

TEST_F(WorkerProcess, BothStreamsAreLogged) {
  ASSERT_TRUE(shell("echo out; echo err >&2; printf end"));
  const auto end = exited();
  for (const char* part : {"out\n", "err\n", "end"}) {
    EXPECT_NE(log().find(part), std::string::npos);
    EXPECT_NE(end.log_tail.find(part), std::string::npos);
  }
}

// The tail is bounded, begins at a line, and ends with the last words.
TEST_F(WorkerProcess, TheTailIsBounded) {
  ASSERT_TRUE(shell("i=0; while [ $i -lt 5000 ]; do echo \"line $i\"; i=$((i+1)); done"));
  const auto end = exited();
  EXPECT_LE(end.log_tail.size(), limits::tail_bytes_max);
  EXPECT_TRUE(end.log_tail.starts_with("line "));
  EXPECT_TRUE(end.log_tail.ends_with("line 4999\n"));
}

TEST_F(WorkerProcess, TheLogFileIsBoundedAndSaysSo) {
  const std::string path = place_.data + "/bounded.log";
  {
    LogFile log(path, 10);
    log.take("12345");
    log.take("6789012345");
    log.take("more");
    EXPECT_EQ(log.tail(), "123456789012345more");
  }
  const std::string text = read_file(path);
  EXPECT_TRUE(text.starts_with("1234567890\n[hone: the log ends here"));
  EXPECT_EQ(text.find("more"), std::string::npos);
}

TEST_F(WorkerProcess, HoneLinesAreHeardInOrder) {
  ASSERT_TRUE(shell("echo '@hone {\"metric\":{\"name\":\"loss\",\"step\":1,\"value\":0.5}}'; echo noise;"
                    "echo '@hone {\"report\":{\"step\":10,\"value\":2}}'; printf '@hone {\"report\":{\"step\":20,\"value\":\"diverged\"}}'"));
  exited();
  ASSERT_EQ(heard_.size(), 3U);
  EXPECT_EQ(std::get<MetricPoint>(heard_[0].first).name, "loss");
  EXPECT_EQ(std::get<ReportLine>(heard_[1].first).step, 10);
  EXPECT_EQ(heard_[1].second, Origin::output);
  EXPECT_TRUE(std::get<ReportLine>(heard_[2].first).score.is_diverged()) << "a last line without its end counts";
}

// A wrong line is noted where its author looks: in the log.
TEST_F(WorkerProcess, AWrongHoneLineIsNotedInTheLog) {
  ASSERT_TRUE(shell("echo '@hone {\"report\":{\"stepp\":10,\"value\":2}}'"));
  EXPECT_NE(exited().log_tail.find("did you mean 'step'?"), std::string::npos);
  EXPECT_TRUE(heard_.empty());
}

// A line over 1 MiB costs bounded memory and does not hurt those after it.
TEST_F(WorkerProcess, AnEndlessLineIsSkipped) {
  ASSERT_TRUE(python("import sys\nsys.stdout.write('@hone ' + 'x' * 3000000 + '\\n')\n"
                     "print('@hone {\"report\":{\"step\":10,\"value\":2}}')"));
  exited();
  ASSERT_EQ(heard_.size(), 1U);
}

// A held process waits in write(); let go, it loses nothing.
TEST_F(WorkerProcess, AHeldProcessWaits) {
  ASSERT_TRUE(python("for i in range(4000): print('@hone {\"report\":{\"step\":%d,\"value\":2}}' % i, flush=True)"));
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

// Ends ---------------------------------------------------------------------------------------------

TEST_F(WorkerProcess, TermIsHeard) {
  ASSERT_TRUE(shell("trap 'echo bye; exit 143' TERM; echo ready; while :; do sleep 0.05; done"));
  serve_until([&] { return log() == "ready\n"; });
  run_->signal(SIGTERM);
  const auto end = exited();
  EXPECT_EQ(end.number, 143);
  EXPECT_TRUE(end.log_tail.ends_with("bye\n"));
}

TEST_F(WorkerProcess, KillReachesAChildThatIgnoresTerm) {
  ASSERT_TRUE(shell("trap '' TERM; echo ready; while :; do sleep 0.05; done"));
  serve_until([&] { return log() == "ready\n"; });
  run_->signal(SIGTERM);
  const auto patience = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  serve_until([&] { return std::chrono::steady_clock::now() > patience; });
  EXPECT_FALSE(exited_);
  run_->signal(SIGKILL);
  EXPECT_EQ(exited().number, SIGKILL);
}

bool is_alive(pid_t pid) {  // a zombie that init has not collected yet is not
  const std::string stat = read_file("/proc/" + std::to_string(pid) + "/stat");
  return !stat.empty() && stat.find(") Z") == std::string::npos && stat.find(") X") == std::string::npos;
}

// The group goes with its leader, however the leader ends: helpers must not eat the next run's processor.
TEST_F(WorkerProcess, GrandchildrenGoWithTheirParent) {
  ASSERT_TRUE(shell("sleep 1000 & echo $!; exit 0"));
  const auto end = exited();
  const pid_t helper = std::stoi(end.log_tail);
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  serve_until([&] { return !is_alive(helper) || std::chrono::steady_clock::now() > patience; });
  EXPECT_FALSE(is_alive(helper));
}

// A daemon that left the group and holds the pipe open does not keep the end from being seen.
TEST_F(WorkerProcess, AStrayDaemonDoesNotHideTheEnd) {
  ASSERT_TRUE(shell("setsid sleep 30 & echo $!; exit 3"));
  EXPECT_EQ(exited().number, 3);
}

TEST_F(WorkerProcess, ItsFolderGoesAndItsLogStays) {
  ASSERT_TRUE(shell("echo weights > \"$HONE_CHECKPOINT_DIR/p0.pt\""));
  exited();
  const fs::path folder = fs::path(place_.data) / "runs" / "rn_42.0#1";
  EXPECT_TRUE(run_->checkpoint("p0.pt")) << "it is kept until it was stored";
  run_.reset();
  EXPECT_FALSE(fs::exists(folder));
  EXPECT_TRUE(fs::exists(fs::path(place_.data) / "logs" / "rn_42.0#1.log"));
}

TEST_F(WorkerProcess, ARunThatIsDroppedIsKilled) {
  ASSERT_TRUE(shell("echo $$; sleep 1000"));
  serve_until([&] { return !log().empty(); });
  const pid_t pid = std::stoi(log());
  run_.reset();
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFSIGNALED(status));
}

// Checkpoints --------------------------------------------------------------------------------------

// Only files inside the checkpoint folder are read, whatever a process says.
TEST_F(WorkerProcess, CheckpointsStayInTheirFolder) {
  ASSERT_TRUE(shell("cd \"$HONE_CHECKPOINT_DIR\"; echo w > p0.pt; ln -s /etc/passwd link; mkdir sub; echo w > sub/p1.pt"));
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

TEST_F(WorkerProcess, TheCheckpointToContinueFromIsLinked) {
  const std::string cached = place_.data + "/cached";
  std::ofstream(cached) << "weights";
  auto grant = grant_of({"/bin/sh", "-c", "cat \"$HONE_RUN_FILE\"; cat \"$(dirname $HONE_RUN_FILE)/resume\""});
  grant.resume = ModelRef{ModelId{3}, "aa", 7, 400, 3};
  auto run = RunProcess::start(place_, {grant, cached, {}});
  ASSERT_TRUE(run);
  run_ = std::move(*run);
  fs::remove(cached);  // the cache may forget it now
  exited();
  EXPECT_NE(log().find("\"model\": \"md_3\""), std::string::npos);
  EXPECT_TRUE(log().ends_with("weights"));
}

// The socket ---------------------------------------------------------------------------------------

constexpr const char* speak =
    "import os, socket\n"
    "s = socket.socket(socket.AF_UNIX); s.connect(os.environ['HONE_SOCKET']); f = s.makefile('rw')\n"
    "def say(line): f.write(line + '\\n'); f.flush()\n"
    "def ask(line): say(line); return f.readline().strip()\n";

TEST_F(WorkerProcess, AnswersOnTheSocket) {
  ASSERT_TRUE(python(std::string(speak) + "print(ask('{\"report\":{\"step\":10,\"value\":2}}'))"));
  serve_until([&] { return !heard_.empty(); });
  EXPECT_EQ(heard_.at(0).second, Origin::socket);
  run_->answer(Verdict{Action::stop, VerdictReason::evicted, {}});
  exited();
  EXPECT_EQ(log(), "{\"verdict\":\"stop\",\"reason\":\"evicted\"}\n");
}

TEST_F(WorkerProcess, AWrongLineIsAnsweredWithItsPlace) {
  ASSERT_TRUE(python(std::string(speak) + "print(ask('{\"report\":{\"step\":10,\"value\":\"bad\"}}'))\n"
                                          "print(ask('{\"reprot\":{}}'))\nprint(ask('not json'))"));
  exited();
  EXPECT_NE(log().find("\"at\":\"/report/value\""), std::string::npos) << log();
  EXPECT_NE(log().find("did you mean 'report'?"), std::string::npos) << log();
  EXPECT_TRUE(heard_.empty());
}

TEST_F(WorkerProcess, AnEndlessSocketLineIsRefused) {
  ASSERT_TRUE(python(std::string(speak) + "print(ask('x' * 3000000))\nprint(ask('{\"report\":{\"step\":1,\"value\":2}}'))"));
  serve_until([&] { return !heard_.empty(); });
  run_->answer(Saved{"aa"});
  exited();
  EXPECT_NE(log().find("too_large"), std::string::npos);
  EXPECT_NE(log().find("{\"saved\":{\"sha256\":\"aa\"}}"), std::string::npos);
}

// The last lines of a process that ends at once are heard, although nobody was reading.
TEST_F(WorkerProcess, LastLinesOnTheSocketAreHeard) {
  ASSERT_TRUE(python(std::string(speak) +
                     "for i in range(100): say('{\"metric\":{\"name\":\"loss\",\"step\":%d,\"value\":1}}' % i)\n"));
  exited();
  EXPECT_EQ(heard_.size(), 100U);
}

// A helper may log on a connection of its own; answers go to the one that asked.
TEST_F(WorkerProcess, AnswersGoToTheConnectionThatAsked) {
  ASSERT_TRUE(python(std::string(speak) +
                     "g = f\nt = socket.socket(socket.AF_UNIX); t.connect(os.environ['HONE_SOCKET']); f = t.makefile('rw')\n"
                     "say('{\"metric\":{\"name\":\"loss\",\"step\":1,\"value\":1}}')\n"
                     "f, h = g, f\nsay('{\"report\":{\"step\":10,\"value\":2}}')\nprint(f.readline().strip())"));
  serve_until([&] { return heard_.size() == 2; });
  run_->answer(Verdict{});
  exited();
  EXPECT_EQ(log(), "{\"verdict\":\"continue\",\"reason\":\"no_rule\"}\n");
}

// A data folder may lie deeper than a socket's path may be long.
TEST_F(WorkerProcess, ADeepDataFolderStillHasASocket) {
  place_.data += "/" + std::string(120, 'd');
  fs::create_directories(place_.data);
  ASSERT_TRUE(python(std::string(speak) + "say('{\"metric\":{\"name\":\"loss\",\"step\":1,\"value\":1}}')")) << refusal_.detail;
  exited();
  EXPECT_EQ(heard_.size(), 1U);
}

}  // namespace
}  // namespace hone::worker
