#include "server/sweep/submit/warm_start.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "schemas/types/reach.hpp"
#include "server/search/terminators/hone/rank_prior.hpp"
#include "server/sweep/state/rules_now.hpp"

namespace hone {
namespace {

constexpr int with_comparable_phases = 5;  // SweepSubmitted::rules

// The last phase of the new sweep that is complete at the same share of a run's budget.
int mapped_phase(int phase, int phases_before, int phases_now) {
  if (phase < 0) return phase;
  return (phase + 1) * phases_now / phases_before - 1;
}

// The outcome in the phases of a new sweep; nullopt if it ended before the first of them.
std::optional<TrialOutcome> mapped(TrialOutcome outcome, const SweepSpec& before,
                                   const SweepSpec& now, int rules) {
  const int phase = mapped_phase(outcome.phase, before.budget.phases, now.budget.phases);
  const bool is_too_early = outcome.phase >= 0 && phase < 0;
  if (is_too_early && rules >= with_comparable_phases &&
      outcome.grade != TrialOutcome::Grade::failed)
    return std::nullopt;
  outcome.phase = is_too_early ? 0 : phase;
  return outcome;
}

// Calls visit(trial, outcome) for each trial of the sweep that has a result.
template <class Visit>
void each_result(const Book& book, const Sweep& earlier, const Visit& visit) {
  for (std::size_t number = 0; number < earlier.trials.size(); ++number) {
    const auto index = history_index(earlier, static_cast<std::int64_t>(number));
    const TrialOutcome outcome = earlier.history.outcome(index);
    if (outcome.grade == TrialOutcome::Grade::pending) continue;
    visit(*find_trial(book, earlier.trials[number]), outcome);
  }
}

std::string objectives_text(const SweepSpec& spec) {
  std::string all = std::string(spec.objective.goal == Goal::maximize ? "maximize " : "minimize ") +
                    "'" + spec.objective.metric + "'";
  for (const Objective& one : spec.further_objectives)
    all += std::string(one.goal == Goal::maximize ? ", maximize '" : ", minimize '") + one.metric +
           "'";
  return all;
}

Status check_objectives(const Sweep& earlier, const SweepSpec& spec) {
  if (earlier.spec.objective == spec.objective &&
      earlier.spec.further_objectives == spec.further_objectives)
    return Done{};
  const std::string theirs = objectives_text(earlier.spec), ours = objectives_text(spec);
  return refuse(Code::invalid, text(earlier.id) + " has another objective (" + theirs +
                                   (theirs == ours ? ", by another clock or bar" : "") +
                                   ") than this sweep (" + ours +
                                   "): its results cannot be compared");
}

constexpr const char* too_early = "ended before the first phase of this sweep";

// The reason that most trials have, with one of them.
Error none_fits(const Book& book, const Sweep& earlier, const SearchSpace& space,
                std::int64_t trials) {
  const auto why_unused = [&](const Trial& trial) {
    const std::string why = space.why_outside(trial.params);
    return why.empty() ? std::string(too_early) : why;
  };
  std::map<std::string, std::int64_t> reasons;
  each_result(book, earlier, [&](const Trial& trial, const TrialOutcome&) {
    const std::string why = why_unused(trial);
    ++reasons[why.substr(0, why.find("': "))];  // without the value
  });
  const auto most =
      std::ranges::max_element(reasons, {}, [](const auto& one) { return one.second; });
  std::string example;
  each_result(book, earlier, [&](const Trial& trial, const TrialOutcome&) {
    const std::string why = why_unused(trial);
    if (example.empty() && why.starts_with(most->first)) example = text(trial.id) + ", " + why;
  });
  return refuse(Code::invalid, "0 of " + std::to_string(trials) + " trials of " + text(earlier.id) +
                                   " lie in this space, so nothing would be learned (" + example +
                                   "): change the parameters, or leave it out");
}

Result<Learned> learn_from(const Book& book, const Sweep& earlier, const SweepSpec& spec,
                           const SearchSpace& space) {
  Learned learned{earlier.id};
  each_result(book, earlier, [&](const Trial& trial, const TrialOutcome& outcome) {
    ++learned.trials;
    const auto point = space.point_of(trial.params);
    if (point && space.feasible(*point) && mapped(outcome, earlier.spec, spec, rules_now))
      ++learned.used;
  });
  if (learned.used == 0 && learned.trials > 0)
    return none_fits(book, earlier, space, learned.trials);
  return learned;
}

}  // namespace

Result<std::vector<Learned>> check_warm_start(const Book& book, const SweepSpec& spec) {
  std::vector<Learned> all;
  if (spec.search.warm_start.empty()) return all;
  const auto space = SearchSpace::make(spec.parameters, spec.constraints, WitnessSearch::brief);
  if (!space) return space.error();
  for (std::size_t i = 0; i < spec.search.warm_start.size(); ++i) {
    const SweepId id = spec.search.warm_start[i];
    const std::string at = "/search/warm_start/" + std::to_string(i);
    const Sweep* earlier = find_sweep(book, id);
    if (earlier == nullptr) return refuse(Code::not_found, "no sweep " + text(id), at);
    if (auto same = check_objectives(*earlier, spec); !same)
      return refuse(Code::invalid, same.error().detail, at);
    if (by_ranks(spec) || by_ranks(earlier->spec))
      return refuse(Code::invalid,
                    "ranks only compare the trials of one sweep: results of " + text(id) +
                        " cannot be compared",
                    at);
    auto learned = learn_from(book, *earlier, spec, *space);
    if (!learned) return refuse(Code::invalid, learned.error().detail, at);
    all.push_back(*learned);
  }
  return all;
}

void warm_start(const Book& book, const SweepSpec& spec, int rules, const SearchSpace& space,
                History& history) {
  for (const SweepId id : spec.search.warm_start) {
    const Sweep* found = find_sweep(book, id);
    if (found == nullptr) continue;  // it is quarantined
    const Sweep& earlier = *found;
    each_result(book, earlier, [&](const Trial& trial, const TrialOutcome& outcome) {
      const auto point = space.point_of(trial.params);
      if (!point || !space.feasible(*point)) return;
      if (const auto known = mapped(outcome, earlier.spec, spec, rules))
        history.add_foreign(*point, *known);
    });
  }
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
