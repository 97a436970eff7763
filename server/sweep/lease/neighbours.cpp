// Which run goes next to which on a worker: by the speeds that were measured there.
//
// As long as nothing was measured, every free slot gets a run, so that something can be measured.
// Once the speeds of all runs of a worker together would clearly fall, a slot stays free, and a run
// that is there already gives its slot back at the end of a phase. After a while the pair is tried
// again. Neither ever takes its only run from a sweep.
#include "server/sweep/state/neighbours.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <type_traits>

#include "base/fnv.hpp"
#include "base/text.hpp"
#include "server/sweep/state/rules.hpp"

namespace hone {
namespace {

constexpr int only_place = 0;  // PairKey::kind: each host has its own table
// A measurement that is older is not believed any more: one run may show that speeds have changed.
constexpr Duration believed = seconds(1800);
// A run gives its slots back for its neighbours at most so often.
constexpr Duration separated_again = seconds(600);
// What is measured within this time counts as one measurement: something else that slows a machine
// down for a while slows several phases.
constexpr Duration one_measurement = seconds(60);
// How much shorter than the time between its reports a phase may be, as a part of it and in
// seconds. More of it, and a report was late: the server does not know what ran meanwhile. Shorter
// phases than these seconds measure nothing: a program runs while its report is on its way.
constexpr double late_max = 0.25, late_max_s = 0.05;
// Phases of a pair that count: later ones replace older ones.
constexpr std::int64_t remembered = 32;
// Sets of neighbours of which a run's pace is kept.
constexpr std::size_t paces_max = 4;
// Of single measurements: outside of it the phases were disturbed by something else.
constexpr double share_min = 0.02, share_max = 1.25;

// Of what makes runs alike in cost. Equal numbers of different kinds only mix their means.
class KindDigest {
 public:
  void add(std::string_view text) {
    hash_.add(text);
    hash_.add(0xff);  // between words
  }
  void add_value(const Value& value) {
    add(std::visit(
        [](const auto& one) {
          using T = std::decay_t<decltype(one)>;
          if constexpr (std::is_same_v<T, std::string>)
            return one;
          else if constexpr (std::is_same_v<T, JsonText>)
            return one.text;
          else
            return number_text(static_cast<double>(one));
        },
        value));
  }
  [[nodiscard]] int number() const { return static_cast<int>(hash_.value() & 0x7fffffffU); }

