// The process of an attempt: its time limits, the signals that end it, and what its end means for
// its run. Sans-io; driven by Attempt.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "worker/agent/exit.hpp"
#include "worker/agent/pending_call.hpp"
#include "worker/agent/process_clock.hpp"

namespace hone::worker {

// Why a process is ended; a later reason overrules an earlier one.
enum class StopReason {
  closed,           // by a verdict: it exits by itself
  timed_out,        // limits.run or limits.phase
  disk_exceeded,    // command.disk
  memory_exceeded,  // resources.memory
  drained,          // the worker is shutting down
  cancel,           // the user's orders
  kill,
  lost,  // the lease belongs to another worker
};

struct Stop {
  StopReason reason;
  std::string detail{};  // which limit, and how far it was exceeded
};

class ProcessControl {
 public:
  explicit ProcessControl(const LeaseGrant& grant);

  // What happened.
  void started(Instant now);
  void not_started(EndRequest end);
  // The files that it left could not be kept: a success becomes a failure.
  void lose_files(const Error& error);
  void exited(const Exited& exit);
  // Ends the process, unless an earlier stop overrules this one: by itself, TERM and KILL after
  // their grace, or KILL. A process that has not started never will.
  void stop(Turn& turn, Stop stop);
  // Sends TERM or KILL now to a process that is being ended, unless it was sent before.
  void hurry(Turn& turn, bool kill);
  // Sends the signals that are due. Returns the time limit that was exceeded, if one was.
  std::optional<std::string> tick(Turn& turn);

  // Time is not counted while the process waits for the server.
  void pause_clock(Instant now);
  void resume_clock(Instant now);
  // As ProcessClock::take_trained.
  std::optional<Duration> take_trained(Instant now);

  [[nodiscard]] bool is_waiting() const;  // has not started
  [[nodiscard]] bool is_running() const;
  [[nodiscard]] bool has_ended() const;
  [[nodiscard]] std::optional<Instant> next_signal() const;
  [[nodiscard]] std::optional<Instant> next_limit() const;

  // Of a process that has ended: the patterns of the files to keep, once; and what to report.
  [[nodiscard]] std::vector<std::string> take_artifacts();
  [[nodiscard]] EndRequest end(const Progress& progress) const;

 private:
  struct Waiting {};  // for its checkpoint to be fetched
  struct Training {
    ProcessClock clock;
  };
  struct Exiting {  // exits by itself
    Stop stop;
    Instant term_at;
  };
  struct Terminated {  // TERM was sent
    Stop stop;
    Instant kill_at;
  };
  struct Killed {
    Stop stop;
  };
  struct Ended {
    std::variant<EndRequest, Exited> cause;  // an exit is judged by the reports that came before it
    std::vector<std::string> artifacts;
  };

  static std::variant<EndRequest, Exited> cause_of(const Stop& stop, const Exited& exit);
  void ended(const Stop* stop, const Exited& exit);
  void terminate(Turn& turn, Stop stop);
  void kill(Turn& turn, Stop stop);
  [[nodiscard]] const Stop* current_stop() const;

  LeaseId lease_;
  TimeLimits limits_;
  bool is_command_;
  std::vector<std::string> artifacts_;  // patterns
  std::variant<Waiting, Training, Exiting, Terminated, Killed, Ended> state_;
};

}  // namespace hone::worker
