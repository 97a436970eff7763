// The one call of an attempt to the server: sent, and sent again until it is answered.
#pragma once

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "worker/agent/messages.hpp"
#include "worker/agent/retry.hpp"

namespace hone::worker {

// What an attempt may use while it handles one input.
struct Turn {
  Instant now;
  Actions& actions;
  std::vector<std::pair<CallId, LeaseId>>& calls;  // in flight, of all attempts
  CallId& last_call;
  Instant& rest_until;  // no work is requested before: this machine cannot start processes
};

// The calls made under a lease.
using LeaseCall = std::variant<ReportCall, SaveModelCall, MetricsCall, EndCall, StoreBlob,
                               FetchBlob, FetchInputs, FetchCode, KeepFiles, RecordCode>;

class PendingCall {
 public:
  PendingCall(LeaseId lease, std::uint64_t seed) : lease_(lease), retry_(seed) {}

  // Precondition: idle().
  void send(Turn& turn, LeaseCall call);
  // Returns the call if `reply` settles it; nullopt if `id` is another call's, or if this one is to
  // be tried again.
  std::optional<LeaseCall> settle(Instant now, CallId id, const Result<CallReply>& reply);
  // Sends the call again and returns true if its retry is due.
  bool retry(Turn& turn);
  // Ignores the reply, should it still come.
  void abandon() { state_ = Idle{}; }

  [[nodiscard]] bool idle() const { return std::holds_alternative<Idle>(state_); }
  // Whether the server may be about to close the lease: the call is a report or an end.
  [[nodiscard]] bool may_close_lease() const;
  [[nodiscard]] std::optional<Instant> retry_at() const;

 private:
  struct Idle {};
  struct InFlight {
    LeaseCall call;
    CallId id;
  };
  struct Waiting {  // for its retry
    LeaseCall call;
    Instant until;
  };
  // Counts the errors of the server itself: these are retried a few times only.
  [[nodiscard]] bool is_transient(const Error& error);

  LeaseId lease_;
  std::variant<Idle, InFlight, Waiting> state_;
  Retry retry_;
  int internal_errors_ = 0;  // in a row
};

}  // namespace hone::worker
