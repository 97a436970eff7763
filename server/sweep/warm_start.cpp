#include "server/sweep/warm_start.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "schemas/types/reach.hpp"
#include "server/search/terminators/hone/rank_prior.hpp"

namespace hone {
namespace {

// The last phase of the new sweep that is complete at the same share of a run's budget.
int mapped_phase(int phase, int phases_before, int phases_now) {
  if (phase < 0) return phase;
  return std::max(0, (phase + 1) * phases_now / phases_before - 1);
}

}  // namespace

Status check_warm_start(const Book& book, const SweepSpec& spec) {
  for (std::size_t i = 0; i < spec.search.warm_start.size(); ++i) {
    const SweepId id = spec.search.warm_start[i];
    const std::string at = "/search/warm_start/" + std::to_string(i);
    const Sweep* earlier = find_sweep(book, id);
    if (earlier == nullptr) return refuse(Code::not_found, "no sweep " + text(id), at);
    if (earlier->spec.objective != spec.objective ||
        earlier->spec.further_objectives != spec.further_objectives)
      return refuse(Code::invalid,
                    text(id) + " has another objective: its results cannot be compared", at);
    if (by_ranks(spec) || by_ranks(earlier->spec))
      return refuse(Code::invalid,
                    "ranks only compare the trials of one sweep: results of " + text(id) +
                        " cannot be compared",
                    at);
  }
  return Done{};
}

std::size_t warm_start(const Book& book, const SweepSpec& spec, const SearchSpace& space,
                       History& history) {
  std::size_t fitted = 0;
  for (const SweepId id : spec.search.warm_start) {
    const Sweep* found = find_sweep(book, id);
    if (found == nullptr) continue;  // it is quarantined
    const Sweep& earlier = *found;
    for (std::size_t number = 0; number < earlier.trials.size(); ++number) {
      const auto index = history_index(earlier, static_cast<std::int64_t>(number));
      TrialOutcome outcome = earlier.history.outcome(index);
      if (outcome.grade == TrialOutcome::Grade::pending) continue;
      const auto point = space.point_of(find_trial(book, earlier.trials[number])->params);
      if (!point || !space.feasible(*point)) continue;
      outcome.phase = mapped_phase(outcome.phase, earlier.spec.budget.phases, spec.budget.phases);
      history.add_foreign(*point, outcome);
      ++fitted;
    }
  }
  return fitted;
}

std::optional<RankPrior> earlier_ranks(const Book& book, const SweepSpec& spec) {
  if (!uses_rank_prior(spec.terminator) || measures_time(spec.objective)) return std::nullopt;
  std::vector<EarlierSweep> earlier;
  for (const SweepId id : spec.search.warm_start) {
    const Sweep& sweep = book.sweeps.at(id);
    // Values of different problems have no order; members of a population change on their way.
    if (instances_of(sweep.spec) > 1 || is_population(sweep.spec)) continue;
    earlier.push_back({sweep.history, sweep.spec.budget.phases, first_runs(sweep.spec)});
  }
  return measure_rank_prior(earlier);
}

void move_points(const SearchSpace& before, Sweep& sweep) {
  for (std::size_t trial = 0; trial < sweep.history.trials().size(); ++trial) {
    const auto point = sweep.space.point_of(before.params_at(sweep.history.point(trial)));
    if (point) sweep.history.move_trial(trial, *point);
  }
}

}  // namespace hone
