#include "worker/agent/agent.hpp"

#include <algorithm>

#include "schemas/codec/problem.hpp"

namespace hone::worker {

Agent::Agent(AgentConfig config)
    : config_(std::move(config)),
      join_(config_.seed),
      acquire_(config_.seed + 1),
      replaced_(config_.seed + 3),
      beat_(config_.seed + 2) {}

Actions Agent::resume(Instant now, const Input& input) {
  Actions actions;
  if (done_) return actions;
  Turn turn{now, actions, calls_, last_call_, rest_until_};
  if (config_.ends_in && !ends_at_) ends_at_ = now + *config_.ends_in;
  std::visit([&](const auto& one) { handle(turn, one); }, input);
  forget_over();
  advance(turn);
  return actions;
}

void Agent::handle(Turn& turn, const Tick&) {
  for (auto& [lease, attempt] : attempts_) attempt.tick(turn);
}

void Agent::handle(Turn& turn, const Replied& input) {
  if (input.id == join_.id) return on_join(turn, input.reply);
  if (input.id == acquire_.id) return on_acquire(turn, input.reply);
  if (input.id == replaced_.id) return on_replaced(turn, input.reply);
  if (input.id == beat_.id) return on_beat(turn, input.reply);
  const auto found = std::find_if(calls_.begin(), calls_.end(),
                                  [&](const auto& call) { return call.first == input.id; });
  if (found == calls_.end()) return;
  const LeaseId lease = found->second;
  calls_.erase(found);
  if (!input.reply && is_retryable(input.reply.error().code))
    note_unreachable(turn, input.reply.error());
  else if (input.reply)
    note_reachable(turn);
  if (Attempt* attempt = find(lease)) attempt->replied(turn, input.id, input.reply);
}

void Agent::handle(Turn& turn, const LineReceived& input) {
  if (Attempt* attempt = find(input.lease)) attempt->line_received(turn, input);
}

void Agent::handle(Turn& turn, const NotStarted& input) {
  if (Attempt* attempt = find(input.lease)) attempt->not_started(turn, input);
}

void Agent::handle(Turn& turn, const Exited& input) {
  if (Attempt* attempt = find(input.lease)) attempt->exited(turn, input);
}

void Agent::handle(Turn& turn, const Drain& input) {
  const bool hurry = input.at_once || attempts_.empty();
  const Duration patience = hurry ? limits::hurry : limits::term_grace + limits::last_calls;
  quit_at_ = turn.now + patience;
  for (auto& [lease, attempt] : attempts_) attempt.drain(turn, input.at_once);
}

void Agent::handle(Turn& turn, const Leave& input) { leave(turn, input.why); }

void Agent::leave(Turn& turn, const std::string& why) {
  if (leaving_ || quit_at_) return;
  leaving_ = true;
  turn.actions.emplace_back(
      Note{NoteLevel::info, why + ": requesting no further run, returning each after its next "
                                  "report"});
  for (auto& [lease, attempt] : attempts_) attempt.leave();
}

void Agent::handle(Turn& turn, const Recovered& input) {
  const auto seed = config_.seed ^ (static_cast<std::uint64_t>(input.grant.lease.value) << 20U);
  attempts_.emplace(input.grant.lease, Attempt(input.grant, {}, seed))
      .first->second.recover(turn, input);
}

void Agent::handle(Turn& turn, const LimitExceeded& input) {
  if (Attempt* attempt = find(input.lease)) attempt->exceeded(turn, input);
}

void Agent::handle(Turn& turn, const DiskFull& input) {
  if (turn.now < rest_until_) return;  // noted before
  rest_until_ = turn.now + limits::rest;
  turn.actions.emplace_back(
      Note{NoteLevel::error, "disk_full: " + input.detail + "; requesting no work for 30 s"});
}

std::optional<Instant> Agent::next_deadline() const {
  if (done_) return std::nullopt;
  std::optional<Instant> next = quit_at_;
  const auto sooner = [&](std::optional<Instant> at) {
    if (at) next = next ? std::min(*next, *at) : *at;
  };
  if (!joined_ && join_.id == 0) sooner(join_.at);
  if (may_acquire()) sooner(ending() ? acquire_.at : std::max(acquire_.at, rest_until_));
  if (may_replace()) sooner(std::max(acquire_.sent + limits::replace_pause, rest_until_));
  if (joined_ && replaced_.request && replaced_.id == 0) sooner(replaced_.at);
  if (joined_ && beat_.id == 0 && !leases_to_beat().empty()) sooner(beat_.at);
  for (const auto& [lease, attempt] : attempts_) sooner(attempt.next_deadline());
  if (ends_at_ && !quit_at_)
    sooner(leaving_ ? *ends_at_ - limits::last_minute : *ends_at_ - config_.drain);
  if (idle_since_ && !quit_at_) sooner(*idle_since_ + *config_.idle);
  return next;
}

std::size_t Agent::running() const {
  return static_cast<std::size_t>(
      std::count_if(attempts_.begin(), attempts_.end(),
                    [](const auto& one) { return one.second.holds_slots(); }));
}

// Join, acquire, heartbeat ------------------------------------------------------------------------

void Agent::advance(Turn& turn) {
  check_end(turn);
  check_idle(turn);
  try_join(turn);
  try_replaced(turn);
  try_acquire(turn);
  try_beat(turn);
  quit_if_done(turn);
}

void Agent::check_end(Turn& turn) {
  if (quit_at_ || done_) return;
  if (ends_at_ && turn.now >= *ends_at_ - config_.drain)
    leave(turn, "the end of this worker is near");
  if (leaving_ && attempts_.empty())
    quit_at_ = turn.now + limits::hurry;
  else if (ends_at_ && turn.now >= *ends_at_ - limits::last_minute)
    handle(turn, Drain{});
}

void Agent::check_idle(Turn& turn) {
  if (!config_.idle || quit_at_ || done_) return;
  if (!joined_ || !attempts_.empty()) return idle_since_.reset();
  if (!idle_since_) idle_since_ = turn.now;
  if (turn.now - *idle_since_ >= *config_.idle) quit_at_ = turn.now + limits::hurry;
}

void Agent::try_join(Turn& turn) {
  if (joined_ || join_.id != 0 || turn.now < join_.at || done_) return;
  if (quit_at_ && attempts_.empty()) return;
  send(turn, join_, config_.join);
}

// Sends a request for work, the failed one again, or one that replaces the request in flight. A
// repeated request keeps its id and carries the offer of now: nothing, when the worker leaves.
void Agent::try_acquire(Turn& turn) {
  if (turn.now < rest_until_ && !ending()) return;
  if (may_replace() && (ending() || acquire_.sent + limits::replace_pause <= turn.now)) {
    std::swap(acquire_, replaced_);
    acquire_.at = turn.now;
  }
  if (!may_acquire() || turn.now < acquire_.at) return;
  acquire_.request = next_request(turn.now);
  acquire_.sent = turn.now;
  send(turn, acquire_, *acquire_.request);
}

AcquireRequest Agent::next_request(Instant now) {
  const Duration wait = ending()             ? Duration{}
                        : config_.until_idle ? limits::idle_wait
                                             : limits::acquire_wait;
  const FreeSlots free = offer();
  auto id = acquire_.request
                ? acquire_.request->request_id
                : config_.join.request_id + config_.life + "-" + std::to_string(++acquired_);
  AcquireRequest request{std::move(id), joined_->worker, free.cpus, free.gpus,
                         wait,          joined_->epoch};
  request.steps = true;
  request.gpu_free = free.gpu_free;
  if (ends_at_) {
    const Duration drain = std::max(config_.drain, limits::last_minute);
    request.time_left = std::max(*ends_at_ - drain - now, Duration{});
    request.wait = std::min(request.wait, *request.time_left);
  }
  return request;
}

// The reply to the replaced request was lost. It may have been a grant, so it is repeated until
// there is an answer, without a wait; by a worker that leaves, without an offer.
void Agent::try_replaced(Turn& turn) {
  if (!joined_ || !replaced_.request || replaced_.id != 0 || turn.now < replaced_.at) return;
  replaced_.request->wait = {};
  if (ending()) replaced_.request->cpus = 0;
  send(turn, replaced_, *replaced_.request);
}

void Agent::try_beat(Turn& turn) {
  if (!joined_ || beat_.id != 0 || turn.now < beat_.at) return;
  auto leases = leases_to_beat();
  if (leases.empty()) return;
  beat_.at = turn.now + joined_->heartbeat;
  send(turn, beat_, BeatCall{joined_->worker, {std::move(leases), joined_->epoch}});
}

void Agent::send(Turn& turn, OwnCall& own, Call call) {
  own.id = ++turn.last_call;
  turn.actions.emplace_back(Send{own.id, std::move(call)});
}

// The server cannot be reached, does not know this worker (any more), or rejects the call.
void Agent::fail(Turn& turn, OwnCall& own, const Error& error, const char* what) {
  own.at = turn.now + own.retry.next();
  const bool is_unknown = error.code == Code::not_found || error.code == Code::stale_epoch;
  if (is_unknown && joined_ && &own != &join_) {
    turn.actions.emplace_back(
        Note{NoteLevel::warning, "the server does not know this worker; joining again"});
    joined_.reset();
    acquire_.request.reset();
    replaced_.request.reset();
    return;
  }
  if (is_retryable(error.code))
    note_unreachable(turn, error);
  else
    turn.actions.emplace_back(
        Note{NoteLevel::error, std::string(what) + " was rejected: " + error.detail});
}

// Logged once, whichever call fails first; not where only a request for work is withdrawn.
void Agent::note_unreachable(Turn& turn, const Error& error) {
  if (unreachable_noted_) return;
  unreachable_noted_ = true;
  if (ending() && attempts_.empty()) return;
  turn.actions.emplace_back(
      Note{NoteLevel::warning, error.detail + " (trying again; runs continue)"});
}

void Agent::note_reachable(Turn& turn) {
  if (!unreachable_noted_) return;
  unreachable_noted_ = false;
  turn.actions.emplace_back(Note{NoteLevel::info, "the server is back"});
}

void Agent::on_join(Turn& turn, const Result<CallReply>& reply) {
  join_.id = 0;
  if (!reply) return fail(turn, join_, reply.error(), "the join request");
  const auto* joined = std::get_if<JoinReply>(&*reply);
  if (joined == nullptr) return;
  join_.retry.reset();
  note_reachable(turn);
  joined_ = *joined;
  acquire_.at = beat_.at = turn.now;
  turn.actions.emplace_back(Joined{*joined});
}

void Agent::on_acquire(Turn& turn, const Result<CallReply>& reply) {
  acquire_.id = 0;
  if (!reply) {
    const bool same_again = is_retryable(reply.error().code);
    fail(turn, acquire_, reply.error(), "the request for work");
    if (!same_again) acquire_.request.reset();
    return;
  }
  acquire_.request.reset();
  acquire_.retry.reset();
  note_reachable(turn);
  const auto* grant = std::get_if<std::optional<LeaseGrant>>(&*reply);
  if (grant == nullptr) return;
  if (*grant) return on_grant(turn, **grant);
  acquire_.at = acquire_.sent + limits::acquire_pause;
  if (config_.until_idle && attempts_.empty() && !replaced_.request) quit_at_ = turn.now;
}

void Agent::on_replaced(Turn& turn, const Result<CallReply>& reply) {
  replaced_.id = 0;
  if (!reply && is_retryable(reply.error().code))
    return fail(turn, replaced_, reply.error(), "the request for work");
  replaced_.request.reset();
  replaced_.retry.reset();
  if (!reply) return;  // the newer request gets the same answer
  note_reachable(turn);
  const auto* grant = std::get_if<std::optional<LeaseGrant>>(&*reply);
  if (grant != nullptr && *grant) on_grant(turn, **grant);
}

void Agent::on_beat(Turn& turn, const Result<CallReply>& reply) {
  beat_.id = 0;
  if (!reply) {
    fail(turn, beat_, reply.error(), "a heartbeat");
    if (joined_) beat_.at = std::min(beat_.at, turn.now + joined_->heartbeat);
    return;
  }
  beat_.retry.reset();
  note_reachable(turn);
  const auto* beat = std::get_if<BeatReply>(&*reply);
  if (beat == nullptr) return;
  for (const LeaseStanding& standing : beat->leases)
    if (Attempt* attempt = find(standing.lease))
      attempt->ordered(turn, standing.order, standing.stale_epoch);
}

void Agent::on_grant(Turn& turn, const LeaseGrant& grant) {
  if (attempts_.contains(grant.lease)) return;  // the reply to a repeated request
  const auto gpus = gpus_for(grant);
  const bool fits = grant.resources.cpus <= free_cpus() && gpus;
  const auto seed = config_.seed ^ (static_cast<std::uint64_t>(grant.lease.value) << 20U);
  Capabilities capabilities{config_.records_code,
                            joined_ && joined_->epoch != Epoch{},
                            joined_ && joined_->phase_seconds,
                            {}};
  if (ends_at_) capabilities.last = *ends_at_ - limits::last_minute;
  Attempt& attempt = attempts_
                         .emplace(grant.lease, Attempt(grant, gpus.value_or(std::vector<int>{}),
                                                       seed, capabilities))
                         .first->second;
  if (ending() || !fits) return attempt.drain(turn, false);
  attempt.start(turn);
}

void Agent::forget_over() {
  std::erase_if(attempts_, [](const auto& one) { return one.second.over(); });
}

// A request for work without an answer may be a grant, which has to be returned.
void Agent::quit_if_done(Turn& turn) {
  const bool asks = (acquire_.request || replaced_.request) && !unreachable_noted_;
  const bool settled = attempts_.empty() && !asks;
  if (!quit_at_ || done_ || (!settled && turn.now < *quit_at_)) return;
  if (!attempts_.empty())
    turn.actions.emplace_back(
        Note{NoteLevel::warning, "exiting before the server acknowledged the end of " +
                                     std::to_string(attempts_.size()) +
                                     " runs; their leases will expire"});
  done_ = true;
  turn.actions.emplace_back(Quit{});
}

// Slots -------------------------------------------------------------------------------------------

Attempt* Agent::find(LeaseId lease) {
  const auto found = attempts_.find(lease);
  return found == attempts_.end() ? nullptr : &found->second;
}

std::vector<LeaseId> Agent::leases_to_beat() const {
  std::vector<LeaseId> leases;
  for (const auto& [lease, attempt] : attempts_)
    if (attempt.wants_heartbeat()) leases.push_back(lease);
  return leases;
}

// A worker that leaves withdraws its request: it asks for nothing until each has its answer, since
// one may overtake another.
bool Agent::may_acquire() const {
  if (!joined_ || done_ || acquire_.id != 0) return false;
  return ending() ? acquire_.request || replaced_.request : free_cpus() > 0;
}

// The request in flight offers other slots than the worker does now.
bool Agent::may_replace() const {
  if (!joined_ || done_ || acquire_.id == 0 || !acquire_.request) return false;
  if (replaced_.id != 0 || replaced_.request) return false;
  const FreeSlots offered{acquire_.request->cpus, acquire_.request->gpus,
                          acquire_.request->gpu_free};
  return (ending() || free_cpus() > 0) && offer() != offered;
}

}  // namespace hone::worker
