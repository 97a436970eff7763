#include "worker/process/loop.hpp"

#include <spdlog/spdlog.h>
#include <sys/signalfd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <set>
#include <system_error>

#include "worker/process/artifacts.hpp"
#include "worker/process/keeper.hpp"

namespace hone::worker {
namespace {

sigset_t awaited_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGCHLD}) sigaddset(&set, number);
  return set;
}

// Rounds up, so that the deadline has come when poll returns.
int poll_timeout_ms(Duration left) {
  constexpr std::int64_t longest_us = 60'000'000;
  const std::int64_t us = std::clamp(left.us, std::int64_t{0}, longest_us);
  return static_cast<int>((us + 999) / 1000);
}

}  // namespace

Instant Loop::now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::microseconds>(since).count()};
}

void block_signals() {
  const sigset_t set = awaited_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

Loop::Loop(LoopConfig config)
    : config_(std::move(config)),
      agent_(config_.agent),
      spool_(config_.paths.data),
      cache_(config_.paths.data + "/cache"),
      code_(config_.paths.data + "/code"),
      calls_(config_.endpoint, cache_, code_, mailbox_),
      logs_(config_.endpoint),
      machine_(config_.agent.join.gpus, now()) {
  const sigset_t set = awaited_signals();
  signals_ = FileHandle(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals_) throw std::system_error(errno, std::generic_category(), "signalfd");
  watch_gpus();
}

Loop::~Loop() { calls_.stop(); }

void Loop::run() {
  recover();
  inputs_.emplace_back(Tick{});
  process_inputs();
  while (!quit_) {
    wait();
    inputs_.emplace_back(Tick{});
    process_inputs();
  }
}

void Loop::wait() {
  std::vector<pollfd> fds{{signals_.fd(), POLLIN, 0}, {mailbox_.fd(), POLLIN, 0}};
  std::vector<LeaseId> owners(fds.size());
  for (const auto& [lease, run] : runs_) {
    run->watch(fds);
    owners.resize(fds.size(), lease);
  }
  const bool more = std::any_of(runs_.begin(), runs_.end(),
                                [](const auto& run) { return run.second->draining(); });
  Instant deadline = std::min(agent_.next_deadline().value_or(machine_.due()), machine_.due());
  if (logs_.follows_any()) deadline = std::min(deadline, logs_at_);
  if (!runs_.empty()) deadline = std::min(deadline, use_at_);
  const int timeout_ms = more ? 0 : poll_timeout_ms(deadline - now());
  if (::poll(fds.data(), fds.size(), timeout_ms) > 0) serve(fds, owners);
  if (more) collect();
  offer_logs();
  sample_runs();
  machine_.sample(gpus_, now());
}

void Loop::offer_logs() {
  if (now() < logs_at_ || !logs_.follows_any()) return;
  logs_at_ = now() + limits::log_period;
  for (const auto& [lease, run] : runs_)
    if (run->pid() != 0 && logs_.follows(lease)) logs_.offer(agent_.worker(), lease, run->log());
}

void Loop::serve(const std::vector<pollfd>& fds, const std::vector<LeaseId>& owners) {
  LeaseId served;
  for (std::size_t i = 2; i < fds.size(); ++i) {
    if (fds[i].revents == 0 || owners[i] == served) continue;
    served = owners[i];
    RunProcess& run = *runs_.at(served);
    for (auto& [line, origin] : run.serve()) line_received(served, std::move(line), origin);
    if (const auto& excess = run.exceeded())
      inputs_.emplace_back(LimitExceeded{served, excess->what, excess->detail});
  }
  if (fds[1].revents != 0) take_replies();
  if (fds[0].revents != 0) read_signals();
}

void Loop::take_replies() {
  for (auto& reply : mailbox_.take()) {
    if (const auto* beat = reply.reply ? std::get_if<BeatReply>(&*reply.reply) : nullptr)
      follow_logs(*beat);
    inputs_.emplace_back(std::move(reply));
  }
}

void Loop::follow_logs(const BeatReply& reply) {
  for (const LeaseStanding& standing : reply.leases)
    if (const RunProcess* run = find(standing.lease);
        standing.log_wanted && run != nullptr && run->pid() != 0)
      logs_.follow(standing.lease);
}

void Loop::read_signals() {
  signalfd_siginfo info{};
  while (::read(signals_.fd(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    if (info.ssi_signo == SIGCHLD) continue;
    if (info.ssi_signo == SIGUSR1 || info.ssi_signo == SIGUSR2) {
      inputs_.emplace_back(Leave{info.ssi_signo == SIGUSR1 ? "SIGUSR1" : "SIGUSR2"});
      continue;
    }
    const bool again = stop_signals_++ > 0;
    spdlog::info("{}: {}", info.ssi_signo == SIGINT ? "SIGINT" : "SIGTERM",
                 again ? "killing every run" : "ending every run; send it again to kill them");
    inputs_.emplace_back(Drain{again});
  }
  collect();  // several children may share one SIGCHLD
}

void Loop::collect() {
  for (auto& [lease, run] : runs_) {
    std::vector<RunProcess::Received> last_lines;
    auto exited = run->collect(lease, last_lines);
    for (auto& [line, origin] : last_lines) line_received(lease, std::move(line), origin);
    if (!exited) continue;
    if (auto meter = meters_.extract(lease)) {
      sample(lease, meter.mapped());
      pass_on(lease, meter.mapped().end(now()));
    }
    logs_.finish(agent_.worker(), lease, run->log());
    note_disk(spool_.append(*exited));
    inputs_.emplace_back(std::move(*exited));
  }
  end_orphans();
}

// This process only starts keepers: any other child is an orphan of a keeper that was killed.
void Loop::end_orphans() const {
  std::vector<pid_t> known;
  for (const auto& [lease, run] : runs_) known.push_back(run->pid());
  std::sort(known.begin(), known.end());
  end_strays(known.data(), known.size());
}

// Performing an action may add inputs.
void Loop::process_inputs() {
  while (!inputs_.empty() && !quit_) {
    const Input input = std::move(inputs_.front());
    inputs_.pop_front();
    for (const auto& action : agent_.resume(now(), input))
      std::visit([this](const auto& one) { perform(one); }, action);
  }
}

void Loop::perform(const Send& action) {
  if (const auto* keep = std::get_if<KeepFiles>(&action.call)) {
    auto files = files_to_keep(*keep);
    if (!files) return inputs_.emplace_back(Replied{action.id, files.error()}), void();
    KeepFiles call{keep->lease};
    call.files = *std::move(files);
    return calls_.send(action.id, std::move(call));
  }
  if (const auto* code = std::get_if<RecordCode>(&action.call)) {
    WorkPlace place = work_place(code->trainer, config_.paths.work_folder,
                                 code->code ? code->code->folder : std::string());
    return calls_.send(action.id, RecordCode{code->lease, code->trainer, code->code, code->before,
                                             std::move(place.folder), std::move(place.python),
                                             config_.paths.program_folder});
  }
  if (const auto* end = std::get_if<EndCall>(&action.call)) send_late_remarks(end->lease);
  const auto* store = std::get_if<StoreBlob>(&action.call);
  if (store == nullptr) return calls_.send(action.id, with_machine(action.call));
  const auto path = checkpoint_path(*store);
  if (!path)
    inputs_.emplace_back(Replied{action.id, path.error()});
  else
    calls_.send(action.id, StoreBlob{store->lease, *path});
}

void Loop::perform(const Spawn& action) {
  const LeaseGrant& grant = action.grant;
  const WorkPlace place = work_place(grant.trainer, config_.paths.work_folder, action.code_folder);
  if (!place.missing.empty()) {
    auto detail = why_not_here(place, config_.agent.join.host, agent_.worker());
    return inputs_.emplace_back(NotStarted{grant.lease, std::move(detail), false, true}), void();
  }
  auto run = RunProcess::start(config_.paths, place, action);
  if (!run) {
    const Error& error = run.error();
    const bool fault_is_here = error.code == Code::internal || error.code == Code::busy;
    inputs_.emplace_back(NotStarted{grant.lease, error.detail, fault_is_here});
    return;
  }
  spdlog::info("{}: started, from phase {} of {}", text(grant.attempt), grant.next_phase,
               grant.budget.phases);
  runs_.emplace(grant.lease, std::move(*run));
  meters_.emplace(grant.lease, UseMeter(now(), grant.resume ? grant.resume->step : 0));
  watch_gpus();
  if (grant.objective.reach) timed_[grant.lease] = {now(), grant.objective.reach->clock, {}};
  note_disk(spool_.open(grant));
}

void Loop::perform(const AnswerTrial& action) {
  if (RunProcess* run = find(action.lease)) run->answer(action.answer);
}

void Loop::perform(const Terminate& action) {
  if (RunProcess* run = find(action.lease)) run->signal(SIGTERM);
}

void Loop::perform(const Kill& action) {
  if (RunProcess* run = find(action.lease)) run->signal(SIGKILL);
}

void Loop::perform(const Hold& action) {
  if (RunProcess* run = find(action.lease)) run->hold(action.held);
}

void Loop::perform(const Forget& action) {
  send_late_remarks(action.lease);
  runs_.erase(action.lease);
  meters_.erase(action.lease);
  timed_.erase(action.lease);
  code_.release(action.lease);
  watch_gpus();
  recovered_.erase(action.lease);
  if (!action.refused) return spool_.close(action.lease);
  const auto kept = spool_.close_refused(action.lease);
  if (!kept)
    spdlog::error("{}", kept.error().detail);
  else if (*kept)
    spdlog::warn(
        "{}: the server lost the time in which this run was leased; what it reported since is kept "
        "in {}",
        text(action.lease), **kept);
}

void Loop::perform(const Delivered& action) {
  note_disk(spool_.delivered(action.lease, action.next_phase));
}

void Loop::perform(const Joined& action) {
  if (action.reply.worker != joined_as_) config_.joined(action.reply);
  joined_as_ = action.reply.worker;
  takes_machine_ = action.reply.machine;
}

void Loop::perform(const Note& action) {
  switch (action.level) {
    case NoteLevel::info:
      spdlog::info("{}", action.text);
      return;
    case NoteLevel::warning:
      spdlog::warn("{}", action.text);
      return;
    case NoteLevel::error:
      spdlog::error("{}", action.text);
      return;
  }
}

void Loop::perform(const Remark& action) { remark(action.lease, action.text); }

void Loop::remark(LeaseId lease, const std::string& text) {
  RunProcess* run = find(lease);
  if (run == nullptr) return;
  run->remark(text);
  if (run->pid() == 0) remarked_late_.insert(lease);
}

void Loop::send_late_remarks(LeaseId lease) {
  if (remarked_late_.erase(lease) == 0) return;
  if (const RunProcess* run = find(lease)) logs_.finish(agent_.worker(), lease, run->log());
}

void Loop::perform(const Quit&) { quit_ = true; }

// Passes what an earlier process of this worker left to the agent; keeps its folders until then.
void Loop::recover() {
  namespace fs = std::filesystem;
  std::vector<std::string> dropped;
  std::set<std::string> kept;
  for (auto& one : spool_.recover(dropped)) {
    auto folder = RunFolder::adopt(config_.paths.data, one.grant);
    kept.insert(fs::path(folder.path()).filename());
    recovered_.emplace(one.grant.lease, std::move(folder));
    inputs_.emplace_back(std::move(one));
  }
  for (const auto& path : dropped) spdlog::warn("dropped {}: it cannot be read", path);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(config_.paths.data + "/runs", ignored))
    if (!kept.contains(entry.path().filename())) fs::remove_all(entry.path(), ignored);
}

// What the run used comes before its report: it is delivered with it.
void Loop::line_received(LeaseId lease, TrialLine line, Origin origin) {
  if (const auto found = meters_.find(lease); found != meters_.end()) {
    UseMeter& meter = found->second;
    if (std::holds_alternative<ReportLine>(line) && meter.wants(now())) sample(lease, meter);
    pass_on(lease, meter.line(now(), line));
  }
  if (auto* report = std::get_if<ReportLine>(&line)) stamp(lease, *report);
  pass_on(lease, std::move(line), origin);
}

void Loop::pass_on(LeaseId lease, std::vector<MetricPoint> points) {
  for (MetricPoint& point : points) pass_on(lease, std::move(point), Origin::output);
}

void Loop::pass_on(LeaseId lease, TrialLine line, Origin origin) {
  note_disk(spool_.append(lease, line));
  inputs_.emplace_back(LineReceived{lease, std::move(line), origin});
}

void Loop::note_disk(const Status& spooled) {
  if (!spooled) inputs_.emplace_back(DiskFull{spooled.error().detail});
}

Result<std::string> Loop::checkpoint_path(const StoreBlob& store) {
  if (const RunProcess* run = find(store.lease)) return run->checkpoint(store.path);
  const auto folder = recovered_.find(store.lease);
  if (folder != recovered_.end()) return folder->second.checkpoint(store.path);
  return refuse(Code::not_found, "its process is gone");
}

// A step must pass on every file, or it fails.
Result<std::vector<KeptFile>> Loop::files_to_keep(const KeepFiles& keep) {
  std::vector<KeptFile> kept;
  const auto recovered = recovered_.find(keep.lease);
  const RunProcess* run = find(keep.lease);
  if (run == nullptr && recovered == recovered_.end()) {
    if (keep.step.empty()) return kept;
    return refuse(Code::not_found, "its folder is gone");
  }
  const auto& folder = run != nullptr ? run->folder() : recovered->second;
  auto files = find_artifacts(folder.places().files, keep.patterns, keep.needed);
  if (!files.left_out.empty() && !keep.step.empty()) return refuse(Code::too_large, files.left_out);
  if (!files.left_out.empty()) {
    spdlog::warn("{}: {}", text(keep.attempt), files.left_out);
    remark(keep.lease, files.left_out);
  }
  const std::string prefix = keep.step.empty() ? "" : keep.step + "/";
  for (auto& file : files.kept) kept.push_back({std::move(file.path), prefix + file.name});
  return kept;
}

RunProcess* Loop::find(LeaseId lease) const {
  const auto found = runs_.find(lease);
  return found == runs_.end() ? nullptr : found->second.get();
}

}  // namespace hone::worker
