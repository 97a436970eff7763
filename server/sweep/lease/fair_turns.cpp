// Which sweep gets the slots that a worker offers, and which run gives its slots back.
#include <algorithm>
#include <numeric>
#include <ranges>

#include "base/expect.hpp"
#include "server/sweep/state/rules.hpp"

namespace hone {

bool may_give(const Sweep& sweep) {
  return sweep.order == Order::none && sweep.state != SweepState::paused && !is_end(sweep.state);
}

bool may_have_work(const Sweep& sweep) {
  if (!may_give(sweep)) return false;
  if (const auto most = sweep.spec.limits.concurrency; most && sweep.live_leases >= *most)
    return false;
  if (const auto most = sweep.spec.slots.max;
      most && sweep.service.held + least_slots(sweep.spec) > *most)
    return false;
  if (!sweep.queue.empty()) return true;
  return sweep.state == SweepState::running;
}

Room free_room(const WorkerState& worker) {
  return {{worker.cpus - worker.leased.cpus, worker.gpus - worker.leased.gpus,
           worker.memory - worker.leased.memory, worker.labels},
          worker.gpu_free,
          worker.gpu_memory};
}

Room free_room(const WorkerState& worker, const AcquireRequest& offer) {
  Room room = free_room(worker);
  room.counted.cpus = std::min(room.counted.cpus, offer.cpus);
  room.counted.gpus = std::min(room.counted.gpus, offer.gpus);
  for (std::size_t i = 0; i < std::min(room.gpu_free.size(), offer.gpu_free.size()); ++i)
    room.gpu_free[i] = std::min(room.gpu_free[i], offer.gpu_free[i]);
  return room;
}

Room whole(const WorkerState& worker) {
  return {{worker.cpus, worker.gpus, worker.memory, worker.labels},
          worker.gpu_memory,
          worker.gpu_memory};
}

bool fits(const ResourcesSpec& need, const Room& free) {
  const ResourcesSpec& counted = free.counted;
  const auto in = [](const std::vector<std::string>& labels) {
    return [&labels](const std::string& one) {
      return std::ranges::find(labels, one) != labels.end();
    };
  };
  const auto reserves = [](const std::string& label) { return label.starts_with(only_label); };
  return need.cpus <= counted.cpus && gpus_fit(need, free) &&
         (need.memory == 0 || need.memory <= counted.memory) &&
         std::ranges::all_of(need.labels, in(counted.labels)) &&
         std::ranges::all_of(counted.labels | std::views::filter(reserves), in(need.labels));
}

bool fits_a_step(const SweepSpec& spec, const Room& free) {
  if (std::holds_alternative<AskTrainer>(spec.trainer)) return false;
  for (int step = 0; step < steps_of(spec); ++step)
    if (fits(resources_of(spec, step), free)) return true;
  return false;
}

namespace {

// Of a run, as a mean over its steps: how long each lasts is not known.
double usual_slots(const SweepSpec& spec) {
  double slots = 0;
  for (int step = 0; step < steps_of(spec); ++step) slots += resources_of(spec, step).cpus;
  return slots / steps_of(spec);
}

// Slot-seconds that the sweep will still need, as its rule stops runs on average; 0: not known.
double work_to_come(const Sweep& sweep) {
  if (sweep.phase_times.empty()) return 0;
  double seconds = 0;
  for (const Duration time : sweep.phase_times) seconds += static_cast<double>(time.us) / 1e6;
  seconds /= static_cast<double>(sweep.phase_times.size());
  std::int64_t reported = 0;
  for (int phase = 0; phase < sweep.spec.budget.phases; ++phase)
    reported += sweep.history.reports(phase);
  const auto runs = static_cast<double>(sweep.spec.search.trials * first_runs(sweep.spec));
  const double phases =
      std::max(runs * sweep.terminator->expected_phases() - static_cast<double>(reported),
               static_cast<double>(sweep.open_runs));
  return phases * seconds * usual_slots(sweep.spec);
}

Instant due(const Sweep& sweep) {
  const Deadline& by = *sweep.spec.by;
  return by.at > Instant{} ? by.at : sweep.limited_from + by.after;
}

// Of all sweeps together. Where sweeps wait for each other, hardly any slot is free.
std::int64_t held_slots(const Book& book) {
  std::int64_t slots = 0;
  for (const SweepId id : book.open_sweeps) slots += book.sweeps.at(id).service.held;
  return slots;
}

// Multiplies the shares of sweeps that are late for their deadlines.
void hurry(const Book& book, std::vector<Candidate>& candidates, Instant now) {
  const auto has_deadline = [](const Candidate& one) { return one.sweep->spec.by.has_value(); };
  if (candidates.size() < 2 || std::ranges::none_of(candidates, has_deadline)) return;
  double shares = 0;
  for (const Candidate& one : candidates) shares += one.claim.weight;
  const auto slots = static_cast<double>(std::max<std::int64_t>(1, held_slots(book)));
  for (Candidate& one : candidates) {
    if (!has_deadline(one)) continue;
    const double left = static_cast<double>((due(*one.sweep) - now).us) / 1e6;
    one.claim.weight *=
        urgency({work_to_come(*one.sweep), left, slots * one.claim.weight / shares, slots});
  }
}

ShareClaim claim_of(const Sweep& sweep, Instant now) {
  return {.sweep = sweep.id,
          .weight = static_cast<double>(sweep.spec.share.value_or(1)),
          .service = service_at(sweep.service, now),
          .held = sweep.service.held,
          .min = sweep.spec.slots.min};
}

}  // namespace

std::vector<Candidate> in_turn(const Book& book, const std::function<bool(const Sweep&)>& may,
                               Instant now) {
  std::vector<Candidate> order;
  for (const SweepId id : book.open_sweeps)
    if (const Sweep& sweep = book.sweeps.at(id); may(sweep))
      order.push_back({&sweep, claim_of(sweep, now)});
  hurry(book, order, now);
  std::vector<ShareClaim> claims;
  for (const Candidate& one : order) claims.push_back(one.claim);
  limit_credit(claims);
  for (std::size_t i = 0; i < order.size(); ++i) order[i].claim = claims[i];
  std::ranges::sort(order, [](const Candidate& a, const Candidate& b) {
    return served_before(a.claim, b.claim);
  });
  return order;
}

namespace {

// Of the workers that could hold the run if they were free, the one with the most free slots, the
// oldest of those.
WorkerId nearest_to_free(const Book& book, const ResourcesSpec& need, Instant now) {
  WorkerId nearest{};
  int most = -1;
  for (const auto& [id, worker] : book.workers) {
    const int free = worker.cpus - worker.leased.cpus;
    if (free > most && is_present(worker, now) && fits(need, whole(worker)))
      nearest = id, most = free;
  }
  return nearest;
}

}  // namespace

std::optional<SweepId> reserved_for(const Book& book, const WorkerState& worker, Instant now) {
  if (book.open_sweeps.size() < 2) return std::nullopt;
  const auto may = [&](const Sweep& sweep) {
    return may_have_work(sweep) && fits_a_step(sweep.spec, whole(worker));
  };
  const std::vector<Candidate> order = in_turn(book, may, now);
  if (order.size() < 2) return std::nullopt;
  const ResourcesSpec most = most_resources(order[0].sweep->spec);
  if (most.cpus == 1 && (most.gpus == 0 || worker.gpu_memory.empty())) return std::nullopt;
  const Sweep& first = *order[0].sweep;
  if (standing(order[0].claim) + reserve_lead > standing(order[1].claim)) return std::nullopt;
  const Room all = whole(worker);
  if (next_needs(book, first, worker.id, {free_room(worker), all})) return std::nullopt;
  const auto needs = next_needs(book, first, worker.id, {all, all});
  if (!needs || nearest_to_free(book, *needs, now) != worker.id ||
      !has_lease_candidate(book, first, worker.id, Capacity{all, all}))
    return std::nullopt;
  return first.id;
}

std::optional<Turn> turn_of(const std::vector<Candidate>& order, std::size_t chosen) {
  if (chosen + 1 >= order.size()) return std::nullopt;
  const ShareClaim& first = order[chosen].claim;
  const ShareClaim& next = order[chosen + 1].claim;
  return Turn{.rule = first.held < first.min ? TurnRule::minimum : TurnRule::share,
              .weight = first.weight,
              .service = first.service,
              .held = first.held,
              .next = next.sweep,
              .next_service = next.service,
              .next_held = next.held,
              .waiting = static_cast<int>(order.size() - chosen - 1)};
}

bool may_return(const Sweep& sweep, const Run& run, const VerdictGiven& given) {
  const int phases = budget_of(sweep.spec, run.step, static_cast<int>(run.step_reports)).phases;
  return may_give(sweep) && given.verdict.action == Action::go_on && given.phase + 1 < phases &&
         checkpoint_of_step(run) && run.checkpoint->phase >= given.phase;
}

namespace {

// A sweep that was just submitted finds free slots by itself.
bool has_waited(const Sweep& sweep, Instant now) { return now - sweep.submitted_at >= seconds(2); }

void release(WorkerState& worker, const Lease& lease, const ResourcesSpec& held) {
  worker.leased.cpus -= held.cpus;
  worker.leased.gpus -= held.gpus;
  worker.leased.memory -= held.memory;
  give_gpus_back(worker, lease, held);
}

// The sweep that is to have the slots of `lease`, and by how far the holder is ahead of it.
std::optional<std::pair<SweepId, double>> successor(const Book& book, const Lease& lease,
                                                    Instant now) {
  const Sweep& holder = book.sweeps.at(lease.sweep);
  const WorkerState& worker = book.workers.at(lease.worker);
  const auto reserved = reserved_for(book, worker, now);
  const ResourcesSpec held = needs_of(holder.spec, lease);
  WorkerState after = worker;
  release(after, lease, held);
  const Room all = whole(worker);
  const Room freed = free_room(after);
  const auto may = [&](const Sweep& sweep) {
    return sweep.id == holder.id || (may_have_work(sweep) && has_waited(sweep, now) &&
                                     (sweep.id == reserved || fits_a_step(sweep.spec, freed)));
  };
  const std::vector<Candidate> order = in_turn(book, may, now);
  ShareClaim own = std::ranges::find(order, &holder, &Candidate::sweep)->claim;
  own.needs = held.cpus;
  for (const Candidate& one : order) {
    if (one.sweep == &holder) continue;
    const bool started = one.sweep->service.at > Instant{};
    const Capacity capacity{one.sweep->id == reserved ? all : freed, all};
    if (gives_way(own, one.claim, started) &&
        has_lease_candidate(book, *one.sweep, lease.worker, capacity))
      return std::pair(one.sweep->id, standing(own) - standing(one.claim));
  }
  return std::nullopt;
}

}  // namespace

void yield_slots(const Book& book, const Lease& lease, Instant now, Events& events) {
  if (lease.expires_at == never || events.empty() || book.open_sweeps.size() < 2) return;
  auto* given = std::get_if<VerdictGiven>(&events.back());
  const Run& run = *find_run(book, lease.attempt.run);
  if (given == nullptr || !may_return(book.sweeps.at(lease.sweep), run, *given)) return;
  const auto to = successor(book, lease, now);
  if (!to) return;
  given->verdict = {Action::pause,
                    VerdictReason::yields,
                    {{"to_sweep", static_cast<double>(to->first.value)}, {"ahead", to->second}}};
  events.emplace_back(RunReturned{
      .lease = lease.id,
      .run = run.id,
      .reason = EndReason::requeue_requested,
      .detail = "its slots went to " + text(to->first) + ", which had got less for its share"});
}

double service_at(const Service& service, Instant now) {
  if (now <= service.at) return service.used;
  return service.used + service.rate * static_cast<double>((now - service.at).us) / 1e6;
}

double least_service(const Book& book, SweepId but, Instant now) {
  std::optional<double> least;
  for (const SweepId id : book.open_sweeps) {
    const Sweep& sweep = book.sweeps.at(id);
    if (id == but || !may_have_work(sweep)) continue;
    const double service = service_at(sweep.service, now);
    least = least ? std::min(*least, service) : service;
  }
  return least.value_or(0);
}

namespace {

// So many slots more, or less.
void change_held(Service& service, std::int64_t slots, double weight, Instant at) {
  service.used = service_at(service, at);
  service.at = std::max(service.at, at);
  service.held += slots;
  service.rate = service.held == 0 ? 0 : service.rate + static_cast<double>(slots) / weight;
}

}  // namespace

void take_slots(Book& book, Sweep& sweep, Lease& lease, const std::optional<Turn>& turn,
                Instant at) {
  const ResourcesSpec run = needs_of(sweep.spec, lease);
  WorkerState& worker = book.workers.at(lease.worker);
  worker.leased.cpus += run.cpus;
  worker.leased.gpus += run.gpus;
  worker.leased.memory += run.memory;
  take_gpus(worker, lease, run);
  Service& service = sweep.service;
  lease.weight = turn ? turn->weight : static_cast<double>(sweep.spec.share.value_or(1));
  if (turn) service.used += std::max(0.0, turn->service - service_at(service, at));
  change_held(service, run.cpus, lease.weight, at);
}

void give_slots_back(Book& book, Sweep& sweep, const Lease& lease, Instant at) {
  const ResourcesSpec run = needs_of(sweep.spec, lease);
  release(book.workers.at(lease.worker), lease, run);
  change_held(sweep.service, -run.cpus, lease.weight, at);
  leave_neighbours(book, lease, at);
}

void rejoin(const Book& book, Sweep& sweep, Instant at) {
  Service& service = sweep.service;
  service.used = std::max(service_at(service, at), least_service(book, sweep.id, at));
  service.at = std::max(service.at, at);
}

}  // namespace hone
