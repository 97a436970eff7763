// The state machine of a worker: joins, acquires runs while a slot is free, renews their leases,
// and drives one Attempt for each. Sans-io: no socket, clock, thread or process. The worker's loop
// and the simulator drive the same code: pass every input to resume() and perform the actions in
// order.
//
// A value type. The same config and the same inputs at the same instants give the same actions.
//
// Rules:
//
// - joining: with one request id for the lifetime of the process; again whenever the server no
//   longer knows the worker.
// - acquiring: one request at a time, while a cpu slot is free. A failed request is repeated with
//   its request id, so that a grant whose reply was lost is found again. When the free slots change
//   while it waits at the server, a new request replaces it there; a grant that the replaced one
//   brings is kept. A worker that exits replaces it by one that asks for nothing, and returns a
//   grant that comes before the answer.
// - heartbeats: every JoinReply::heartbeat while there are leases. Runs continue while the server
//   cannot be reached.
// - calls: unavailable, timed_out, busy and rate_limited are retried without end (Retry), internal
//   a few times; any other error is the answer.
// - lines: reports and checkpoints of a run reach the server in order, each after the one before
//   was answered; metrics go in batches before them.
// - code: with AgentConfig::records_code, the code of a run is recorded before its process starts.
//   A failure is logged, and the process starts.
// - spooling: the loop keeps lines on disk until Delivered. Lines of an earlier process (Recovered)
//   are delivered once a heartbeat shows that the lease is still valid, else dropped with a note.
//   While the disk is full (DiskFull), runs continue and no work is requested.
// - fencing: after stale_lease, or `gone` in a heartbeat, KILL, and no further call is made.
// - restored backups: after stale_epoch, as after stale_lease, but what was not delivered is kept;
//   a worker that is of another epoch joins again.
// - ending: after a stop verdict a process exits by itself, or gets TERM after 10 s (at once for a
//   program without SDK) and KILL 10 s later. cancel, drain and an exceeded time limit
//   (LeaseGrant::limits): TERM, KILL after 10 s. kill, and an exceeded disk limit: KILL.
// - leaving: `drain` before its end, or on a hint (Leave), a worker requests no run any more and
//   returns each one after its next report, when its checkpoint is stored; earlier a run whose
//   next phase, as long as the last one, would not fit. What still runs shortly before the end is
//   returned by TERM. Runs that are returned this way are not blamed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "worker/agent/attempt.hpp"
#include "worker/agent/messages.hpp"
#include "worker/agent/retry.hpp"

namespace hone::worker {

struct AgentConfig {
  JoinRequest join;        // request_id must be unique to this process; cpus and gpus are the slots
  std::uint64_t seed = 0;  // spreads retries
  std::string life{};      // distinguishes processes that share a join.request_id
  bool until_idle = false;            // quit when the server has no work and nothing runs
  std::optional<Duration> idle{};     // quit after this time without a run
  std::optional<Duration> ends_in{};  // the machine is taken away then, from the first input on
  Duration drain{};                   // before that end no run is requested any more
  bool records_code = false;          // sends RecordCode before each Spawn
};

// Slots of a worker that no run holds.
struct FreeSlots {
  int cpus = 0;
  int gpus = 0;
  std::vector<std::int64_t> gpu_free{};  // bytes of each GPU, where they are known
  friend bool operator==(const FreeSlots&, const FreeSlots&) = default;
};

class Agent {
 public:
  explicit Agent(AgentConfig config);

  // Handles one input and returns the actions to perform. The first input is Tick; pass another
  // when next_deadline() has come. `now` must not go backwards.
  Actions resume(Instant now, const Input& input);

  [[nodiscard]] std::optional<Instant> next_deadline() const;
  [[nodiscard]] std::size_t running() const;         // processes
  [[nodiscard]] bool done() const { return done_; }  // Quit was returned
  [[nodiscard]] WorkerId worker() const { return joined_ ? joined_->worker : WorkerId{}; }
  [[nodiscard]] FreeSlots free_slots() const;
  // Whether it requests no run any more.
  [[nodiscard]] bool ending() const { return quit_at_ || leaving_; }

