// States and the reasons for every end. Words as on the wire, in the tables and in the CLI.
#pragma once

namespace hone {

// quarantined: the last start could not read the sweep from the ledger. No event has
// this state, and a later start may read the sweep again.
enum class SweepState { running, paused, stopping, completed, canceled, failed, quarantined };

enum class RunState { queued, leased, running, paused, completed, stopped, failed, canceled };

// Why a run or a sweep ended, or why an attempt did (lost attempts send the run back to the queue
// while retries remain).
enum class EndReason {
  none,
  budget_reached,  // run: every phase reported. sweep: every trial ended
  exited_early,    // the process finished by itself before the last phase, with at least one report
  bar_reached,     // the time until a bar is the objective, and the run has reached it
  evicted,         // the terminator's verdict
  not_promoted,    // paused by its terminator, and others were promoted instead
  diverged,        // a non-finite report
  no_report,       // the process finished without any report
  exit_code,       // the process failed with an exit status
  signal,          // the process was killed by a signal that hone did not send
  told_failed,     // the client that asked for the trial reported that it failed
  cannot_start,    // the process could not be started
  infeasible,      // exit status 86: these parameters cannot work
  requeue_requested,  // exit status 85: the process asks to be run again
  worker_lost,        // the lease expired
  retries_exhausted,  // lost more often than limits.max_retries
  user_stop,          // sweep: stopped by a user; running runs finished
  user_cancel,        // canceled: TERM, grace, KILL
  user_kill,          // killed at once
  time_limit,         // limits.duration
  disk_limit,         // its folder outgrew command.disk
  failure_limit,      // sweep: too many of its runs failed
};

// What a user may ask of a sweep. pause: no new runs, running ones continue; resume; stop: no new
// runs, running ones finish, then the sweep is completed; cancel: TERM, grace, KILL; kill: KILL
// now.
enum class Verb { pause, resume, stop, cancel, kill };

// What became of a trial that was asked for.
enum class Told { value, failed, infeasible };

// What a worker must do about a lease: the reply to a heartbeat has one for each.
enum class Order { none, cancel, kill, gone };  // gone: not yours any more, kill the process

// What caused the end of an attempt, from its exit status, its signal, its log and what its worker
// observed. server/sweep/state/failures.hpp decides what is done about each.
enum class Failure {
  none,
  oom,         // it needed more memory than there was
  infra,       // the machine or the network: not the program, not its parameters
  preempted,   // its machine was taken away, or it asked to be run again
  infeasible,  // these parameters cannot work
  diverged,    // a report that is no number
  timed_out,   // limits.run or limits.phase
  user_error,  // the program rejected its input
  crash,       // the program died of a signal: may be a race, may be its parameters
};

constexpr bool is_end(RunState state) {
  switch (state) {
    case RunState::queued:
    case RunState::leased:
    case RunState::running:
    case RunState::paused:
      return false;
    case RunState::completed:
    case RunState::stopped:
    case RunState::failed:
    case RunState::canceled:
      return true;
  }
  return false;
}

constexpr bool is_end(SweepState state) {
  switch (state) {
    case SweepState::running:
    case SweepState::paused:
    case SweepState::stopping:
      return false;
    case SweepState::completed:
    case SweepState::canceled:
    case SweepState::failed:
    case SweepState::quarantined:
      return true;
  }
  return false;
}

}  // namespace hone
