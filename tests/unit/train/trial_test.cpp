// The trial API against a scripted worker on a real Unix socket.
#include "sdk/cpp/trial.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <thread>

#include "sdk/cpp/run_file.hpp"

namespace hone {
namespace {

// Listens, takes one connection, and answers every request that expects an answer with the next
// line of the script.
class ScriptedWorker {
 public:
  explicit ScriptedWorker(std::vector<std::string> answers)
      : path_(std::filesystem::temp_directory_path() /
              ("hone-trial-" + std::to_string(::getpid()) + ".sock")),
        listener_(::socket(AF_UNIX, SOCK_STREAM, 0)),
        answers_(std::move(answers)) {
    std::filesystem::remove(path_);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path_.c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_, 1), 0);
    thread_ = std::jthread([this] { serve(); });
  }
  ~ScriptedWorker() {
    thread_.join();
    ::close(listener_);
    std::filesystem::remove(path_);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Call after the trial is destroyed.
  const std::vector<std::string>& received() {
    thread_.join();
    thread_ = std::jthread([] {});
    return received_;
  }

 private:
  void serve() {
    const int peer = ::accept(listener_, nullptr, nullptr);
    std::string pending;
    std::array<char, 512> buffer;
    for (;;) {
      const auto got = ::recv(peer, buffer.data(), buffer.size(), 0);
      if (got <= 0) break;
      pending.append(buffer.data(), static_cast<std::size_t>(got));
      for (auto end = pending.find('\n'); end != std::string::npos; end = pending.find('\n')) {
        received_.push_back(pending.substr(0, end));
        pending.erase(0, end + 1);
        if (received_.back().starts_with("{\"metric\"")) continue;
        if (next_ == answers_.size()) continue;
        if (answers_[next_] == "hang up") {
          ::close(peer);
          return;
        }
        const auto line = answers_[next_++] + "\n";
        EXPECT_EQ(::send(peer, line.data(), line.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(line.size()));
      }
    }
    ::close(peer);
  }

  std::filesystem::path path_;
  int listener_;
  std::vector<std::string> answers_;
  std::size_t next_ = 0;
  std::vector<std::string> received_;
  std::jthread thread_;
};

std::unique_ptr<Trial> connected(const ScriptedWorker& worker) {
  auto trial = Trial::connect(worker.path());
  EXPECT_TRUE(trial.ok());
  return std::move(trial).value();
}

TEST(Trial, sends_a_checkpoint_then_a_report_and_reads_the_verdict) {
  ScriptedWorker worker(
      {R"({"saved":{"sha256":"ab"}})", R"({"verdict":"stop","reason":"evicted"})"});
  auto trial = connected(worker);
  const auto saved = trial->checkpoint("phase-3.safetensors", 400000, 3);
  ASSERT_TRUE(saved.ok());
  EXPECT_EQ(*saved, "ab");
  const auto verdict = trial->report(3, 400000, Score::of(471.5));
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->action, TrialVerdict::Action::stop);
  EXPECT_EQ(verdict->reason, "evicted");
  trial.reset();
  EXPECT_EQ(worker.received(),
            (std::vector<std::string>{
                R"({"checkpoint":{"path":"phase-3.safetensors","step":400000,"phase":3}})",
                R"({"report":{"phase":3,"step":400000,"value":471.5}})"}));
}

TEST(Trial, reports_divergence_as_a_word) {
  ScriptedWorker worker({R"({"verdict":"continue","reason":"collecting"})"});
  auto trial = connected(worker);
  ASSERT_TRUE(trial->report(0, 10, Score::of(std::nan(""))).ok());
  trial.reset();
  EXPECT_EQ(worker.received().back(), R"({"report":{"phase":0,"step":10,"value":"diverged"}})");
}

TEST(Trial, hands_a_refusal_on) {
  ScriptedWorker worker(
      {R"({"error":{"code":"invalid","detail":"phase 3 comes after phase 1","at":"/report/phase"}})"});
  auto trial = connected(worker);
  const auto verdict = trial->report(3, 10, Score::of(1));
  ASSERT_FALSE(verdict.ok());
  EXPECT_EQ(verdict.error().detail, "phase 3 comes after phase 1");
  EXPECT_EQ(verdict.error().at, "/report/phase");
}

TEST(Trial, does_not_take_a_refused_metric_for_the_answer_to_a_report) {
  ScriptedWorker worker({R"({"error":{"code":"invalid","detail":"no name","at":"/metric/name"}})"
                         "\n"
                         R"({"verdict":"pause","reason":"good_enough"})"});
  auto trial = connected(worker);
  ASSERT_TRUE(trial->metric("", 5, 1.5).ok());
  const auto verdict = trial->report(0, 10, Score::of(1));
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->action, TrialVerdict::Action::pause);
  EXPECT_EQ(trial->metric_fault(), "no name");
}