 private:
  // Join, acquire or heartbeat: at most one of each is in flight, besides a replaced acquire.
  struct OwnCall {
    explicit OwnCall(std::uint64_t seed) : retry(seed) {}
    CallId id = 0;  // 0: none is in flight
    Instant at;     // the next is not sent before
    Retry retry;
  };
  struct AcquireCall : OwnCall {
    explicit AcquireCall(std::uint64_t seed) : OwnCall(seed) {}
    std::optional<AcquireRequest> request;  // kept until it is answered
    Instant sent;
  };

  void handle(Turn& turn, const Tick& input);
  void handle(Turn& turn, const Replied& input);
  void handle(Turn& turn, const LineReceived& input);
  void handle(Turn& turn, const NotStarted& input);
  void handle(Turn& turn, const Exited& input);
  void handle(Turn& turn, const Drain& input);
  void handle(Turn& turn, const Leave& input);
  void handle(Turn& turn, const Recovered& input);
  void handle(Turn& turn, const DiskFull& input);
  void handle(Turn& turn, const LimitExceeded& input);

  void advance(Turn& turn);
  void try_join(Turn& turn);
  void try_acquire(Turn& turn);
  void try_replaced(Turn& turn);
  void try_beat(Turn& turn);
  void send(Turn& turn, OwnCall& own, Call call);
  void fail(Turn& turn, OwnCall& own, const Error& error, const char* what);
  void note_unreachable(Turn& turn, const Error& error);
  void note_reachable(Turn& turn);
  void on_join(Turn& turn, const Result<CallReply>& reply);
  void on_acquire(Turn& turn, const Result<CallReply>& reply);
  void on_replaced(Turn& turn, const Result<CallReply>& reply);
  void on_beat(Turn& turn, const Result<CallReply>& reply);
  void on_grant(Turn& turn, const LeaseGrant& grant);
  void forget_over();
  void quit_if_done(Turn& turn);
  void leave(Turn& turn, const std::string& why);
  void check_end(Turn& turn);
  void check_idle(Turn& turn);
  Attempt* find(LeaseId lease);
  [[nodiscard]] AcquireRequest next_request(Instant now);
  [[nodiscard]] FreeSlots offer() const { return ending() ? FreeSlots{} : free_slots(); }
  [[nodiscard]] int free_cpus() const;
  [[nodiscard]] std::vector<int> free_gpus() const;
  [[nodiscard]] std::vector<std::int64_t> gpu_free() const;
  [[nodiscard]] std::optional<std::vector<int>> gpus_for(const LeaseGrant& grant) const;
  [[nodiscard]] std::vector<LeaseId> leases_to_beat() const;
  [[nodiscard]] bool may_acquire() const;
  [[nodiscard]] bool may_replace() const;

  AgentConfig config_;
  std::optional<JoinReply> joined_;
  std::int64_t acquired_ = 0;  // requests for work made so far
  OwnCall join_;
  AcquireCall acquire_;   // the newest
  AcquireCall replaced_;  // the one before, if it is not answered yet
  OwnCall beat_;
  bool unreachable_noted_ = false;
  Instant rest_until_;              // no work is requested before
  std::optional<Instant> quit_at_;  // draining: the worker exits then at the latest
  bool done_ = false;
  std::optional<Instant> ends_at_;     // of config_.ends_in
  bool leaving_ = false;               // no run is requested any more
  std::optional<Instant> idle_since_;  // with config_.idle: joined and without a run
  std::map<LeaseId, Attempt> attempts_;
  std::vector<std::pair<CallId, LeaseId>> calls_;
  CallId last_call_ = 0;
};

}  // namespace hone::worker
