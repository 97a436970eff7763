#include "server/cluster/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "server/cluster/estimate.hpp"

namespace hone::cluster {
namespace {

constexpr std::uint64_t placing_stream = 1;          // index of the random stream; jobs follow
constexpr std::int64_t idle_intervals_max = 20'000;  // without progress of any job
constexpr std::int64_t intervals_max = 10'000'000;   // of a simulation: minutes of a core

}  // namespace

double Outcome::mean_completion_s() const {
  return completion_s.empty() ? 0
                              : std::accumulate(completion_s.begin(), completion_s.end(), 0.0) /
                                    static_cast<double>(completion_s.size());
}

Scheduler scheduler_of(const PolicyRow& row) {
  const PlacementRow& placement = *find_placement(row.placement);
  return {find_allocation(row.allocation), placement.place, row.knows, placement.keeps};
}

struct Simulation::State {
  State(const ClusterSetup& of, const std::vector<Job>& given, std::uint64_t with, RateModel model)
      : setup(of),
        jobs(given),
        rates_model(std::move(model)),
        seed(with),
        rng(with, Purpose::simulation, placing_stream) {
    outcome.completion_s.assign(jobs.size(), 0);
    done.assign(jobs.size(), 0);
    owed_s.assign(jobs.size(), 0);
    if (!jobs.empty()) first_s = now_s = jobs.front().arrival_s;
  }

  const ClusterSetup& setup;
  const std::vector<Job>& jobs;
  RateModel rates_model;
  std::uint64_t seed;
  Rng rng;
  Outcome outcome;
  double now_s = 0, first_s = 0, progress = 0;
  double slot_seconds = 0, worker_seconds = 0;
  std::size_t arrived = 0, ended = 0;
  std::vector<ActiveJob> active;
  std::vector<double> done, owed_s;                  // work; seconds of restarting still to come
  std::vector<std::unique_ptr<Estimate>> estimates;  // by job; only for parameter_servers
  PairEstimate pairs;                                // only for pairs

