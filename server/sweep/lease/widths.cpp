// How many slots a run gets where its sweep names a range, resources.cpus: {min, max}.
//
// More runs beat wider ones as long as runs wait: each gets the least then. Slots that stay free go
// one at a time to the run of the worker that they shorten most, by the phases that it has left and
// the times that phases of the sweep took with other numbers of slots (server/forecast/widths.hpp).
// The number changes at the start of an attempt, and at the end of a phase by returning the run.
#include "server/forecast/widths.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "server/sweep/state/outcome.hpp"
#include "server/sweep/state/rules.hpp"

namespace hone {
namespace {

// Seconds to start a process, where none was measured.
constexpr double start_unknown_s = 5;
// A further slot must gain at least this part of what it would gain if all work were shared.
constexpr double gain_min = 0.25;
// How long slots are kept for a returned run: a process may take so long to exit.
constexpr Duration kept = seconds(10);

bool has_range(const Sweep& sweep) { return sweep.spec.resources.cpus_max > 0; }

forecast::WidthModel model_of(const Sweep& sweep) {
  std::vector<forecast::WidthSample> samples;
  for (const auto& [cpus, pace] : sweep.widths.wide)
    samples.push_back({cpus, pace.mean(), pace.phases});
  return forecast::fit_widths(sweep.spec.resources.cpus, sweep.spec.resources.cpus_max, samples);
}

// Seconds of a phase of the run with the least slots; nullopt if no phase was measured. Prefers its
// own phases with the least slots, as those of other parameters take another time; then those of
// the sweep; then its own phases with more slots.
std::optional<double> seconds_of_phase(const Sweep& sweep, const Run* run,
                                       const forecast::WidthModel& model) {
  const bool paced = run != nullptr && run->pace.phases > 0;
  if (paced && run->pace_cpus == model.least) return run->pace.mean();
  if (sweep.widths.least.phases > 0) return sweep.widths.least.mean();
  if (paced) return run->pace.mean() / model.ratio(run->pace_cpus);
  return std::nullopt;
}

double seconds_to_start(const Sweep& sweep) {
  const PhasePace& starts = sweep.widths.starts;
  return starts.phases > 0 ? starts.mean() : start_unknown_s;
}

// The most slots that its measurements speak for: twice those that were measured.
int most_forecast(const Sweep& sweep, const Run* run) {
  int measured = std::max(sweep.spec.resources.cpus, run != nullptr ? run->pace_cpus : 0);
  if (!sweep.widths.wide.empty()) measured = std::max(measured, sweep.widths.wide.rbegin()->first);
  return std::min(sweep.spec.resources.cpus_max, 2 * measured);
}

// A run that further slots could shorten.
struct Claim {
  forecast::WidthModel model;
  int cpus = 1;
  int most = 1;
  double seconds = 0;  // of all its phases to come, with the least slots
  double start_s = 0;  // that a change of its slots costs

