#include "worker/agent/agent.hpp"

#include <algorithm>

#include "schemas/codec/problem.hpp"

namespace hone::worker {

Agent::Agent(AgentConfig config)
    : config_(std::move(config)),
      join_lane_(config_.seed),
      acquire_lane_(config_.seed + 1),
      beat_lane_(config_.seed + 2) {}

Actions Agent::resume(Instant now, const Input& input) {
  Actions actions;
  if (done_) return actions;
  Turn turn{now, actions, calls_, last_call_, rest_until_};
  std::visit([&](const auto& one) { handle(turn, one); }, input);
  forget_over();
  advance(turn);
  return actions;
}

void Agent::handle(Turn& turn, const Tick&) {
  for (auto& [lease, attempt] : attempts_) attempt.tick(turn);
}

void Agent::handle(Turn& turn, const Replied& input) {
  if (input.id == join_lane_.call) return took_join(turn, input.reply);
  if (input.id == acquire_lane_.call) return took_acquire(turn, input.reply);
  if (input.id == beat_lane_.call) return took_beat(turn, input.reply);
  const auto found = std::find_if(calls_.begin(), calls_.end(),
                                  [&](const auto& call) { return call.first == input.id; });
  if (found == calls_.end()) return;
  const LeaseId lease = found->second;
  calls_.erase(found);
  if (!input.reply && is_retryable(input.reply.error().code))
    note_away(turn, input.reply.error());
  else if (input.reply)
    note_back(turn);
  if (Attempt* attempt = find(lease)) attempt->replied(turn, input.id, input.reply);
}

void Agent::handle(Turn& turn, const TrialSaid& input) {
  if (Attempt* attempt = find(input.lease)) attempt->said(turn, input);
}

void Agent::handle(Turn& turn, const NotStarted& input) {
  if (Attempt* attempt = find(input.lease)) attempt->not_started(turn, input);
}

void Agent::handle(Turn& turn, const Exited& input) {
  if (Attempt* attempt = find(input.lease)) attempt->exited(turn, input);
}

void Agent::handle(Turn& turn, const Drain& input) {
  const Duration patience = input.at_once ? limits::hurry : limits::term_grace + limits::last_calls;
  leave_at_ = turn.now + patience;
  for (auto& [lease, attempt] : attempts_) attempt.drain(turn, input.at_once);
}

void Agent::handle(Turn& turn, const Recovered& input) {
  const auto seed = config_.seed ^ (static_cast<std::uint64_t>(input.grant.lease.value) << 20U);
  attempts_.emplace(input.grant.lease, Attempt(input.grant, {}, seed))
      .first->second.recover(turn, input);
}

void Agent::handle(Turn& turn, const Outgrown& input) {
  if (Attempt* attempt = find(input.lease)) attempt->outgrown(turn, input);
}

void Agent::handle(Turn& turn, const DiskFull& input) {
  if (turn.now < rest_until_) return;  // said, and resting
  rest_until_ = turn.now + limits::rest;
  turn.actions.emplace_back(Note{
      NoteLevel::error, "disk_full: " + input.detail + "; no new runs are asked for for 30 s"});
}

std::optional<Instant> Agent::next_deadline() const {
  if (done_) return std::nullopt;
  std::optional<Instant> next = leave_at_;
  const auto sooner = [&](std::optional<Instant> at) {
    if (at) next = next ? std::min(*next, *at) : *at;
  };
  if (!joined_ && join_lane_.call == 0) sooner(join_lane_.at);
  if (may_acquire()) sooner(std::max(acquire_lane_.at, rest_until_));
  if (joined_ && beat_lane_.call == 0 && !leases_to_beat().empty()) sooner(beat_lane_.at);
  for (const auto& [lease, attempt] : attempts_) sooner(attempt.next_deadline());
  return next;
}

std::size_t Agent::running() const {
  return static_cast<std::size_t>(
      std::count_if(attempts_.begin(), attempts_.end(),
                    [](const auto& one) { return one.second.holds_slots(); }));
}

// The worker's own calls --------------------------------------------------------------------------

void Agent::advance(Turn& turn) {
  try_join(turn);
  try_acquire(turn);
  try_beat(turn);
  quit_if_done(turn);
}

void Agent::try_join(Turn& turn) {
  if (joined_ || join_lane_.call != 0 || turn.now < join_lane_.at || done_) return;
  if (leave_at_ && attempts_.empty()) return;
  send(turn, join_lane_, config_.join);
}

void Agent::try_acquire(Turn& turn) {
  if (!may_acquire() || turn.now < std::max(acquire_lane_.at, rest_until_)) return;
  if (!acquiring_) {
    const Duration wait = config_.until_idle ? limits::idle_wait : limits::acquire_wait;
    acquiring_ =
        AcquireRequest{config_.join.request_id + config_.life + "-" + std::to_string(++acquired_),
                       joined_->worker, free_cpus(), static_cast<int>(free_gpus().size()), wait};
  }
  acquire_sent_ = turn.now;
  send(turn, acquire_lane_, *acquiring_);
}

void Agent::try_beat(Turn& turn) {
  if (!joined_ || beat_lane_.call != 0 || turn.now < beat_lane_.at) return;
  auto leases = leases_to_beat();
  if (leases.empty()) return;
  beat_lane_.at = turn.now + joined_->heartbeat;
  send(turn, beat_lane_, BeatCall{joined_->worker, {std::move(leases)}});
}

void Agent::send(Turn& turn, Lane& lane, Call call) {
  lane.call = ++turn.last_call;
  turn.actions.emplace_back(Send{lane.call, std::move(call)});
}

// The server is away, or does not know this worker (any more), or says no.
void Agent::fail(Turn& turn, Lane& lane, const Error& error, const char* what) {
  lane.at = turn.now + lane.retry.next();
  if (error.code == Code::not_found && joined_ && &lane != &join_lane_) {
    turn.actions.emplace_back(
        Note{NoteLevel::warning, "the server does not know this worker: joining again"});
    joined_.reset();
    acquiring_.reset();
    return;
  }
  if (is_retryable(error.code))
    note_away(turn, error);
  else
    turn.actions.emplace_back(
        Note{NoteLevel::error, std::string(what) + " was refused: " + error.detail});
}

// People are told once, whichever call found out.
void Agent::note_away(Turn& turn, const Error& error) {
  if (away_noted_) return;
  away_noted_ = true;
  turn.actions.emplace_back(Note{NoteLevel::warning, error.detail + " (trying again; runs go on)"});
}

void Agent::note_back(Turn& turn) {
  if (!away_noted_) return;
  away_noted_ = false;
  turn.actions.emplace_back(Note{NoteLevel::info, "the server is back"});
}

void Agent::took_join(Turn& turn, const Result<CallReply>& reply) {
  join_lane_.call = 0;
  if (!reply) return fail(turn, join_lane_, reply.error(), "joining");
  const auto* joined = std::get_if<JoinReply>(&*reply);
  if (joined == nullptr) return;
  join_lane_.retry.reset();
  note_back(turn);
  joined_ = *joined;
  acquire_lane_.at = beat_lane_.at = turn.now;
  turn.actions.emplace_back(Joined{*joined});
}

void Agent::took_acquire(Turn& turn, const Result<CallReply>& reply) {
  acquire_lane_.call = 0;
  if (!reply) {
    const bool same_again = is_retryable(reply.error().code);
    fail(turn, acquire_lane_, reply.error(), "asking for work");
    if (!same_again) acquiring_.reset();
    return;
  }
  acquiring_.reset();
  acquire_lane_.retry.reset();
  note_back(turn);
  const auto* grant = std::get_if<std::optional<LeaseGrant>>(&*reply);
  if (grant == nullptr) return;
  if (*grant) return took_grant(turn, **grant);
  acquire_lane_.at = acquire_sent_ + limits::acquire_pause;
  if (config_.until_idle && attempts_.empty()) leave_at_ = turn.now;
}

void Agent::took_beat(Turn& turn, const Result<CallReply>& reply) {
  beat_lane_.call = 0;
  if (!reply) {
    fail(turn, beat_lane_, reply.error(), "a heartbeat");
    if (joined_) beat_lane_.at = std::min(beat_lane_.at, turn.now + joined_->heartbeat);
    return;
  }
  beat_lane_.retry.reset();
  note_back(turn);
  const auto* beat = std::get_if<BeatReply>(&*reply);
  if (beat == nullptr) return;
  for (const LeaseStanding& standing : beat->leases)
    if (Attempt* attempt = find(standing.lease)) attempt->ordered(turn, standing.order);
}

void Agent::took_grant(Turn& turn, const LeaseGrant& grant) {
  if (attempts_.contains(grant.lease)) return;  // the answer to a repeated request
  auto gpus = free_gpus();
  const bool fits =
      grant.resources.cpus <= free_cpus() && grant.resources.gpus <= static_cast<int>(gpus.size());
  gpus.resize(std::min(gpus.size(), static_cast<std::size_t>(grant.resources.gpus)));
  const auto seed = config_.seed ^ (static_cast<std::uint64_t>(grant.lease.value) << 20U);
  Attempt& attempt =
      attempts_.emplace(grant.lease, Attempt(grant, std::move(gpus), seed)).first->second;
  if (leave_at_ || !fits) return attempt.drain(turn, false);
  attempt.start(turn);
}

void Agent::forget_over() {
  std::erase_if(attempts_, [](const auto& one) { return one.second.over(); });
}

void Agent::quit_if_done(Turn& turn) {
  if (!leave_at_ || done_ || (!attempts_.empty() && turn.now < *leave_at_)) return;
  if (!attempts_.empty())
    turn.actions.emplace_back(
        Note{NoteLevel::warning, "leaving without the server's word on " +
                                     std::to_string(attempts_.size()) +
                                     " runs; their leases expire by themselves"});
  done_ = true;
  turn.actions.emplace_back(Quit{});
}

// Slots -------------------------------------------------------------------------------------------

Attempt* Agent::find(LeaseId lease) {
  const auto found = attempts_.find(lease);
  return found == attempts_.end() ? nullptr : &found->second;
}

int Agent::free_cpus() const {
  int free = config_.join.cpus;
  for (const auto& [lease, attempt] : attempts_)
    if (attempt.holds_slots()) free -= attempt.grant().resources.cpus;
  return free;
}

std::vector<int> Agent::free_gpus() const {
  std::vector<bool> taken(static_cast<std::size_t>(config_.join.gpus), false);
  for (const auto& [lease, attempt] : attempts_)
    if (attempt.holds_slots())
      for (const int gpu : attempt.gpus()) taken[static_cast<std::size_t>(gpu)] = true;
  std::vector<int> free;
  for (std::size_t gpu = 0; gpu < taken.size(); ++gpu)
    if (!taken[gpu]) free.push_back(static_cast<int>(gpu));
  return free;
}

std::vector<LeaseId> Agent::leases_to_beat() const {
  std::vector<LeaseId> leases;
  for (const auto& [lease, attempt] : attempts_)
    if (attempt.wants_beat()) leases.push_back(lease);
  return leases;
}

bool Agent::may_acquire() const {
  return joined_ && !leave_at_ && !done_ && acquire_lane_.call == 0 && free_cpus() > 0;
}

}  // namespace hone::worker