  void admit(bool knows);
  void refresh(ActiveJob& job, bool knows);
  void tell_pairs(View& view, bool knows) const;
  void schedule(const Scheduler& scheduler);
  void run();
  void measure_pairs(std::span<const Placed> running, std::span<const double> rates);
  void advance(const std::vector<double>& rates, double span_s);
  void leave();
};

// Adds the jobs that have arrived, at the begin of an interval.
void Simulation::State::admit(bool knows) {
  while (arrived < jobs.size() && jobs[arrived].arrival_s <= now_s) {
    ActiveJob job;
    job.job = &jobs[arrived];
    job.id = static_cast<int>(arrived);
    if (setup.rule == SpeedRule::parameter_servers && !knows) {
      estimates.resize(jobs.size());
      estimates[arrived] =
          std::make_unique<Estimate>(setup, jobs[arrived], seed, placing_stream + 1 + arrived);
    }
    active.push_back(std::move(job));
    ++arrived;
  }
  for (ActiveJob& job : active) refresh(job, knows);
}

void Simulation::State::refresh(ActiveJob& active_job, bool knows) {
  const auto id = static_cast<std::size_t>(active_job.id);
  const Job& job = jobs[id];
  active_job.share_done = done[id] / job.work;
  if (setup.rule != SpeedRule::parameter_servers) {
    active_job.remaining = job.work - done[id];
    if (setup.rule == SpeedRule::measured)
      active_job.speed = [this, &job](const Tasks& tasks) {
        return packed_steps_per_s(setup, job, tasks.workers);
      };
    else
      active_job.speed = [](const Tasks&) { return 1.0; };
    return;
  }
  if (knows) {
    active_job.remaining = job.work - done[id];
    active_job.speed = [this, &job](const Tasks& tasks) {
      return steps_per_s(setup, job, tasks, nullptr);
    };
    return;
  }
  Estimate* estimate = estimates[id].get();
  estimate->advance(done[id]);
  active_job.remaining = estimate->remaining();
  active_job.speed = [estimate](const Tasks& tasks) { return estimate->speed(tasks); };
}

void Simulation::State::schedule(const Scheduler& scheduler) {
  admit(scheduler.knows);
  std::vector<Layout> before(active.size());
  View view{&setup, now_s, active, empty_room(setup), {}, {}};
  tell_pairs(view, scheduler.knows);
  for (std::size_t i = 0; i < active.size(); ++i) {
    before[i] = active[i].layout;
    if (setup.preempts) active[i].layout.clear();
    for (std::size_t m = 0; m < active[i].layout.size(); ++m)
      take(setup, view.free[m], active[i].layout[m]);
  }
  for (const Grant& grant : scheduler.allocation->allocate(view)) {
    ActiveJob& job = active[grant.index];
    if (!job.layout.empty()) continue;
    // A job that keeps its tasks keeps its place while that is free.
    const bool same = !before[grant.index].empty() && total_of(before[grant.index]) == grant.tasks;
    bool stays = same;
    for (std::size_t m = 0; stays && m < view.free.size(); ++m)
      stays = fits(setup, view.free[m], before[grant.index][m]);
    stays =
        stays && (scheduler.keeps == nullptr || scheduler.keeps(view, grant, before[grant.index]));
    auto layout = stays ? std::optional(before[grant.index]) : scheduler.place(view, grant, rng);
    if (!layout) continue;
    for (std::size_t m = 0; m < view.free.size(); ++m) take(setup, view.free[m], (*layout)[m]);
    const bool starts = before[grant.index].empty();
    const bool moves = !starts && *layout != before[grant.index];
    if (moves) ++outcome.moves;
    if (moves || (starts && setup.rule == SpeedRule::measured))
      owed_s[static_cast<std::size_t>(job.id)] = setup.restart_s;
    job.layout = *std::move(layout);
  }
}

void Simulation::State::tell_pairs(View& view, bool knows) const {
  if (setup.rule != SpeedRule::pairs) return;
  if (!knows) {
    view.pair_share = [this](const PairKey& key) { return pairs.share(key); };
    view.pair_useless = [this](const PairKey& key) { return useless(pairs, key); };
    return;
  }
  view.pair_share = [this](const PairKey& key) { return setup.pair_table->share(key); };
  view.pair_useless = [this](const PairKey& key) {
    return setup.pair_table->share(key) + setup.pair_table->share(turned(key)) < pair_gain_min;
  };
}

// Speeds are measured once in an interval, as with reports.
void Simulation::State::measure_pairs(std::span<const Placed> running,
                                      std::span<const double> rates) {
  std::map<std::size_t, std::vector<std::size_t>> by_server;
  for (std::size_t i = 0; i < running.size(); ++i)
    by_server[server_of(*running[i].layout)].push_back(i);
  for (const auto& [m, both] : by_server) {
    if (both.size() != 2) continue;
    const int kind = setup.servers[m].kind;
    for (const std::size_t i : both) {
      const int own = running[i].job->type, other = running[both[0] + both[1] - i].job->type;
      const double noise = std::max(0.1, 1 + setup.exchange.noise * rng.normal());
      const PairKey key{kind, own, other};
      pairs.observe(key, std::min(1.0, rates[i] / setup.pair_table->alone(kind, own) * noise));
      if (own < other || (own == other && i == both[0])) ++outcome.together[key];
    }
  }
}

// Lets every running job work until the interval or a job ends.
void Simulation::State::advance(const std::vector<double>& rates, double span_s) {
  double passed = span_s;
  std::size_t at = 0;
  for (const ActiveJob& job : active) {
    if (job.layout.empty()) continue;
    const auto id = static_cast<std::size_t>(job.id);
    const double rate = rates[at++];
    if (rate > 0) passed = std::min(passed, owed_s[id] + (jobs[id].work - done[id]) / rate);
  }
  passed = std::max(passed, 0.0);
  now_s += passed;
  at = 0;
  for (ActiveJob& job : active) {
    const auto id = static_cast<std::size_t>(job.id);
    if (job.layout.empty()) {
      outcome.waiting_s += passed / static_cast<double>(jobs.size());
      continue;
    }
    const double working = std::max(0.0, passed - owed_s[id]);
    owed_s[id] = std::max(0.0, owed_s[id] - passed);
    const double work = std::min(rates[at++] * working, jobs[id].work - done[id]);
    done[id] += work;
    progress += work / jobs[id].work;
    job.attained += passed * total_of(job.layout).total();
    slot_seconds += passed * total_of(job.layout).total();
    worker_seconds += passed * total_of(job.layout).workers;
  }
}

void Simulation::State::leave() {
  std::erase_if(active, [&](const ActiveJob& job) {
    const auto id = static_cast<std::size_t>(job.id);
    if (done[id] < jobs[id].work * (1 - 1e-12)) return false;
    outcome.completion_s[id] = now_s - jobs[id].arrival_s;
    ++ended;
    return true;
  });
}

void Simulation::State::run() {
  progress = 0;
  const double end_s = now_s + setup.interval_s;
  bool first = true;
  while (now_s < end_s - 1e-9 && !active.empty()) {
    std::vector<Placed> running;
    for (const ActiveJob& job : active)
      if (!job.layout.empty()) running.push_back({job.job, &job.layout});
    const auto rates = rates_model(setup, running);
    if (first && setup.rule == SpeedRule::pairs) measure_pairs(running, rates);
    if (first && !estimates.empty())
      for (std::size_t i = 0, at = 0; i < active.size(); ++i)
        if (!active[i].layout.empty())
          estimates[static_cast<std::size_t>(active[i].id)]->observe(total_of(active[i].layout),
                                                                     rates[at++]);
    first = false;
    advance(rates, end_s - now_s);
    leave();
  }
  if (ended == jobs.size()) {
    outcome.makespan_s = now_s - first_s;
    const auto share = [&](double seconds, int slots) {
      return outcome.makespan_s > 0 && slots > 0 ? seconds / (slots * outcome.makespan_s) : 0;
    };
    outcome.busy = share(slot_seconds, setup.cpus());
    outcome.gpus_busy = share(worker_seconds, setup.gpus());
  }
  now_s = end_s;
}

Simulation::Simulation(const ClusterSetup& setup, const std::vector<Job>& jobs, std::uint64_t seed,
                       RateModel rates)
    : state_(std::make_unique<State>(setup, jobs, seed, std::move(rates))) {}
Simulation::~Simulation() = default;

bool Simulation::step(const Scheduler& scheduler) {
  State& state = *state_;
  if (state.ended == state.jobs.size()) return false;
  if (state.active.empty() && state.arrived < state.jobs.size()) {
    const double wait = state.jobs[state.arrived].arrival_s - state.now_s;
    if (wait > 0) state.now_s += std::ceil(wait / state.setup.interval_s) * state.setup.interval_s;
  }
  state.schedule(scheduler);
  state.run();
  return state.ended < state.jobs.size();
}

const std::vector<ActiveJob>& Simulation::active() const { return state_->active; }
double Simulation::progress() const { return state_->progress; }
const Outcome& Simulation::outcome() const { return state_->outcome; }

Result<Outcome> simulate(const ClusterSetup& setup, const std::vector<Job>& jobs,
                         const Scheduler& scheduler, std::uint64_t seed) {
  Simulation simulation(setup, jobs, seed);
  for (std::int64_t idle = 0, all = 0; simulation.step(scheduler); ++all) {
    if (all > intervals_max)
      return refuse(Code::invalid, "it takes more than 10 million intervals; raise interval");
    idle = simulation.progress() > 0 ? 0 : idle + 1;
    if (idle > idle_intervals_max)
      return refuse(Code::invalid, "job " + std::to_string(simulation.active().front().id) +
                                       " never runs: its tasks do not fit into the cluster");
  }
  return simulation.outcome();
}

}  // namespace hone::cluster