  // What one slot more would save. The cost of a change is spread over the slots that it may bring.
  [[nodiscard]] double gain(int from) const {
    if (cpus >= most) return 0;
    const double now = model.ratio(cpus), next = model.ratio(cpus + 1);
    if (now - next < gain_min * now / (cpus + 1)) return 0;
    return seconds * (now - next) - start_s / (most - from);
  }
};

// `held`: slots of the sweep, with those of the run.
Claim claim_of(const Sweep& sweep, const Run* run, int cpus, int phases_left, std::int64_t held,
               double start_s) {
  Claim claim{.model = model_of(sweep),
              .cpus = cpus,
              .most = std::max(cpus, most_forecast(sweep, run)),
              .start_s = start_s};
  claim.seconds = phases_left * seconds_of_phase(sweep, run, claim.model).value_or(1);
  if (const auto& most = sweep.spec.slots.max)
    claim.most = static_cast<int>(std::clamp<std::int64_t>(cpus + *most - held, cpus, claim.most));
  return claim;
}

// Of the other runs on the worker: they can get further slots when their phase ends.
std::vector<Claim> claims_on(const Book& book, WorkerId worker, RunId but) {
  std::vector<Claim> claims;
  for (const auto& [id, lease] : book.leases) {
    if (lease.worker != worker || lease.attempt.run == but || lease.cpus == 0) continue;
    const Sweep& sweep = book.sweeps.at(lease.sweep);
    const Run& run = *find_run(book, lease.attempt.run);
    const int left = sweep.spec.budget.phases - static_cast<int>(run.reports.size()) - 1;
    if (left > 0 && may_give(sweep) && checkpoint_of_step(run))
      claims.push_back(
          claim_of(sweep, &run, lease.cpus, left, sweep.service.held, seconds_to_start(sweep)));
  }
  return claims;
}

// Gives the free slots to the claims; each keeps what it has. Returns what is left.
int share_slots(std::vector<Claim>& claims, int free) {
  std::vector<int> from;
  for (const Claim& claim : claims) from.push_back(claim.cpus);
  for (; free > 0; --free) {
    double most = 0;
    Claim* best = nullptr;
    for (std::size_t i = 0; i < claims.size(); ++i)
      if (const double gain = claims[i].gain(from[i]); gain > most) most = gain, best = &claims[i];
    if (best == nullptr) break;
    ++best->cpus;
  }
  return free;
}

WidthRule bound_of(const Sweep& sweep, const Run* run, const Claim& own, int left, bool others) {
  if (own.cpus >= sweep.spec.resources.cpus_max) return WidthRule::most;
  if (left == 0) return others ? WidthRule::others : WidthRule::full;
  if (own.cpus < own.most) return WidthRule::gain;
  return own.cpus >= most_forecast(sweep, run) ? WidthRule::measured : WidthRule::full;
}

// The slots that `own` gets if `free` ones can be divided between it and other runs.
Width divide(const Book& book, const Sweep& sweep, const Claim& own, const Run* run, RunId id,
             WorkerId worker, int free) {
  std::vector<Claim> claims{own};
  for (Claim& other : claims_on(book, worker, id)) claims.push_back(other);
  std::vector<int> before;
  for (const Claim& claim : claims) before.push_back(claim.cpus);
  const int left = share_slots(claims, std::max(free, 0));
  bool others = false;
  for (std::size_t i = 1; i < claims.size(); ++i) others |= claims[i].cpus > before[i];
  Width width{.cpus = claims[0].cpus,
              .rule = bound_of(sweep, run, claims[0], left, others),
              .free = std::max(free, 0) + own.cpus};
  for (const auto& [cpus, pace] : sweep.widths.wide) width.measured += pace.phases;
  width.phase_s = seconds_of_phase(sweep, run, own.model).value_or(0);
  width.faster = 1 / own.model.ratio(width.cpus);
  return width;
}

// The history once the candidate trains; nullopt where more runs than it follow from its events.
std::optional<History> after_grant(const Book& book, const Sweep& sweep,
                                   const LeaseCandidate& candidate) {
  History history = sweep.history;
  for (const EventBody& body : candidate.events) {
    if (const auto* e = std::get_if<TrialProposed>(&body)) {
      if (e->origin || first_runs(sweep.spec) > 1) return std::nullopt;
      const auto point = sweep.space.point_of(e->params);
      history.add_run(
          history.add_trial(point ? *point : Point(sweep.space.dimensions().size(), inactive)));
    }
    if (const auto* e = std::get_if<RunAdded>(&body))
      history.add_run(history_index(sweep, find_trial(book, e->run.trial)->number));
  }
  if (candidate.events.empty())
    history.set_state(find_run(book, candidate.run)->record, RunRecord::State::active);
  return history;
}

// A sweep as it would be after a lease has begun or changed.
struct Later {
  RunId run{};            // of that lease
  std::int64_t left = 0;  // trials to propose
  std::int64_t live = 0;  // leases
  std::int64_t held = 0;  // slots
};

// Whether the sweep then has another run to lease, besides those whose slots are kept for them. May
// return false positives: a rule may let its trials wait.
bool has_another(const Book& book, const Sweep& sweep, const Later& later, const auto& history) {
  const auto& concurrency = sweep.spec.limits.concurrency;
  const auto& most = sweep.spec.slots.max;
  if ((concurrency && later.live >= *concurrency) ||
      (most && later.held + sweep.spec.resources.cpus > *most))
    return false;
  const auto other = [&](RunId id) { return id != later.run && !find_run(book, id)->keep; };
  if (std::ranges::any_of(sweep.queue, other) || std::ranges::any_of(sweep.resting, other))
    return true;
  if (sweep.state != SweepState::running) return false;
  if (later.left > 0) return true;
  const std::optional<History> after = history();
  if (!after) return true;
  switch (sweep.terminator->next(*after, false).kind) {
    case NextAction::Kind::promote:
    case NextAction::Kind::replicate:
      return true;
    case NextAction::Kind::propose:
    case NextAction::Kind::wait:
      break;
  }
  return false;
}

// Whether other runs of the sweep wait for slots that are kept for them, and do not count as free.
bool keeps_slots(const Book& book, const Sweep& sweep, RunId but) {
  return std::ranges::any_of(
      sweep.queue, [&](RunId id) { return id != but && find_run(book, id)->keep.has_value(); });
}

// Whether another sweep has a run that the worker could train in the room.
bool others_wait(const Book& book, SweepId but, WorkerId worker, const Room& room) {
  return std::ranges::any_of(book.open_sweeps, [&](SweepId id) {
    const Sweep& sweep = book.sweeps.at(id);
    return id != but && may_have_work(sweep) && fits_a_step(sweep.spec, room) &&
           gives_run(book, sweep, worker, Capacity{room, room});
  });
}

}  // namespace

std::optional<Width> width_of(const Book& book, const Sweep& sweep, const LeaseCandidate& candidate,
                              WorkerId worker, const Room& free) {
  if (!has_range(sweep)) return std::nullopt;
  const int least = sweep.spec.resources.cpus;
  const int further = free.counted.cpus - least;
  if (further <= 0) return Width{.cpus = least, .rule = WidthRule::full, .free = least};
  const auto proposed = std::ranges::count_if(candidate.events, [](const EventBody& body) {
    return std::holds_alternative<TrialProposed>(body);
  });
  const auto after = [&] { return after_grant(book, sweep, candidate); };
  const Later later{candidate.run, proposals_left(sweep) - proposed, sweep.live_leases + 1,
                    sweep.service.held + least};
  if (has_another(book, sweep, later, after) || keeps_slots(book, sweep, candidate.run) ||
      others_wait(book, sweep.id, worker, whole(book.workers.at(worker))))
    return Width{.cpus = least, .rule = WidthRule::waiting, .free = free.counted.cpus};
  const Run* run = find_run(book, candidate.run);
  const int reported = run == nullptr ? 0 : static_cast<int>(run->reports.size());
  const Claim own = claim_of(sweep, run, least, sweep.spec.budget.phases - reported, later.held, 0);
  return divide(book, sweep, own, run, candidate.run, worker, further);
}

namespace {

// The slots with which the run is to continue, if it is to have more.
std::optional<Width> wider(const Book& book, const Lease& lease, const Run& run, int phases_left) {
  const Sweep& sweep = book.sweeps.at(lease.sweep);
  const int free = free_room(book.workers.at(lease.worker)).counted.cpus;
  if (free <= 0) return std::nullopt;
  const double start_s = seconds_to_start(sweep);
  const Claim own = claim_of(sweep, &run, lease.cpus, phases_left, sweep.service.held, start_s);
  if (!seconds_of_phase(sweep, &run, own.model)) return std::nullopt;
  const Width width = divide(book, sweep, own, &run, run.id, lease.worker, free);
  const double saved = own.seconds * (own.model.ratio(lease.cpus) - own.model.ratio(width.cpus));
  return width.cpus > lease.cpus && saved > start_s ? std::optional(width) : std::nullopt;
}

// The room of the lease's worker if it held that many slots.
Room room_with(const Book& book, const Lease& lease, int cpus) {
  Room room = free_room(book.workers.at(lease.worker));
  room.counted.cpus += lease.cpus - cpus;
  return room;
}

// Whether a run waits that fits on the worker only with the lease's slots beyond the least.
bool must_give(const Book& book, const Lease& lease, const Later& later, const auto& history) {
  const Sweep& sweep = book.sweeps.at(lease.sweep);
  const ResourcesSpec& needs = sweep.spec.resources;
  const Room now = room_with(book, lease, lease.cpus), then = room_with(book, lease, needs.cpus);
  if (!fits(needs, now) && fits(needs, then) && has_another(book, sweep, later, history))
    return true;
  return others_wait(book, sweep.id, lease.worker, then) &&
         !others_wait(book, sweep.id, lease.worker, now);
}

// How many slots the run is to have after the report that `events` end with.
int next_width(const Book& book, const Lease& lease, const Run& run, int phase,
               const Events& events) {
  const Sweep& sweep = book.sweeps.at(lease.sweep);
  const int least = sweep.spec.resources.cpus;
  const auto after = [&] { return std::optional(foreseen(book, sweep, events)); };
  const auto with = [&](int cpus) {
    return Later{run.id, proposals_left(sweep), sweep.live_leases,
                 sweep.service.held - lease.cpus + cpus};
  };
  if (lease.cpus > least && must_give(book, lease, with(least), after)) return least;
  const auto more = wider(book, lease, run, sweep.spec.budget.phases - phase - 1);
  if (!more || has_another(book, sweep, with(lease.cpus), after) ||
      keeps_slots(book, sweep, run.id) ||
      others_wait(book, sweep.id, lease.worker, whole(book.workers.at(lease.worker))))
    return lease.cpus;
  return more->cpus;
}

std::string change_text(int from, int to) {
  const auto slots = [](int count) {
    return std::to_string(count) + (count == 1 ? " slot" : " slots");
  };
  return "it continues with " + slots(to) + " instead of " + std::to_string(from) +
         (to > from ? ", as no run waits for them" : ", as another run waits for the others");
}

}  // namespace

void change_width(const Book& book, const Lease& lease, Instant now, Events& events) {
  if (lease.cpus == 0 || lease.expires_at == never || events.empty()) return;
  auto* given = std::get_if<VerdictGiven>(&events.back());
  const Run& run = *find_run(book, lease.attempt.run);
  if (given == nullptr || !may_return(book.sweeps.at(lease.sweep), run, *given)) return;
  const int cpus = next_width(book, lease, run, given->phase, events);
  if (cpus == lease.cpus) return;
  given->verdict = {
      Action::pause,
      VerdictReason::yields,
      {{"cpus", static_cast<double>(cpus)}, {"cpus_before", static_cast<double>(lease.cpus)}}};
  events.emplace_back(RunReturned{.lease = lease.id,
                                  .run = run.id,
                                  .reason = EndReason::requeue_requested,
                                  .detail = change_text(lease.cpus, cpus),
                                  .keep = KeptSlots{lease.worker, cpus, now + kept}});
}

namespace {

void add(PhasePace& pace, double value) {
  ++pace.phases;
  pace.sum += value;
}

}  // namespace

void note_width(Sweep& sweep, Run& run, const Lease& lease, Instant now) {
  if (lease.cpus == 0) return;
  const double seconds = static_cast<double>((now - run.phase_from).us) / 1e6;
  const forecast::WidthModel model = model_of(sweep);
  const auto known = seconds_of_phase(sweep, &run, model);
  MeasuredWidths& widths = sweep.widths;
  const int least = sweep.spec.resources.cpus;
  if (run.phase_from == lease.granted_at) {
    if (known) add(widths.starts, std::max(0.0, seconds - *known * model.ratio(lease.cpus)));
    return;
  }
  if (seconds <= 0) return;
  const bool itself = widths.least.phases == 0 && run.pace_cpus == lease.cpus;
  if (known && lease.cpus > least && !itself) add(widths.wide[lease.cpus], seconds / *known);
  if (lease.cpus == least) add(widths.least, seconds);
  if (run.pace_cpus == 0 || lease.cpus < run.pace_cpus) run.pace = {}, run.pace_cpus = lease.cpus;
  if (lease.cpus == run.pace_cpus) add(run.pace, seconds);
}

}  // namespace hone
