// How much sooner sweeps end whose last runs get more slots: the real rules under a virtual clock.
// Everything here is simulated: phases are lognormal by trial (sigma 0.5, median 60 s), a part of
// each is not shared among slots, and each attempt starts for 5 s.
//
//   widths_bench [SEEDS]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <queue>

#include "base/rng.hpp"
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

constexpr double median_s = 60, sigma = 0.5, start_s = 5;

struct Case {
  int workers = 1, slots = 4;
  double alone = 0.1;  // part of a phase that is not shared among slots
  const char* rule = "none";
};

class Machines : public Given {
 public:
  Machines(const Case& of, std::uint64_t seed, int most) : of_(of), seed_(seed) {
    when(Start{"bench", Duration{never.us / 4}});
    for (int i = 0; i < of.workers; ++i)
      when(Join{{"w" + std::to_string(i), "host", 1, of.slots, 0, "bench"}});
    SweepSpec spec = small_spec(20, 10);
    spec.seed = seed;
    spec.terminator = {of.rule, {}};
    if (spec.terminator.rule == "hypertrick") spec.terminator.settings = {{"eviction_rate", 0.25}};
    spec.resources.cpus_max = most;
    id_ = submit(spec);
  }

  // Returns the seconds until the end of the sweep.
  double run_to_end() {
    const Instant begin = now;
    lease_all();
    while (!ends_.empty()) {
      const auto [at, lease] = ends_.top();
      ends_.pop();
      now = at;
      tick();
      finish_phase(lease);
      lease_all();
    }
    EXPECT_TRUE(is_end(sweep(id_).state));
    return static_cast<double>((now - begin).us) / 1e6;
  }
  int changes = 0;
  double work_s = 0;  // slot-seconds of all phases and starts

 private:
  [[nodiscard]] Rng numbers_of(RunId run) const {
    return Rng(seed_, Purpose::simulation, static_cast<std::uint64_t>(run.trial.value));
  }
  void plan(LeaseId id, double start) {
    const Lease& lease = book.leases.at(id);
    Rng rng = numbers_of(lease.attempt.run);
    const int cpus = std::max(lease.cpus, 1);
    const double phase =
        median_s * std::exp(sigma * rng.normal()) * (of_.alone + (1 - of_.alone) / cpus);
    work_s += (start + phase) * cpus;
    ends_.emplace(now + microseconds(std::llround((start + phase) * 1e6)), id);
  }
  void lease_all() {
    for (bool again = true; again;) {
      again = false;
      for (int i = 1; i <= of_.workers; ++i) {
        const Command poll =
            Acquire{{"poll-" + std::to_string(++polls_), WorkerId{i}, of_.slots, 0, {}}};
        when(poll);
        const auto grant = std::get<std::optional<LeaseGrant>>(answer(book, poll));
        if (!grant) continue;
        again = true;
        plan(grant->lease, start_s);
      }
    }
  }
  void finish_phase(LeaseId id) {
    const RunId run_id = book.leases.at(id).attempt.run;
    const int phase = static_cast<int>(run(run_id).reports.size());
    when(SaveModel{id, {text(run_id) + std::to_string(phase), 1, 3 * (phase + 1), phase}});
    Rng rng = numbers_of(run_id);
    rng.normal();
    const Command told = Report{id, {phase, 3 * (phase + 1), Score::of(rng.normal() * phase)}};
    when(told);
    const Verdict verdict = std::get<ReportReply>(answer(book, told)).verdict;
    if (verdict.reason == VerdictReason::yields) ++changes;
    if (verdict.action == Action::go_on) plan(id, 0);
  }

  using End = std::pair<Instant, LeaseId>;
  Case of_;
  std::uint64_t seed_;
  SweepId id_;
  std::int64_t polls_ = 0;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

void measure(const Case& of, int seeds) {
  double narrow = 0, wide = 0, worst = 0, bound = 0;
  int changes = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    Machines one(of, static_cast<std::uint64_t>(seed), 0);
    Machines other(of, static_cast<std::uint64_t>(seed), of.slots);
    const double before = one.run_to_end(), after = other.run_to_end();
    narrow += before, wide += after;
    bound += one.work_s / (of.workers * of.slots);  // all slots busy, nothing lost by sharing
    worst = std::max(worst, after / before - 1);
    changes += other.changes;
  }
  std::printf(
      "%d x %d slots  %4.0f %%  %-10s  %6.0f s  %6.0f s  %5.1f %%  %5.0f %%  %+5.1f %%  "
      "%4.0f %%  %4.0f %%  %.1f\n",
      of.workers, of.slots, 100 * of.alone, of.rule, narrow / seeds, wide / seeds,
      100 * (1 - wide / narrow), 1000 * (1 - wide / narrow), 100 * worst,
      100 * (narrow / bound - 1), 100 * (wide / bound - 1), static_cast<double>(changes) / seeds);
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 40;
  std::printf(
      "simulated, 20 trials of 10 phases, %d seeds: slots, part not shared, rule, seconds"
      " of a sweep with 1 slot\na run and with a range, saved, saved of the last tenth,"
      " longest against 1 slot,\nboth above the bound (the work with 1 slot a run, divided by the"
      " slots), changes a sweep\n",
      seeds);
  for (const char* rule : {"none", "hypertrick"})
    for (const double alone : {0.0, 0.1, 0.3, 1.0})
      for (const auto& [workers, slots] : {std::pair(1, 2), std::pair(1, 8), std::pair(2, 4)})
        hone::measure({workers, slots, alone, rule}, seeds);
  return 0;
}
