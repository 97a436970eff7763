// The rules of leases: which worker gets a run, for how long, and what happens when a lease
// expires.
#include <algorithm>
#include <utility>

#include "base/expect.hpp"
#include "server/sweep/forks/forks.hpp"
#include "server/sweep/forks/rule_forks.hpp"
#include "server/sweep/lease/places.hpp"
#include "server/sweep/state/rules.hpp"
#include "server/sweep/verdict/finish.hpp"

namespace hone {

Error stale(const Book& book, LeaseId lease) {
  if (lease_index(book, lease))
    return refuse(Code::stale_lease, "lease " + text(lease) +
                                         " is over: stop this process, its run belongs to others");
  return refuse(Code::stale_epoch, "this ledger never granted lease " + text(lease) +
                                       ": it is of another server, or of a time that was lost when "
                                       "a backup was restored. Stop this process and join again");
}

Status check_epoch(Epoch named, Epoch ours, const std::string& id) {
  if (!named || named == ours) return Done{};
  return refuse(Code::stale_epoch,
                id + " is another one in this ledger: the caller knows it of a "
                     "time that was lost when a backup was restored",
                "/epoch");
}

namespace {

// Whether a worker that drains soon can end a phase of the sweep. Unknown is yes: the first phase
// shows it.
bool fits_time(const Sweep& sweep, const AcquireRequest& offer) {
  if (!offer.time_left) return true;
  const auto phase = usual_phase_time(sweep);
  return !phase || *phase <= *offer.time_left;
}

// Whether the worker may get runs of the sweep, apart from what they need.
bool may_take(const Sweep& sweep, const AcquireRequest& offer) {
  const bool knows = offer.steps || !std::holds_alternative<PipelineTrainer>(sweep.spec.trainer);
  return knows && fits_time(sweep, offer);
}

struct NextParams {
  Params params;
  std::optional<ProposalCost> cost{};
};

// The next trial's parameters: the first enqueued set, completed from its origin or the prior, else
// a proposal of the sampler. nullopt if the sampler has nothing to propose now.
std::optional<NextParams> next_params(const Book& book, const Sweep& sweep) {
  const auto number = static_cast<std::int64_t>(sweep.trials.size());
  const Draw draw{sweep.spec.seed, number, sweep.spec.budget.phases};
  if (!sweep.enqueued.empty() && sweep.enqueued.front().origin)
    return NextParams{
        forked_params(book, sweep, *sweep.enqueued.front().origin, sweep.enqueued.front().params)};
  if (!sweep.enqueued.empty())
    return NextParams{completed(sweep.space, sweep.enqueued.front().params, draw.rng())};
  const auto point = sweep.sampler->propose(sweep.space, sweep.history, draw);
  if (!point) return std::nullopt;
  return NextParams{sweep.space.params_at(*point),
                    sweep.sampler->cost_of(sweep.space, sweep.history, draw, *point)};
}

std::optional<LeaseCandidate> propose(const Book& book, const Sweep& sweep,
                                      const std::optional<Donor>& donor) {
  if (auto fork = donor ? propose_fork(book, sweep, *donor) : std::nullopt) return fork;
  auto proposal = next_params(book, sweep);
  if (!proposal) return std::nullopt;
  const TrialId trial{book.last_trial + 1};
  Events events{TrialProposed{trial, sweep.id, static_cast<std::int64_t>(sweep.trials.size()),
                              std::move(proposal->params)}};
  std::get<TrialProposed>(events.front()).cost = proposal->cost;
  std::optional<ModelId> start;
  if (!sweep.enqueued.empty()) {
    const Enqueued& next = sweep.enqueued.front();
    auto& proposed = std::get<TrialProposed>(events.front());
    proposed.from = next.from;
    proposed.origin = next.origin;
    proposed.schedule = next.schedule;
    proposed.creator = next.creator;
    if (next.origin) start = next.origin->model;
  }
  return LeaseCandidate{{trial, 0}, 0, start, std::move(events)};
}

LeaseCandidate resume(const Book& book, RunId id) {
  const Run& run = *find_run(book, id);
  return {id, run.attempts, checkpoint_to_resume(book, run), {}, run.step};
}

LeaseCandidate replicate(const Book& book, const Sweep& sweep, std::size_t index) {
  const TrialId trial = sweep.trials.at(index - sweep.history.foreign());
  const RunId run{trial, static_cast<std::int32_t>(find_trial(book, trial)->runs.size())};
  return {run, 0, std::nullopt, {RunAdded{run}}};
}

// Restores the given values exactly: in the conversion to a point, 0.001 becomes
// 0.0010000000000000002.
void restore_given(const Params& given, Params& params) {
  for (const Param& own : given)
    for (Param& param : params)
      if (param.name == own.name && param.value.index() == own.value.index())
        param.value = own.value;
}

}  // namespace

Params completed(const SearchSpace& space, const Params& given, Rng rng) {
  Params last;
  for (int tries = 0; tries < 100; ++tries) {
    Point point = random_point(space, rng);
    space.place(given, point);
    last = space.params_at(point);
    restore_given(given, last);
    if (space.feasible(last)) return last;
  }
  return last;
}

namespace {

bool nothing_to_wait_for(const Sweep& sweep) {
  return sweep.live_leases == 0 && sweep.queue.empty() && sweep.resting.empty();
}

// What a sweep does next for a free worker.
struct Choice {
  enum class Kind : std::uint8_t { resume, propose, replicate };
  Kind kind = Kind::propose;
  RunId run{};                   // resume
  std::size_t index = 0;         // replicate: of the trial in the history
  std::vector<int> devices{};    // that it gets, where they are known
  std::optional<Donor> donor{};  // propose: the run that the new trial continues, if it can
};

// What follows once no run of the queue can be leased.
std::optional<Choice> choose_beyond_queue(const Sweep& sweep) {
  constexpr Choice propose{Choice::Kind::propose};
  const bool left = proposals_left(sweep) > 0;
  if (left && !sweep.enqueued.empty()) return propose;
  const NextAction action = sweep.terminator->next(sweep.history, left);
  switch (action.kind) {
    case NextAction::Kind::propose:
      if (left) return Choice{.kind = Choice::Kind::propose, .donor = action.donor};
      break;
    case NextAction::Kind::promote:
      return Choice{Choice::Kind::resume, sweep.runs.at(action.index)};
    case NextAction::Kind::replicate:
      return Choice{Choice::Kind::replicate, {}, action.index};
    case NextAction::Kind::wait:
      if (left && nothing_to_wait_for(sweep)) return propose;
      break;
  }
  if (left || !nothing_to_wait_for(sweep)) return std::nullopt;
  const auto last = run_to_finish(sweep, sweep.history);
  return last ? std::optional(Choice{Choice::Kind::resume, *last}) : std::nullopt;
}

ResourcesSpec needs_of(const Book& book, const Sweep& sweep, const Choice& choice) {
  return choice.kind == Choice::Kind::resume ? needs_of(sweep.spec, *find_run(book, choice.run))
                                             : resources_of(sweep.spec, 0);
}

// Whether the run is to continue with slots that are not among these.
bool waits_for_others(const Run& run, WorkerId worker, const std::optional<Capacity>& capacity) {
  if (!run.keep || !worker) return false;
  return run.keep->worker != worker || (capacity && capacity->free.counted.cpus < run.keep->cpus);
}

std::optional<Choice> choose_run(const Book& book, const Sweep& sweep, WorkerId worker,
                                 const std::optional<Capacity>& capacity) {
  if (!may_have_work(sweep)) return std::nullopt;
  Places places(sweep, capacity);
  bool waits_for_slots = false;
  for (const RunId id : sweep.queue) {
    const Run& run = *find_run(book, id);
    if (run.avoid == worker || waits_for_others(run, worker, capacity) ||
        waits_to_be_alone(book, run, worker))
      continue;
    const ResourcesSpec needs = needs_of(sweep.spec, run);
    if (places.fits_now(needs)) return Choice{Choice::Kind::resume, id, 0, places.gpus_for(needs)};
    if (!capacity || !places.fits_later(needs)) continue;
    if (run.step > 0) waits_for_slots = true;
    if (run.alone) places.keep_gpus(needs);
  }
  if (waits_for_slots || sweep.state != SweepState::running) return std::nullopt;
  const auto next = choose_beyond_queue(sweep);
  if (!next) return std::nullopt;
  const ResourcesSpec needs = needs_of(book, sweep, *next);
  if (places.fits_now(needs))
    return Choice{next->kind, next->run, next->index, places.gpus_for(needs), next->donor};
  // It waits for another worker, as one of the queue would.
  const bool later = next->kind == Choice::Kind::resume && find_run(book, next->run)->step > 0;
  const ResourcesSpec first = resources_of(sweep.spec, 0);
  if (later && !places.fits_later(needs) && proposals_left(sweep) > 0 && places.fits_now(first))
    return Choice{Choice::Kind::propose, {}, 0, places.gpus_for(first)};
  return std::nullopt;
}

std::optional<KeptFree> kept_free(const Book& book, const Sweep& sweep, WorkerId worker,
                                  const Choice& choice) {
  const bool resumes = choice.kind == Choice::Kind::resume;
  return kept_free(book, sweep, worker, resumes ? find_run(book, choice.run)->step : 0);
}

// The same, but nothing where the runs that are on the worker are faster together without it.
std::optional<Choice> choose(const Book& book, const Sweep& sweep, WorkerId worker,
                             const std::optional<Capacity>& capacity) {
  auto choice = choose_run(book, sweep, worker, capacity);
  if (choice && capacity && worker && kept_free(book, sweep, worker, *choice)) return std::nullopt;
  return choice;
}

std::optional<LeaseCandidate> candidate_of(const Book& book, const Sweep& sweep,
                                           const Choice& choice) {
  switch (choice.kind) {
    case Choice::Kind::resume:
      return resume(book, choice.run);
    case Choice::Kind::propose:
      return propose(book, sweep, choice.donor);
    case Choice::Kind::replicate:
      return replicate(book, sweep, choice.index);
  }
  unreachable();
}

}  // namespace

std::optional<LeaseCandidate> find_lease_candidate(const Book& book, const Sweep& sweep,
                                                   WorkerId worker,
                                                   const std::optional<Capacity>& capacity) {
  const auto choice = choose(book, sweep, worker, capacity);
  if (!choice) return std::nullopt;
  auto candidate = candidate_of(book, sweep, *choice);
  if (candidate) candidate->devices = choice->devices;
  return candidate;
}

bool has_lease_candidate(const Book& book, const Sweep& sweep, WorkerId worker,
                         const Capacity& capacity) {
  const auto choice = choose(book, sweep, worker, capacity);
  if (!choice) return false;
  return (choice->donor && fork_origin(book, sweep, *choice->donor)) ||
         candidate_of(book, sweep, *choice);
}

bool gives_run(const Book& book, const Sweep& sweep, WorkerId worker,
               const std::optional<Capacity>& capacity) {
  if (std::holds_alternative<AskTrainer>(sweep.spec.trainer)) return false;
  const auto choice = choose(book, sweep, worker, capacity);
  if (!choice) return false;
  return choice->kind != Choice::Kind::propose || !sweep.enqueued.empty() ||
         sweep.sampler->proposes();
}

std::optional<ResourcesSpec> next_needs(const Book& book, const Sweep& sweep, WorkerId worker,
                                        const Capacity& capacity) {
  const auto choice = choose(book, sweep, worker, capacity);
  return choice ? std::optional(needs_of(book, sweep, *choice)) : std::nullopt;
}

namespace {

// The sweeps that have a run for the worker, in the order in which they get slots.
std::vector<Candidate> candidates_for(const Book& book, const AcquireRequest& request,
                                      Instant now) {
  const Room free = free_room(book.workers.at(request.worker), request);
  auto reserved = reserved_for(book, book.workers.at(request.worker), now);
  if (reserved && !may_take(book.sweeps.at(*reserved), request)) reserved.reset();
  const auto may = [&](const Sweep& sweep) {
    return (!reserved || sweep.id == *reserved) && may_have_work(sweep) &&
           fits_a_step(sweep.spec, free) && may_take(sweep, request);
  };
  return in_turn(book, may, now);
}

// Records that a worker is alive while its long polls cause no other events.
Events sign_of_life(const Book& book, WorkerId worker, Instant now) {
  constexpr Duration period = seconds(300);
  const WorkerState& state = book.workers.at(worker);
  if (now - state.seen_at < period) return {};
  return {WorkerSeen{worker, state.kept_free}};
}

// Records for whose runs the worker keeps a slot free, when that changes. Of several sweeps it
// names the one that is recorded, so that their turns cause no events.
void record_kept_free(const Book& book, const WorkerState& worker, const Capacity& capacity,
                      const std::vector<Candidate>& order, Events& events) {
  const auto sweep_in = [](const auto& slot) { return slot ? slot->sweep : SweepId{}; };
  std::optional<KeptFree> kept;
  for (const Candidate& one : order) {
    const Sweep& sweep = *one.sweep;
    if (kept && sweep.id != sweep_in(worker.kept_free)) continue;
    bool may = false;  // asked first: a rule may take long to choose
    for (int step = 0; step < steps_of(sweep.spec) && !may; ++step)
      may = kept_free(book, sweep, worker.id, step).has_value();
    const auto choice = may ? choose_run(book, sweep, worker.id, capacity) : std::nullopt;
    if (!choice) continue;
    if (auto slot = kept_free(book, sweep, worker.id, *choice)) kept = slot;
  }
  if (sweep_in(kept) == sweep_in(worker.kept_free)) return;
  std::erase_if(events,
                [](const EventBody& event) { return std::holds_alternative<WorkerSeen>(event); });
  events.emplace_back(WorkerSeen{worker.id, kept});
}

}  // namespace

Result<Events> decide_acquire(const Book& book, const Acquire& command, Instant now) {
  const AcquireRequest& request = command.request;
  if (!book.workers.contains(request.worker))
    return refuse(Code::not_found, "no worker " + text(request.worker) + ": join first", "/worker");
  const WorkerState& worker = book.workers.at(request.worker);
  if (auto ours = check_epoch(request.epoch, worker.epoch, text(worker.id)); !ours)
    return ours.error();
  if (auto same = check_offer(worker, request); !same) return same.error();
  if (book.leases_by_request.contains(request.request_id)) return Events{};
  Events events = sign_of_life(book, request.worker, now);
  // If the other workers have left since it was quarantined, it is the last one and is re-enabled.
  const bool aside = worker.aside_until.has_value();
  if (aside && others_there(book, request.worker, now)) return events;
  if (aside) events.emplace_back(WorkerAllowed{request.worker, false});
  if (tries_alone(book, worker)) return events;
  const Capacity capacity{free_room(worker, request), whole(worker)};
  const std::vector<Candidate> order = candidates_for(book, request, now);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Sweep& sweep = *order[i].sweep;
    auto candidate = find_lease_candidate(book, sweep, request.worker, capacity);
    if (!candidate && empties_for(book, sweep, worker, now)) return events;
    if (!candidate) continue;
    if (!aside) events.clear();  // the grant shows that the worker is alive
    auto width = width_of(book, sweep, *candidate, request.worker, capacity.free);
    const int cpus = width ? width->cpus : resources_of(sweep.spec, candidate->step).cpus;
    const auto neighbours = neighbours_of(book, sweep, request.worker, candidate->step, cpus);
    for (EventBody& event : candidate->events) events.push_back(std::move(event));
    const LeaseId lease{book.last_lease.value + 1};
    events.emplace_back(LeaseGranted{lease, AttemptId{candidate->run, candidate->attempts + 1},
                                     request.worker, request.request_id, candidate->resume,
                                     now + book.lease_length, candidate->step, turn_of(order, i),
                                     std::move(candidate->devices), width, neighbours});
    close_unpromotable(sweep, book, candidate->run, events);
    return events;
  }
  record_kept_free(book, worker, capacity, order, events);
  return events;
}