 private:
  Fnv1a hash_;
};

void add_command(KindDigest& digest, const CommandTrainer& command) {
  for (const std::string& word : command.argv) digest.add(word);
}

// A worker says itself what its host is: what it measures counts for workers of its token alone.
std::string host_key(const WorkerState& worker) {
  return worker.host + " " + std::to_string(worker.cpus) + " " + std::to_string(worker.gpus) + " " +
         std::to_string(worker.token.value);
}

const PairsOfHost* pairs_on(const Book& book, const WorkerState& worker) {
  const auto found = book.neighbours.find(host_key(worker));
  return found == book.neighbours.end() ? nullptr : &found->second;
}

// The kinds of the runs on the worker, sorted, without that of a lease.
std::vector<int> kinds_on(const WorkerState& worker, LeaseId but) {
  std::vector<int> kinds;
  for (const RunOnWorker& run : worker.runs)
    if (run.lease != but) kinds.push_back(run.kind);
  std::ranges::sort(kinds);
  return kinds;
}

// The newest measurement of a pair of the newcomer.
Instant measured_at(const PairsOfHost& pairs, const std::vector<int>& present, int newcomer) {
  Instant newest{};
  for (const int other : present)
    for (const forecast::PairKey& key : {forecast::PairKey{only_place, newcomer, other},
                                         forecast::PairKey{only_place, other, newcomer}})
      if (const auto found = pairs.newest.find(key); found != pairs.newest.end())
        newest = std::max(newest, found->second.at);
  return newest;
}

struct Forecast {
  Neighbours neighbours;
  bool loses = false;    // the sum of speeds clearly falls, or is below that of one run alone
  bool believed = true;  // the measurement is recent
};

// nullopt: the worker has no other run, or nothing was measured on its host.
std::optional<Forecast> forecast_on(const Book& book, const WorkerState& worker, int kind,
                                    LeaseId but, Instant now) {
  const PairsOfHost* pairs = pairs_on(book, worker);
  if (pairs == nullptr) return std::nullopt;
  const std::vector<int> present = kinds_on(worker, but);
  if (present.empty()) return std::nullopt;
  const auto packing = forecast::pack(pairs->speeds, only_place, present, kind);
  if (packing.measured == 0) return std::nullopt;
  // One run alone has a speed of 1: many that disturb each other may be slower than it.
  const bool below_one = packing.measured >= forecast::judged_after &&
                         packing.with_most < 1 - forecast::packing_loss_max;
  return Forecast{{static_cast<int>(present.size()), packing.speed, packing.without, packing.with,
                   packing.measured},
                  packing.loses() || below_one,
                  now - measured_at(*pairs, present, kind) < believed};
}

// Whether the sweep may wait: it has runs elsewhere, and as many slots as its user asked for.
bool may_wait(const Sweep& sweep, int live_leases, std::int64_t held) {
  return live_leases > 0 && held >= sweep.spec.slots.min;
}

// The runs by which `more` is larger than `fewer`: all of one kind. nullopt: it is not.
struct Difference {
  int kind = 0;
  int count = 0;
};
std::optional<Difference> difference(const std::vector<int>& more, const std::vector<int>& fewer) {
  if (!std::ranges::includes(more, fewer)) return std::nullopt;
  std::vector<int> rest;
  std::ranges::set_difference(more, fewer, std::back_inserter(rest));
  if (rest.empty() || rest.front() != rest.back()) return std::nullopt;
  return Difference{rest.front(), static_cast<int>(rest.size())};
}

// Whether the run has not reported since its lease began: its process may still start.
bool starts(const Run& run, const Lease& lease) { return run.phase_from == lease.granted_at; }
bool a_run_starts(const Book& book, const WorkerState& worker) {
  return std::ranges::any_of(worker.runs, [&](const RunOnWorker& one) {
    const Lease& lease = book.leases.at(one.lease);
    return starts(*find_run(book, lease.attempt.run), lease);
  });
}

// Makes room: the host, or the pair, that was measured longest ago is forgotten.
void forget_oldest(PairsByHost& hosts) {
  if (hosts.size() < neighbour_hosts_max) return;
  hosts.erase(
      std::ranges::min_element(hosts, {}, [](const auto& entry) { return entry.second.at; }));
}
void forget_oldest(PairsOfHost& pairs) {
  if (pairs.speeds.size() <= neighbour_pairs_max) return;
  const auto oldest =
      std::ranges::min_element(pairs.newest, {}, [](const auto& entry) { return entry.second.at; });
  pairs.speeds.forget(oldest->first);
  pairs.newest.erase(oldest);
}

void observe(PairsByHost& hosts, const std::string& host, const forecast::PairKey& key,
             double share, Instant now) {
  if (!hosts.contains(host)) forget_oldest(hosts);
  PairsOfHost& pairs = hosts[host];
  pairs.at = now;
  const auto [entry, first] = pairs.newest.try_emplace(key);
  Measurement& newest = entry->second;
  const bool further = !first && now - newest.from < one_measurement;
  const bool old = !first && now - newest.at >= believed;
  pairs.speeds.limit(key, old ? forecast::judged_after : remembered);
  pairs.speeds.observe(key, share, further);
  newest = {further ? newest.from : now, now};
  forget_oldest(pairs);
}

// Adds a phase to the run's pace next to these runs.
const PaceAmong& add_pace(Run& run, const std::vector<int>& kinds, double rate) {
  auto pace = std::ranges::find(run.paces, kinds, &PaceAmong::kinds);
  if (pace == run.paces.end()) {
    if (run.paces.size() == paces_max) run.paces.erase(run.paces.begin());
    run.paces.push_back({kinds});
    pace = std::prev(run.paces.end());
  }
  pace->sum += rate;
  ++pace->phases;
  return *pace;
}

// The other pace of the run that says most about a phase next to `kinds`: the one with the fewest
// runs.
const PaceAmong* to_compare(const Run& run, const std::vector<int>& kinds) {
  const PaceAmong* best = nullptr;
  for (const PaceAmong& pace : run.paces)
    if (difference(kinds, pace.kinds) || difference(pace.kinds, kinds))
      if (best == nullptr || pace.kinds.size() < best->kinds.size()) best = &pace;
  return best;
}

// The speed next to one neighbour, relative to alone, where one more than `fewer` makes a step
// longer by this part of it.
double share_of(const PairsOfHost* pairs, int kind, const std::vector<int>& fewer, double part) {
  const double speed =
      pairs == nullptr ? 1 : forecast::pack(pairs->speeds, only_place, fewer, kind).speed;
  return 1 / (1 + part / speed);
}

}  // namespace

int kind_of(const Sweep& sweep, int step, int cpus) {
  KindDigest digest;
  if (const auto* builtin = std::get_if<BuiltinTrainer>(&sweep.spec.trainer)) {
    digest.add(builtin->name);
    for (const Param& setting : builtin->settings)
      digest.add(setting.name), digest.add_value(setting.value);
  } else if (const auto* command = std::get_if<CommandTrainer>(&sweep.spec.trainer)) {
    add_command(digest, *command);
  } else if (const auto* pipeline = std::get_if<PipelineTrainer>(&sweep.spec.trainer)) {
    add_command(digest, pipeline->steps.at(static_cast<std::size_t>(step)).command);
  }
  digest.add(std::to_string(cpus) + " " + std::to_string(resources_of(sweep.spec, step).gpus));
  return digest.number();
}

std::optional<KeptFree> kept_free(const Book& book, const Sweep& sweep, WorkerId id, int step) {
  const auto found = book.workers.find(id);  // a Book of few sweeps lacks workers
  if (found == book.workers.end() || found->second.runs.empty() ||
      !may_wait(sweep, static_cast<int>(sweep.live_leases), sweep.service.held))
    return std::nullopt;
  const WorkerState& worker = found->second;
  const int kind = kind_of(sweep, step, resources_of(sweep.spec, step).cpus);
  const auto forecast = forecast_on(book, worker, kind, {}, book.last_at);
  const bool tried = book.last_at - worker.tried_again_at < believed;
  if (!forecast || !forecast->loses || (!forecast->believed && !tried)) return std::nullopt;
  return KeptFree{sweep.id, forecast->neighbours};
}

std::optional<Neighbours> neighbours_of(const Book& book, const Sweep& sweep, WorkerId worker,
                                        int step, int cpus) {
  const auto forecast =
      forecast_on(book, book.workers.at(worker), kind_of(sweep, step, cpus), {}, book.last_at);
  if (!forecast) return std::nullopt;
  Neighbours neighbours = forecast->neighbours;
  neighbours.again = forecast->loses && !forecast->believed;
  return neighbours;
}

void separate(const Book& book, const Lease& lease, Instant now, Events& events) {
  if (lease.expires_at == never || events.empty()) return;
  auto* given = std::get_if<VerdictGiven>(&events.back());
  const Run& run = *find_run(book, lease.attempt.run);
  const Sweep& sweep = book.sweeps.at(lease.sweep);
  if (given == nullptr || !may_return(sweep, run, *given) ||
      (run.separated_at > Instant{} && now - run.separated_at < separated_again) ||
      !may_wait(sweep, static_cast<int>(sweep.live_leases) - 1,
                sweep.service.held - needs_of(sweep.spec, lease).cpus))
    return;
  const WorkerState& worker = book.workers.at(lease.worker);
  const auto forecast = forecast_on(book, worker, lease.kind, lease.id, now);
  if (!forecast || !forecast->loses || !forecast->believed) return;
  const Neighbours& n = forecast->neighbours;
  given->verdict = {Action::pause,
                    VerdictReason::yields,
                    {{"speeds_with", n.with},
                     {"speeds_without", n.without},
                     {"measurements", static_cast<double>(n.measured)}}};
  events.emplace_back(
      RunReturned{.lease = lease.id,
                  .run = run.id,
                  .reason = EndReason::requeue_requested,
                  .detail = "the runs on " + text(worker.id) + " are faster together without it",
                  .separated = true});
}

void join_neighbours(Book& book, Lease& lease, const std::optional<Neighbours>& neighbours,
                     Instant at) {
  const Sweep& sweep = book.sweeps.at(lease.sweep);
  WorkerState& worker = book.workers.at(lease.worker);
  const int cpus = needs_of(sweep.spec, lease).cpus;
  lease.kind = kind_of(sweep, lease.step, cpus);
  worker.runs.push_back({lease.id, lease.kind});
  worker.runs_since = at;
  worker.kept_free.reset();
  if (neighbours && neighbours->again) worker.tried_again_at = at;
}

void leave_neighbours(Book& book, const Lease& lease, Instant at) {
  WorkerState& worker = book.workers.at(lease.worker);
  std::erase_if(worker.runs, [&](const RunOnWorker& run) { return run.lease == lease.id; });
  worker.runs_since = at;
}

void note_seen(WorkerState& worker, const WorkerSeen& e, Instant at) {
  worker.seen_at = at;
  worker.kept_free = e.kept_free;
}

void forget_phases(Book& book, Instant at) {
  for (auto& [id, worker] : book.workers) worker.runs_since = at;
}

void note_speed(Book& book, Run& run, const Lease& lease, std::optional<double> measured,
                Instant now) {
  WorkerState& worker = book.workers.at(lease.worker);
  if (worker.cpus == 0) return;
  if (starts(run, lease)) {
    worker.runs_since = now;
    return;
  }
  const double between = static_cast<double>((now - run.phase_from).us) / 1e6;
  if (!measured || !(*measured >= late_max_s) || *measured > between ||
      *measured < (1 - late_max) * between - late_max_s)
    return;
  const double seconds = *measured;
  if (run.paces_on != lease.worker || run.paces_kind != lease.kind) {
    run.paces.clear();
    run.paces_on = lease.worker;
    run.paces_kind = lease.kind;
  }
  if (worker.runs_since > run.phase_from || a_run_starts(book, worker)) return;
  // The attempt's first phase starts its process, so there is a report before.
  const auto last = run.reports.rbegin();
  const std::int64_t steps = last->step - std::next(last)->step;
  const double rate = static_cast<double>(std::max<std::int64_t>(steps, 1)) / seconds;
  const std::vector<int> kinds = kinds_on(worker, lease.id);
  if (const PaceAmong* other = to_compare(run, kinds)) {
    const bool more = kinds.size() > other->kinds.size();
    const auto by = more ? difference(kinds, other->kinds) : difference(other->kinds, kinds);
    const std::vector<int>& fewer = more ? other->kinds : kinds;
    const double longer = more ? other->mean() / rate : rate / other->mean();
    const double share =
        share_of(pairs_on(book, worker), lease.kind, fewer, (longer - 1) / by->count);
    if (share >= share_min && share <= share_max)
      observe(book.neighbours, host_key(worker), {only_place, lease.kind, by->kind}, share, now);
  }
  add_pace(run, kinds, rate);
}

}  // namespace hone