TEST(Trial, leaves_out_metrics_that_are_not_finite) {
  ScriptedWorker worker({});
  auto trial = connected(worker);
  ASSERT_TRUE(trial->metric("loss", 5, std::nan("")).ok());
  ASSERT_TRUE(trial->metric("loss", 5, 0.25).ok());
  trial.reset();
  EXPECT_EQ(worker.received(),
            (std::vector<std::string>{R"({"metric":{"name":"loss","step":5,"value":0.25}})"}));
}

TEST(Trial, says_that_the_worker_is_gone) {
  ScriptedWorker worker({"hang up"});
  auto trial = connected(worker);
  const auto verdict = trial->report(0, 10, Score::of(1));
  ASSERT_FALSE(verdict.ok());
  EXPECT_EQ(verdict.error().code, Code::unavailable);
}

TEST(Trial, stops_waiting_when_asked_to_hurry) {
  ScriptedWorker worker({});  // never answers
  auto trial = connected(worker);
  std::jthread hurrier([&] { trial->hurry(std::chrono::milliseconds(20)); });
  const auto verdict = trial->report(0, 10, Score::of(1));
  ASSERT_FALSE(verdict.ok());
  EXPECT_EQ(verdict.error().code, Code::timed_out);
}

TEST(Trial, says_that_no_worker_listens) {
  const auto trial = Trial::connect("/nonexistent/hone.sock");
  ASSERT_FALSE(trial.ok());
  EXPECT_EQ(trial.error().code, Code::unavailable);
}

constexpr auto whole_run_file =
    R"({"run":"rn_42.0","attempt":2,"sweep":"sw_7","sweep_name":"ga3c-cartpole",
 "trainer":{"name":"ga3c","settings":{"env":"CartPole-v1"}},
 "params":{"learning_rate":0.001,"t_max":8},"seed":123456789,
 "objective":{"metric":"return","goal":"maximize"},
 "budget":{"unit":"frames","per_run":1000000,"phases":3},
 "next_phase":1,"resume":{"model":"md_3","path":"/abs/file","step":400000,"phase":0}})";

TEST(RunFile, is_read_as_the_worker_writes_it) {
  const auto file = parse_run_file(whole_run_file);
  ASSERT_TRUE(file.ok()) << file.error().detail;
  EXPECT_EQ(file->run, "rn_42.0");
  EXPECT_EQ(std::get<BuiltinTrainer>(file->trainer).name, "ga3c");
  EXPECT_EQ(file->params.at(1), (Param{"t_max", std::int64_t{8}}));
  EXPECT_EQ(file->seed, 123456789U);
  EXPECT_EQ(file->next_phase, 1);
  ASSERT_TRUE(file->resume.has_value());
  EXPECT_EQ(file->resume->path, "/abs/file");
  EXPECT_EQ(phase_end(file->budget, 0), 333333);
  EXPECT_EQ(phase_end(file->budget, 2), 1000000);
}

TEST(RunFile, names_the_objectives_that_are_traded_off) {
  std::string text = whole_run_file;
  text.insert(1, R"("further_objectives":[{"metric":"peak_gb","goal":"minimize"}],)");
  const auto file = parse_run_file(text);
  ASSERT_TRUE(file.ok()) << file.error().detail;
  ASSERT_EQ(file->further_objectives.size(), 1U);
  EXPECT_EQ(file->further_objectives[0].metric, "peak_gb");
  EXPECT_EQ(file->further_objectives[0].goal, Goal::minimize);
  EXPECT_TRUE(parse_run_file(whole_run_file)->further_objectives.empty());
}

TEST(RunFile, ends_phases_where_the_contract_says_without_overflow) {
  for (const std::int64_t per_run : {7LL, 1000LL, 999983LL, 9'000'000'000'000'000LL})
    for (const int phases : {1, 3, 7}) {
      const BudgetSpec budget{"frames", per_run, phases};
      for (int phase = 0; phase < phases; ++phase) {
        const auto exact = static_cast<long double>(per_run) * (phase + 1) / phases;
        EXPECT_EQ(phase_end(budget, phase), static_cast<std::int64_t>(exact))
            << per_run << " " << phase;
      }
    }
}

TEST(RunFile, refuses_what_is_not_one) {
  EXPECT_FALSE(parse_run_file("").ok());
  EXPECT_FALSE(parse_run_file("{}").ok());
  EXPECT_FALSE(parse_run_file("[1]").ok());
  std::string no_phases = whole_run_file;
  no_phases.replace(no_phases.find("\"phases\":3"), 10, "\"phases\":0");
  EXPECT_FALSE(parse_run_file(no_phases).ok());
}

}  // namespace
}  // namespace hone