Result<Events> decide_beat(const Book& book, const Beat& command, Instant now) {
  if (!book.workers.contains(command.worker))
    return refuse(Code::not_found, "no worker " + text(command.worker) + ": join first");
  const Epoch joined = book.workers.at(command.worker).epoch;
  if (auto ours = check_epoch(command.request.epoch, joined, text(command.worker)); !ours)
    return ours.error();
  Events events;
  const Instant expires_at = now + book.lease_length;
  std::set<LeaseId> seen;  // a worker may name one as often as a body has room for
  for (const LeaseId id : command.request.leases) {
    if (!seen.insert(id).second) continue;
    const Lease* lease = find_live_lease(book, id);
    if (lease == nullptr || lease->worker != command.worker) continue;  // answered with `gone`
    if (find_run(book, lease->attempt.run)->state == RunState::leased)
      events.emplace_back(RunStarted{id});
    // Writes a renewal only if it matters, so that the ledger does not grow with every heartbeat.
    if (expires_at - lease->expires_at > Duration{book.lease_length.us / 2})
      events.emplace_back(LeaseRenewed{id, expires_at});
  }
  return events;
}

// Handles one deadline; the engine repeats the command while another one has passed.
Result<Events> decide_tick(const Book& book, Instant now) {
  Events events;
  if (!book.lease_deadlines.empty() && book.lease_deadlines.begin()->first <= now) {
    const Lease& lease = book.leases.at(book.lease_deadlines.begin()->second);
    fail_attempt(book, lease, end_of_silence(lease), now, events);
    return events;
  }
  if (!book.rests.empty() && book.rests.begin()->first <= now)
    return run_ready(book, *find_run(book, book.rests.begin()->second), now);
  if (!book.asides.empty() && book.asides.begin()->first <= now)
    return Events{WorkerAllowed{book.asides.begin()->second, false}};
  for (const SweepId id : book.open_sweeps) {
    const Sweep& sweep = book.sweeps.at(id);
    const auto limit = time_limit(sweep);
    if (limit && *limit <= now)
      steer_sweep(book, sweep, Verb::cancel, EndReason::time_limit, events);
    if (!events.empty()) return events;
  }
  return events;
}

}  // namespace hone
