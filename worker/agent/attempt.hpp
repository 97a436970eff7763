// One lease from grant to its last word: fetch the checkpoint, run the process, relay its lines to
// the server in order, end it when it must, and say what became of it. Sans-io; owned and driven by
// Agent.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "worker/agent/process_clock.hpp"
#include "worker/agent/retry.hpp"
#include "worker/agent/words.hpp"

namespace hone::worker {

// What an attempt may use while it handles one input.
struct Turn {
  Instant now;
  Actions& actions;
  std::vector<std::pair<CallId, LeaseId>>& calls;  // in flight, of all attempts
  CallId& last_call;
  Instant& rest_until;  // no work is asked for before: this machine cannot start processes
};

class Attempt {
 public:
  Attempt(LeaseGrant grant, std::vector<int> gpus, std::uint64_t seed);

  void start(Turn& turn);
  // Instead of start: of an earlier process of this worker. Nothing is said until a heartbeat shows
  // that the lease is still ours.
  void recover(Turn& turn, const Recovered& input);
  void said(Turn& turn, const TrialSaid& input);
  void not_started(Turn& turn, const NotStarted& input);
  void exited(Turn& turn, const Exited& input);
  void outgrown(Turn& turn, const Outgrown& input);
  void replied(Turn& turn, CallId id, Result<CallReply> reply);
  void ordered(Turn& turn, Order order);  // from a heartbeat
  void drain(Turn& turn, bool at_once);
  void tick(Turn& turn);

  [[nodiscard]] std::optional<Instant> next_deadline() const;
  [[nodiscard]] bool over() const { return over_; }  // Forget was said
  [[nodiscard]] bool holds_slots() const;            // its process runs, or may be started
  [[nodiscard]] bool wants_beat() const;             // the server must not give its run to others
  [[nodiscard]] const LeaseGrant& grant() const { return grant_; }
  [[nodiscard]] const std::vector<int>& gpus() const { return gpus_; }

 private:
  enum class Process { none, running, exited };
  // Why the process is being ended; the later words overrule the earlier ones.
  enum class Ending {
    none,
    paused,     // the terminator's verdict: the process exits by itself, the run goes back
    stopped,    // the same, for good
    timed_out,  // limits.run or limits.phase
    outgrown,   // command.disk
    drained,    // the worker leaves
    cancel,     // the user's words
    kill,
    lost,  // the lease is somebody else's
  };
  struct LaneCheckpoint {
    CheckpointLine line;
    Origin origin = Origin::socket;
    std::optional<StoredBlob> stored;
  };
  struct LaneReport {
    ReportLine line;
    Origin origin = Origin::socket;
  };
  using LaneItem = std::variant<LaneCheckpoint, LaneReport>;

  // The lane: one call at a time, in the order in which the process spoke.
  void advance(Turn& turn);
  [[nodiscard]] bool must_flush(Instant now) const;
  void send_metrics(Turn& turn);
  void send_head(Turn& turn);
  void send(Turn& turn, Call call);
  [[nodiscard]] bool tries_again(const Error& error);
  [[nodiscard]] bool keeps_files() const;
  [[nodiscard]] Origin head_origin() const;
  void answer_head(Turn& turn, TrialAnswer answer);  // and go on with the next

  void took(Turn& turn, const Call& call, const CallReply& reply);
  void took_verdict(Turn& turn, int phase, const Verdict& verdict);
  void took_points(Turn& turn);
  void refused(Turn& turn, const Call& call, const Error& error);
  void keep(Turn& turn, LaneItem item);
  void keep(Turn& turn, MetricPoint point);

  // The process.
  void spawn(Turn& turn, const std::string& resume_path);
  void time_out(Turn& turn);
  void fail_to_start(Turn& turn, std::string detail, bool fault_is_here);
  void end_process(Turn& turn, Ending ending);
  void end_without_process(Turn& turn);
  void terminate(Turn& turn);
  void kill(Turn& turn);
  void lose(Turn& turn, const std::string& why);
  void forget(Turn& turn);
  [[nodiscard]] EndRequest end_request() const;
  void note(Turn& turn, NoteLevel level, const std::string& text) const;

  LeaseGrant grant_;
  std::vector<int> gpus_;
  Process process_ = Process::none;
  Ending ending_ = Ending::none;
  bool closed_ = false;  // by the server, with a stop verdict: nothing is left to end there
  bool over_ = false;
  bool unconfirmed_ = false;
  bool undelivered_ = false;  // something was said since the last Delivered
  bool held_ = false;         // its process is not listened to until the lane is shorter
  int next_phase_;
  std::optional<EndRequest> not_started_;  // why there never was a process
  std::optional<Exited> exit_;
  bool term_sent_ = false;
  bool kill_sent_ = false;
  std::optional<Instant> signal_at_;  // when the next, harder signal is due
  ProcessClock clock_;
  std::string time_over_;  // which limit
  std::string disk_over_;  // how far
  bool files_kept_;        // or there are none to keep

  std::deque<LaneItem> lane_;
  std::deque<MetricPoint> points_;
  std::optional<Instant> flush_at_;
  std::int64_t points_dropped_ = 0;
  std::optional<Call> call_;  // the one call in flight or waiting for its retry
  CallId call_id_ = 0;        // 0 while it waits
  Instant retry_at_;
  Retry retry_;
  int internal_errors_ = 0;  // in a row
};

}  // namespace hone::worker
