#include "worker/agent/pending_call.hpp"

#include "schemas/codec/problem.hpp"

namespace hone::worker {

void PendingCall::send(Turn& turn, LeaseCall call) {
  const CallId id = ++turn.last_call;
  turn.calls.emplace_back(id, lease_);
  turn.actions.emplace_back(Send{id, std::visit([](const auto& one) { return Call{one}; }, call)});
  state_ = InFlight{std::move(call), id};
}

std::optional<LeaseCall> PendingCall::settle(Instant now, CallId id,
                                             const Result<CallReply>& reply) {
  auto* sent = std::get_if<InFlight>(&state_);
  if (sent == nullptr || sent->id != id) return std::nullopt;
  LeaseCall call = std::move(sent->call);
  if (!reply && is_transient(reply.error())) {
    state_ = Waiting{std::move(call), now + retry_.next()};
    return std::nullopt;
  }
  retry_.reset();
  internal_errors_ = 0;
  state_ = Idle{};
  return call;
}

bool PendingCall::retry(Turn& turn) {
  auto* waiting = std::get_if<Waiting>(&state_);
  if (waiting == nullptr || waiting->until > turn.now) return false;
  send(turn, LeaseCall(std::move(waiting->call)));
  return true;
}

bool PendingCall::may_close_lease() const {
  const auto closes = [](const LeaseCall& call) {
    return std::holds_alternative<ReportCall>(call) || std::holds_alternative<EndCall>(call);
  };
  if (const auto* sent = std::get_if<InFlight>(&state_)) return closes(sent->call);
  const auto* waiting = std::get_if<Waiting>(&state_);
  return waiting != nullptr && closes(waiting->call);
}

std::optional<Instant> PendingCall::retry_at() const {
  const auto* waiting = std::get_if<Waiting>(&state_);
  return waiting != nullptr ? std::optional(waiting->until) : std::nullopt;
}

bool PendingCall::is_transient(const Error& error) {
  if (error.code == Code::internal) return ++internal_errors_ < limits::internal_errors_max;
  return is_retryable(error.code);
}

}  // namespace hone::worker
