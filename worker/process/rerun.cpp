#include "worker/process/rerun.hpp"

#include <sys/signalfd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/sha256.hpp"
#include "schemas/codec/body.hpp"
#include "worker/agent/limits.hpp"

namespace hone::worker {
namespace {

namespace fs = std::filesystem;

struct RerunPlan {
  LeaseGrant grant;
  std::string resume_path;
  std::vector<Verdict> verdicts;
};

Result<RerunPlan> read_plan(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  const auto json = parse_json(text.str());
  if (!json || !json->is_object())
    return refuse(Code::invalid, file + " is not a JSON object: it must hold the run to repeat");
  auto grant = decode_reply<std::optional<LeaseGrant>>(*json);
  if (!grant) return grant.error();
  if (!*grant) return refuse(Code::invalid, file + " holds no grant");
  // It is repeated with the code in the folder that the caller names.
  if (auto* command = std::get_if<CommandTrainer>(&(*grant)->trainer)) {
    command->cwd.clear();
    command->submitter.folder.clear();
    command->code.reset();
  }
  RerunPlan plan{std::move(**grant), json->value("resume_path", ""), {}};
  for (const Json& one : json->value("verdicts", Json::array())) {
    auto verdict = decode_verdict(one, "/verdicts");
    if (!verdict) return verdict.error();
    plan.verdicts.push_back(*std::move(verdict));
  }
  return plan;
}

void print(const char* kind, Json content) {
  std::cout << to_text(Json{{kind, std::move(content)}}) << std::endl;
}

class Rerun {
 public:
  Rerun(const WorkerPaths& paths, RerunPlan plan)
      : paths_(paths), plan_(std::move(plan)), phases_(plan_.grant) {
    sigset_t awaited;
    sigemptyset(&awaited);
    for (const int number : {SIGTERM, SIGINT, SIGCHLD}) sigaddset(&awaited, number);
    signals_ = FileHandle(::signalfd(-1, &awaited, SFD_CLOEXEC | SFD_NONBLOCK));
  }

  Status run() {
    const WorkPlace place = work_place(plan_.grant.trainer, paths_.work_folder, {});
    if (!place.missing.empty())
      return refuse(Code::not_found, place.missing + " is not on this machine");
    auto started = RunProcess::start(paths_, place, Spawn{plan_.grant, plan_.resume_path, {}, {}});
    if (!started) return started.error();
    process_ = std::move(*started);
    while (!ended_) {
      wait();
      collect();
    }
    return Done{};
  }

 private:
  using Clock = std::chrono::steady_clock;

  void wait() {
    std::vector<pollfd> fds{{signals_.fd(), POLLIN, 0}};
    process_->watch(fds);
    const int timeout_ms = process_->draining() ? 0 : kill_at_ ? 100 : -1;
    ::poll(fds.data(), fds.size(), timeout_ms);
    if (kill_at_ && Clock::now() > *kill_at_) process_->signal(SIGKILL);
    signalfd_siginfo info{};
    while (::read(signals_.fd(), &info, sizeof info) == static_cast<ssize_t>(sizeof info))
      if (info.ssi_signo != SIGCHLD) process_->signal(SIGKILL);
    for (auto& [line, origin] : process_->serve()) take(line, origin);
  }

  void collect() {
    std::vector<RunProcess::Received> last_lines;
    const auto exited = process_->collect(plan_.grant.lease, last_lines);
    for (auto& [line, origin] : last_lines) take(line, origin);
    if (!exited) return;
    ended_ = true;
    print("exit", {{"signal", exited->by_signal},
                   {"number", exited->number},
                   {"log_tail", exited->log_tail}});
  }

  void take(const TrialLine& line, Origin origin) {
    if (const auto* report = std::get_if<ReportLine>(&line)) take_report(*report, origin);
    if (const auto* checkpoint = std::get_if<CheckpointLine>(&line))
      take_checkpoint(*checkpoint, origin);
  }

  void take_report(const ReportLine& report, Origin origin) {
    const int phase = phases_.phase_of(report);
    const bool is_next = phase == phases_.next();
    phases_.reported(phase, report.step);
    if (phase < plan_.grant.next_phase) {  // trained again: the server has this report
      const Verdict recorded{Action::go_on, VerdictReason::no_rule, {}};
      if (origin == Origin::socket) process_->answer(recorded);
      return;
    }
    const auto index = static_cast<std::size_t>(phase - plan_.grant.next_phase);
    if (is_next && index < plan_.verdicts.size()) {
      Json json{{"phase", phase}, {"step", report.step}, {"value", encode(report.score)}};
      for (const Score score : report.further) json["further"].push_back(encode(score));
      print("report", std::move(json));
    }
    const Verdict beyond{Action::stop, VerdictReason::no_rule, {}};
    const Verdict& verdict = index < plan_.verdicts.size() ? plan_.verdicts[index] : beyond;
    if (origin == Origin::socket) process_->answer(verdict);
    if (index + 1 >= plan_.verdicts.size()) end_soon(verdict, origin);
  }

  // A program without the SDK is not told the verdict; after its last phase it exits by itself. A
  // run that continued when its worker was lost is killed.
  void end_soon(const Verdict& verdict, Origin origin) {
    if (verdict.action == Action::go_on) return process_->signal(SIGKILL);
    if (origin == Origin::output && verdict.reason != VerdictReason::last_phase)
      process_->signal(SIGTERM);
    const Duration grace = limits::exit_grace + limits::term_grace;
    kill_at_ = Clock::now() + std::chrono::microseconds(grace.us);
  }

  void take_checkpoint(const CheckpointLine& line, Origin origin) {
    const auto saved = keep(line);
    if (saved)
      print("checkpoint", {{"phase", phases_.phase_of(line, origin)},
                           {"step", line.step},
                           {"sha256", saved->sha256},
                           {"bytes", saved->bytes},
                           {"path", kept_path(saved->sha256)}});
    if (origin != Origin::socket) return;
    process_->answer(saved ? TrialAnswer{Saved{saved->sha256}} : TrialAnswer{saved.error()});
  }

  Result<FileDigest> keep(const CheckpointLine& line) {
    const auto path = process_->checkpoint(line.path);
    if (!path) return path.error();
    auto digest = digest_of_file(*path);
    if (!digest) return digest.error();
    std::error_code failure;
    fs::create_directories(fs::path(paths_.data) / "kept", failure);
    fs::copy_file(*path, kept_path(digest->sha256), fs::copy_options::overwrite_existing, failure);
    if (failure) return refuse(Code::internal, "cannot keep a checkpoint: " + failure.message());
    return *std::move(digest);
  }

  [[nodiscard]] std::string kept_path(const std::string& sha256) const {
    return (fs::path(paths_.data) / "kept" / sha256).string();
  }

  const WorkerPaths& paths_;
  RerunPlan plan_;
  AttemptPhases phases_;
  FileHandle signals_;
  std::unique_ptr<RunProcess> process_{};
  std::optional<Clock::time_point> kill_at_{};
  bool ended_ = false;
};

}  // namespace

Status rerun(const WorkerPaths& paths, const std::string& file) {
  auto plan = read_plan(file);
  if (!plan) return plan.error();
  return Rerun(paths, *std::move(plan)).run();
}

}  // namespace hone::worker
