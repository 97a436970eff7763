#include "server/sweep/state/state.hpp"

#include <algorithm>
#include <iterator>

#include "base/expect.hpp"
#include "schemas/types/event.hpp"
#include "server/sweep/state/shape.hpp"

namespace hone {

const Sweep* find_sweep(const Book& book, SweepId id) {
  const auto found = book.sweeps.find(id);
  return found == book.sweeps.end() ? nullptr : &found->second;
}

const Trial* find_trial(const Book& book, TrialId id) {
  const auto found = book.trials.find(id);
  return found == book.trials.end() ? nullptr : &found->second.second;
}

const Run* find_run(const Book& book, RunId id) {
  const Trial* trial = find_trial(book, id.trial);
  if (trial == nullptr || id.replicate < 0) return nullptr;
  const auto replicate = static_cast<std::size_t>(id.replicate);
  return replicate < trial->runs.size() ? &trial->runs[replicate] : nullptr;
}

bool has_model(const Book& book, ModelId id) {
  const auto takes = [&](const auto& import) { return import.second.models.contains(id.value); };
  return id.value <= book.last_model && std::ranges::none_of(book.unfinished, takes);
}

bool has_evaluation(const Book& book, EvaluationId id) {
  const auto takes = [&](const auto& import) {
    return import.second.evaluations.contains(id.value);
  };
  return id.value <= book.last_evaluation && std::ranges::none_of(book.unfinished, takes);
}

const Lease* find_live_lease(const Book& book, LeaseId id) {
  const auto found = book.leases.find(id);
  return found == book.leases.end() ? nullptr : &found->second;
}

std::optional<std::size_t> lease_index(const Book& book, LeaseId id) {
  const auto after = book.epochs.lower_bound(id);  // an epoch's leases begin after its number
  if (after == book.epochs.begin()) return std::nullopt;
  const auto& [epoch, first] = *std::prev(after);
  const auto end = after == book.epochs.end() ? book.run_of_lease.size() : after->second;
  const auto offset = static_cast<std::size_t>(id.value - epoch.value - 1);
  return offset < end - first ? std::optional(first + offset) : std::nullopt;
}

void note_lease(Book& book, const LeaseGranted& granted) {
  expect(granted.lease > book.last_lease, "leases are minted in order");
  const auto skipped = static_cast<std::size_t>(granted.lease.value - book.last_lease.value - 1);
  book.run_of_lease.resize(book.run_of_lease.size() + skipped);
  book.worker_of_lease.resize(book.run_of_lease.size());
  book.run_of_lease.push_back(granted.attempt.run);
  book.worker_of_lease.push_back(granted.worker);
  book.last_lease = granted.lease;
}

Epoch epoch_of(const Book& book, LeaseId id) {
  const auto after = book.epochs.lower_bound(id);
  return after == book.epochs.begin() ? Epoch{} : std::prev(after)->first;
}

const Token* find_token(const Book& book, TokenId id) {
  const auto index = static_cast<std::size_t>(id.value - 1);
  return id.value >= 1 && index < book.tokens.size() ? &book.tokens[index] : nullptr;
}

const Sweep& sweep_of(const Book& book, RunId id) {
  const auto found = book.trials.find(id.trial);
  expect(found != book.trials.end(), "a run's trial is in the book");
  return book.sweeps.at(found->second.first);
}

Replication replication_of(const Sweep& sweep) {
  Replication replication = replication_of(sweep.spec);
  replication.in_units = replication.in_units && sweep.rules >= 3;
  return replication;
}

ValueRule value_rule(int rules) { return rules < 4 ? ValueRule::binary : ValueRule::decimal; }

void equip(Sweep& sweep) {
  const SweepSpec& spec = sweep.spec;
  auto space = SearchSpace::make(spec.parameters, spec.constraints, WitnessSearch::thorough,
                                 value_rule(sweep.rules));
  expect(space.ok(), "a submitted space was checked");
  sweep.space = std::move(*space);
  auto sampler = make_sampler(spec.search, sweep.space);
  SweepShape shape = sweep_shape(spec);
  shape.replication = replication_of(sweep);
  shape.rank_prior = sweep.rank_prior;
  auto terminator = make_terminator(spec.terminator, shape);
  expect(sampler.ok() && terminator.ok(), "a submitted sweep was checked");
  sweep.sampler = std::move(*sampler);
  sweep.terminator = std::move(*terminator);
  sweep.unpausing.reset();
  if (const auto rule = without_pauses(spec.terminator)) {
    auto unpausing = make_terminator(*rule, shape);
    expect(unpausing.ok(), "a rule's settings are those of its form without pauses");
    sweep.unpausing = std::move(*unpausing);
  }
}

void reopen(Sweep& sweep, Instant now) {
  sweep.state = SweepState::running;
  sweep.reason = EndReason::none;
  sweep.order = Order::none;
  sweep.limited_from = now;
  sweep.failing = {};
}

std::optional<Duration> usual_phase_time(const Sweep& sweep) {
  if (sweep.phase_times.empty()) return std::nullopt;
  std::vector<Duration> times(sweep.phase_times.begin(), sweep.phase_times.end());
  const auto at = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) * 9 / 10);
  std::nth_element(times.begin(), at, times.end());
  return *at;
}

void note_phase(Sweep& sweep, Run& run, Instant now) {
  if (sweep.phase_times.size() == phase_times_max) sweep.phase_times.pop_front();
  sweep.phase_times.push_back(now - run.phase_from);
  run.phase_from = now;
}

std::int64_t proposals_left(const Sweep& sweep) {
  return sweep.spec.search.trials - static_cast<std::int64_t>(sweep.trials.size()) +
         sweep.successors;
}

void add_worker(Book& book, const WorkerJoined& e, Instant at) {
  book.workers.emplace(e.worker, WorkerState{.id = e.worker,
                                             .request_id = e.request_id,
                                             .host = e.host,
                                             .cpus = e.cpus,
                                             .gpus = e.gpus,
                                             .seen_at = at,
                                             .token = e.token,
                                             .epoch = book.epochs.rbegin()->first,
                                             .memory = e.memory,
                                             .labels = e.labels,
                                             .gpu_memory = e.gpu_memory,
                                             .gpu_free = e.gpu_memory});
  book.workers_by_request.emplace(e.request_id, e.worker);
  book.last_worker = e.worker.value;
}

}  // namespace hone
