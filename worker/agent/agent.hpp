// The lease machine of a worker: joins, acquires runs while a slot is free, keeps their leases
// alive, and drives one Attempt for each. Sans-io: no socket, clock, thread or process. The
// worker's loop and the simulator drive the same code: hand every input to resume() and perform the
// actions in order.
//
// A value: copying one forks its future. Same config and same inputs at the same instants give the
// same actions.
//
// Rules it keeps:
//
// - joining: with one request id for the life of the process; again whenever the server does not
//   know the worker.
// - acquiring: one request at a time, while a cpu slot is free. A failed one is repeated under its
//   request id, so that a grant whose answer got lost is found again.
// - heartbeats: every JoinReply::heartbeat while there are leases. A server that is away changes
//   nothing: runs go on.
// - calls: unavailable, timed_out and busy are tried again for ever (Retry); internal a few times;
//   any other refusal is an answer.
// - lines: reports and checkpoints of a run reach the server in order, each when the one before was
//   answered; metrics go in batches before them.
// - spooling: the loop keeps on disk what is said until Delivered. What an earlier process left
//   (Recovered) is delivered once a heartbeat shows that its lease is still ours, else dropped with
//   a note. A disk that takes nothing (DiskFull): runs go on, none is asked for while it lasts.
// - fencing: after stale_lease, or `gone` in a heartbeat, KILL, and nothing more is said.
// - ending: after a stop verdict a process exits by itself; else TERM after 10 s (at once for a
//   program without SDK) and KILL 10 s later. A process whose time is over (LeaseGrant::limits) the
//   same. cancel and drain: TERM, KILL after 10 s. kill: KILL.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "worker/agent/attempt.hpp"
#include "worker/agent/retry.hpp"
#include "worker/agent/words.hpp"

namespace hone::worker {

struct AgentConfig {
  JoinRequest join;        // request_id must be unique to this process; cpus and gpus are the slots
  std::uint64_t seed = 0;  // spreads retries
  std::string life{};      // tells the processes that share a join.request_id apart
  bool until_idle = false;  // quit when the server has no work and nothing runs
};

class Agent {
 public:
  explicit Agent(AgentConfig config);

  // Handles one input. Begin with Tick, and call with Tick when next_deadline() has come. `now`
  // must not go backwards.
  Actions resume(Instant now, const Input& input);

  [[nodiscard]] std::optional<Instant> next_deadline() const;
  [[nodiscard]] std::size_t running() const;         // processes
  [[nodiscard]] bool done() const { return done_; }  // Quit was said
  [[nodiscard]] WorkerId worker() const { return joined_ ? joined_->worker : WorkerId{}; }

 private:
  // One of the worker's own calls: at most one in flight.
  struct Lane {
    explicit Lane(std::uint64_t seed) : retry(seed) {}
    CallId call = 0;
    Instant at;  // not before
    Retry retry;
  };

  void handle(Turn& turn, const Tick& input);
  void handle(Turn& turn, const Replied& input);
  void handle(Turn& turn, const TrialSaid& input);
  void handle(Turn& turn, const NotStarted& input);
  void handle(Turn& turn, const Exited& input);
  void handle(Turn& turn, const Drain& input);
  void handle(Turn& turn, const Recovered& input);
  void handle(Turn& turn, const DiskFull& input);
  void handle(Turn& turn, const Outgrown& input);

  void advance(Turn& turn);
  void try_join(Turn& turn);
  void try_acquire(Turn& turn);
  void try_beat(Turn& turn);
  void send(Turn& turn, Lane& lane, Call call);
  void fail(Turn& turn, Lane& lane, const Error& error, const char* what);
  void note_away(Turn& turn, const Error& error);
  void note_back(Turn& turn);
  void took_join(Turn& turn, const Result<CallReply>& reply);
  void took_acquire(Turn& turn, const Result<CallReply>& reply);
  void took_beat(Turn& turn, const Result<CallReply>& reply);
  void took_grant(Turn& turn, const LeaseGrant& grant);
  void forget_over();
  void quit_if_done(Turn& turn);
  Attempt* find(LeaseId lease);
  [[nodiscard]] int free_cpus() const;
  [[nodiscard]] std::vector<int> free_gpus() const;
  [[nodiscard]] std::vector<LeaseId> leases_to_beat() const;
  [[nodiscard]] bool may_acquire() const;

  AgentConfig config_;
  std::optional<JoinReply> joined_;
  std::optional<AcquireRequest> acquiring_;  // kept until it is answered
  std::int64_t acquired_ = 0;                // requests made so far
  Lane join_lane_;
  Lane acquire_lane_;
  Lane beat_lane_;
  bool away_noted_ = false;
  Instant acquire_sent_;
  Instant rest_until_;               // no work is asked for before
  std::optional<Instant> leave_at_;  // draining; then the worker leaves whatever happens
  bool done_ = false;
  std::map<LeaseId, Attempt> attempts_;
  std::vector<std::pair<CallId, LeaseId>> calls_;
  CallId last_call_ = 0;
};

}  // namespace hone::worker
