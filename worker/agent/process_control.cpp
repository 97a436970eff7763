#include "worker/agent/process_control.hpp"

#include <utility>

#include "base/expect.hpp"
#include "worker/agent/limits.hpp"

namespace hone::worker {

ProcessControl::ProcessControl(const LeaseGrant& grant)
    : lease_(grant.lease), limits_(grant.limits), is_command_(false) {
  const auto* command = std::get_if<CommandTrainer>(&grant.trainer);
  if (command == nullptr) return;
  is_command_ = true;
  artifacts_ = command->artifacts;
}

void ProcessControl::started(Instant now) {
  Training training{ProcessClock(limits_)};
  training.clock.resume(now);
  state_ = training;
}

void ProcessControl::not_started(EndRequest end) { state_ = Ended{std::move(end), {}}; }

void ProcessControl::lose_files(const Error& error) {
  auto* ended = std::get_if<Ended>(&state_);
  const auto* exit = ended != nullptr ? std::get_if<Exited>(&ended->cause) : nullptr;
  if (exit == nullptr || exit->by_signal || exit->number != 0) return;
  const bool rejected = error.code != Code::internal && error.code != Code::not_found;
  ended->cause = EndRequest{rejected ? EndReason::disk_limit : EndReason::requeue_requested, 0,
                            "the files of its step were not kept: " + error.detail, exit->log_tail,
                            rejected ? Failure::user_error : Failure::infra};
}

void ProcessControl::exited(const Exited& exit) { ended(current_stop(), exit); }

void ProcessControl::ended(const Stop* stop, const Exited& exit) {
  // A user who kills a run does not want to wait for its files.
  const bool killed = stop != nullptr && stop->reason == StopReason::kill;
  auto artifacts = killed ? std::vector<std::string>{} : artifacts_;
  std::variant<EndRequest, Exited> cause = exit;
  if (stop != nullptr) cause = cause_of(*stop, exit);
  state_ = Ended{std::move(cause), std::move(artifacts)};
}

std::variant<EndRequest, Exited> ProcessControl::cause_of(const Stop& stop, const Exited& exit) {
  switch (stop.reason) {
    case StopReason::closed:
    case StopReason::lost:
      return exit;  // never reported: the lease is over
    case StopReason::timed_out:
      return EndRequest{EndReason::time_limit, exit.number, stop.detail, exit.log_tail,
                        Failure::timed_out};
    case StopReason::disk_exceeded:
      return EndRequest{EndReason::disk_limit, exit.number, stop.detail, exit.log_tail,
                        Failure::user_error};
    case StopReason::memory_exceeded:
      return EndRequest{EndReason::signal, exit.number, stop.detail, exit.log_tail, Failure::oom};
    case StopReason::drained:
      return EndRequest{EndReason::requeue_requested,
                        exit.number,
                        "its worker was stopped",
                        {},
                        Failure::preempted};
    case StopReason::cancel:
      return EndRequest{EndReason::user_cancel, exit.number, {}, {}};
    case StopReason::kill:
      return EndRequest{EndReason::user_kill, exit.number, {}, {}};
  }
  unreachable();
}

void ProcessControl::stop(Turn& turn, Stop stop) {
  if (has_ended()) return;
  if (const Stop* before = current_stop(); before != nullptr && before->reason >= stop.reason)
    return;
  if (is_waiting()) return ended(&stop, {});
  switch (stop.reason) {
    case StopReason::closed:
      state_ = Exiting{std::move(stop), turn.now + limits::exit_grace};
      return;
    case StopReason::timed_out:
    case StopReason::drained:
    case StopReason::cancel:
      return terminate(turn, std::move(stop));
    case StopReason::disk_exceeded:
    case StopReason::memory_exceeded:
    case StopReason::kill:
    case StopReason::lost:
      return kill(turn, std::move(stop));
  }
}

// TERM is sent once: a second reason to end does not prolong the grace of the first.
void ProcessControl::terminate(Turn& turn, Stop stop) {
  if (auto* killed = std::get_if<Killed>(&state_)) {
    killed->stop = std::move(stop);
  } else if (auto* terminated = std::get_if<Terminated>(&state_)) {
    terminated->stop = std::move(stop);
  } else {
    state_ = Terminated{std::move(stop), turn.now + limits::term_grace};
    turn.actions.emplace_back(Terminate{lease_});
  }
}

void ProcessControl::kill(Turn& turn, Stop stop) {
  const bool sent = std::holds_alternative<Killed>(state_);
  state_ = Killed{std::move(stop)};
  if (!sent) turn.actions.emplace_back(Kill{lease_});
}

void ProcessControl::hurry(Turn& turn, bool kill_now) {
  const Stop* current = current_stop();
  if (current == nullptr) return;
  if (kill_now)
    kill(turn, Stop(*current));
  else
    terminate(turn, Stop(*current));
}

std::optional<std::string> ProcessControl::tick(Turn& turn) {
  if (const auto* exiting = std::get_if<Exiting>(&state_);
      exiting != nullptr && exiting->term_at <= turn.now) {
    hurry(turn, false);
  } else if (const auto* terminated = std::get_if<Terminated>(&state_);
             terminated != nullptr && terminated->kill_at <= turn.now) {
    hurry(turn, true);
  }
  const auto* training = std::get_if<Training>(&state_);
  if (training == nullptr) return std::nullopt;
  const auto due = training->clock.due();
  if (!due || *due > turn.now) return std::nullopt;
  return training->clock.reason(turn.now);
}

void ProcessControl::pause_clock(Instant now) {
  if (auto* training = std::get_if<Training>(&state_)) training->clock.pause(now);
}

void ProcessControl::resume_clock(Instant now) {
  if (auto* training = std::get_if<Training>(&state_)) training->clock.resume(now);
}

std::optional<Duration> ProcessControl::take_trained(Instant now) {
  auto* training = std::get_if<Training>(&state_);
  if (training == nullptr) return std::nullopt;
  return training->clock.take_trained(now);
}

bool ProcessControl::is_waiting() const { return std::holds_alternative<Waiting>(state_); }
bool ProcessControl::has_ended() const { return std::holds_alternative<Ended>(state_); }
bool ProcessControl::is_running() const { return !is_waiting() && !has_ended(); }

std::optional<Instant> ProcessControl::next_signal() const {
  if (const auto* exiting = std::get_if<Exiting>(&state_)) return exiting->term_at;
  if (const auto* terminated = std::get_if<Terminated>(&state_)) return terminated->kill_at;
  return std::nullopt;
}

std::optional<Instant> ProcessControl::next_limit() const {
  const auto* training = std::get_if<Training>(&state_);
  return training != nullptr ? training->clock.due() : std::nullopt;
}

std::vector<std::string> ProcessControl::take_artifacts() {
  auto* ended = std::get_if<Ended>(&state_);
  return ended != nullptr ? std::exchange(ended->artifacts, {}) : std::vector<std::string>{};
}

EndRequest ProcessControl::end(const Progress& progress) const {
  const auto& cause = std::get<Ended>(state_).cause;
  if (const auto* end = std::get_if<EndRequest>(&cause)) return *end;
  return end_of_exit(std::get<Exited>(cause), progress, is_command_);
}

const Stop* ProcessControl::current_stop() const {
  if (const auto* exiting = std::get_if<Exiting>(&state_)) return &exiting->stop;
  if (const auto* terminated = std::get_if<Terminated>(&state_)) return &terminated->stop;
  if (const auto* killed = std::get_if<Killed>(&state_)) return &killed->stop;
  return nullptr;
}

}  // namespace hone::worker
