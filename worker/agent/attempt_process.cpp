// The process of an attempt: how it begins, how it is ended, and what is said of its end.
#include <utility>

#include "base/expect.hpp"
#include "worker/agent/attempt.hpp"
#include "worker/agent/exit.hpp"

namespace hone::worker {

void Attempt::spawn(Turn& turn, const std::string& resume_path) {
  process_ = Process::running;
  clock_.go(turn.now);
  turn.actions.emplace_back(Spawn{grant_, resume_path, gpus_});
}

void Attempt::time_out(Turn& turn) {
  time_over_ = clock_.reason(turn.now);
  note(turn, NoteLevel::warning, time_over_);
  end_process(turn, Ending::timed_out);
}

void Attempt::fail_to_start(Turn& turn, std::string detail, bool fault_is_here) {
  process_ = Process::exited;
  signal_at_.reset();
  note(turn, NoteLevel::error, "cannot start: " + detail);
  if (fault_is_here) turn.rest_until = turn.now + limits::rest;
  const auto reason = fault_is_here ? EndReason::requeue_requested : EndReason::cannot_start;
  not_started_ = EndRequest{
      reason, 0, std::move(detail), {}, fault_is_here ? Failure::infra : Failure::user_error};
  if (ending_ == Ending::lost) return forget(turn);
  advance(turn);
}

void Attempt::end_process(Turn& turn, Ending ending) {
  if (ending <= ending_) return;
  if (process_ == Process::exited && ending != Ending::paused) return;  // it ended in its own way
  ending_ = ending;
  clock_.stand_still(turn.now);
  if (process_ == Process::exited) return;
  if (process_ == Process::none) return end_without_process(turn);
  switch (ending) {
    case Ending::none:
      return;
    case Ending::paused:
    case Ending::stopped:
      signal_at_ = turn.now + limits::exit_grace;
      return;
    case Ending::timed_out:
    case Ending::drained:
    case Ending::cancel:
      return terminate(turn);
    case Ending::outgrown:
    case Ending::kill:
    case Ending::lost:
      return kill(turn);
  }
}

// The checkpoint was still being fetched.
void Attempt::end_without_process(Turn& turn) {
  process_ = Process::exited;
  call_.reset();
  call_id_ = 0;
  if (ending_ == Ending::lost) return forget(turn);
  advance(turn);
}

void Attempt::terminate(Turn& turn) {
  if (process_ != Process::running || term_sent_) return;
  term_sent_ = true;
  signal_at_ = turn.now + limits::term_grace;
  turn.actions.emplace_back(Terminate{grant_.lease});
}

void Attempt::kill(Turn& turn) {
  if (process_ != Process::running || kill_sent_) return;
  term_sent_ = kill_sent_ = true;
  signal_at_.reset();
  turn.actions.emplace_back(Kill{grant_.lease});
}

void Attempt::lose(Turn& turn, const std::string& why) {
  note(turn, NoteLevel::warning, "its lease is lost: " + why);
  if (process_ == Process::exited) return forget(turn);
  end_process(turn, Ending::lost);
}

void Attempt::forget(Turn& turn) {
  over_ = true;
  signal_at_.reset();
  turn.actions.emplace_back(Forget{grant_.lease});
}

EndRequest Attempt::end_request() const {
  if (not_started_) return *not_started_;
  const int number = exit_ ? exit_->number : 0;
  switch (ending_) {
    case Ending::none:
      break;
    case Ending::paused:
      return {EndReason::requeue_requested, number, "paused by the sweep's terminator", {}};
    case Ending::timed_out:
      return {EndReason::time_limit, number, time_over_, exit_ ? exit_->log_tail : std::string(),
              Failure::timed_out};
    case Ending::outgrown:
      return {EndReason::disk_limit, number, disk_over_, exit_ ? exit_->log_tail : std::string(),
              Failure::user_error};
    case Ending::drained:
      return {
          EndReason::requeue_requested, number, "its worker was stopped", {}, Failure::preempted};
    case Ending::cancel:
      return {EndReason::user_cancel, number, {}, {}};
    case Ending::kill:
      return {EndReason::user_kill, number, {}, {}};
    case Ending::stopped:
    case Ending::lost:
      unreachable();  // nothing is said for a closed or a lost lease
  }
  return end_of_exit(*exit_, {next_phase_, grant_.budget.phases},
                     std::holds_alternative<CommandTrainer>(grant_.trainer));
}

void Attempt::note(Turn& turn, NoteLevel level, const std::string& words) const {
  turn.actions.emplace_back(Note{level, text(grant_.attempt) + ": " + words});
}

}  // namespace hone::worker
