// Sweeps of several runs a trial, played by two workers.
#pragma once

#include <functional>
#include <map>

#include "tests/unit/sweep/given.hpp"

namespace hone {

inline SweepSpec replicated(const std::string& rule, int seeds, int most = 0,
                            std::int64_t trials = 6) {
  SweepSpec spec = small_spec(trials, 4);
  spec.terminator = {rule, {}};
  if (rule == "dehb") spec.search.method = "dehb";
  if (rule == "threshold") spec.terminator.settings = {{"value", 1}, {"phases", 2}};
  spec.seeds = seeds;
  spec.replicates.max = most;
  spec.replicates.race = most > 0;
  return spec;
}

using ValueOf = std::function<double(std::int64_t trial, int replicate, int phase)>;

// Two workers that train whatever they get, one phase after another, until the sweep has ended.
class Play : public Given {
 public:
  Play(const SweepSpec& spec, ValueOf value) : value_(std::move(value)) {
    id = submit(spec);
    workers_ = {join("join-1"), join("join-2")};
  }

  // Whether a run crashes instead of making this report.
  std::function<bool(RunId, int phase)> crashes = [](RunId, int) { return false; };
  std::map<RunId, std::vector<Verdict>> verdicts;
  SweepId id;

  void run_to_end(SweepId sweep_id) {
    for (int turns = 0; !is_end(sweep(sweep_id).state); ++turns) {
      ASSERT_LT(turns, 5000) << "it waits for something that never comes";
      for (const WorkerId worker : workers_) step(worker, sweep_id);
      now = now + seconds(1);
      rest();
    }
  }

 private:
  void step(WorkerId worker, SweepId sweep_id) {
    auto& grant = grants_[worker];
    if (!grant) grant = acquire(worker, "a" + std::to_string(++asked_));
    if (!grant || is_end(sweep(sweep_id).state)) return;
    const RunId run_id = grant->attempt.run;
    const int phase = grant->next_phase;
    if (crashes(run_id, phase)) {
      when(End{grant->lease, {EndReason::exit_code, 1, "it broke", {}}});
      return grant.reset();
    }
    const std::int64_t number = find_trial(book, run_id.trial)->number;
    const Verdict verdict =
        report(grant->lease, phase, Score::of(value_(number, run_id.replicate, phase)));
    verdicts[run_id].push_back(verdict);
    ++grant->next_phase;
    if (verdict.action != Action::go_on) grant.reset();
  }

  ValueOf value_;
  std::vector<WorkerId> workers_;
  std::map<WorkerId, std::optional<LeaseGrant>> grants_;
  int asked_ = 0;
};

inline double jumpy(std::int64_t trial, int replicate, int phase) {
  Rng rng(99, Purpose::simulation,
          static_cast<std::uint64_t>(trial * 1000 + replicate * 10 + phase));
  return static_cast<double>(trial) + rng.normal();
}

// A new run of the trial, with all its reports.
inline std::size_t add_curve(History& history, std::size_t trial,
                             const std::vector<double>& values) {
  std::vector<Score> scores;
  for (const double value : values) scores.push_back(Score::of(value));
  const std::size_t run = history.add_run(trial);
  history.add_curve(run, scores);
  return run;
}

}  // namespace hone
