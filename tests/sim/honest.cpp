#include "tests/sim/honest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace hone::sim {
namespace {

constexpr double failure = -std::numeric_limits<double>::infinity();

struct Seed {
  std::vector<double> merits;
  std::vector<double> ranks;  // of the values, if the sweep compares by ranks
  bool first = false;         // the trial started with it
  bool gone = false;          // ended without a fault of the program
  bool failed = false;        // and so it is minus infinity from its end on
  bool whole = false;         // trained to its end
  [[nodiscard]] std::optional<double> at(std::size_t phase) const {
    for (std::size_t i = 0; i < std::min(phase + 1, merits.size()); ++i)
      if (merits[i] == failure) return failure;
    const auto& counted = ranks.empty() ? merits : ranks;
    if (phase < merits.size()) return counted[phase];
    if (failed) return failure;
    if (whole) return counted.back();
    return std::nullopt;
  }
};

double merit_of(const SweepSpec& spec, const Run& run, Score score) {
  if (score.is_diverged()) return failure;
  const double sign = spec.objective.goal == Goal::maximize ? 1 : -1;
  if (!spec.replicates.instances || spec.replicates.instances->worst.empty())
    return sign * score.value();
  const InstancesSpec& games = *spec.replicates.instances;
  const auto game = static_cast<std::size_t>(run.id.replicate) % games.values.size();
  return (score.value() - games.worst[game]) / (games.best[game] - games.worst[game]);
}

const Trial& trial_of(const Book& book, TrialId id) { return book.trials.at(id).second; }

// The rank of the value among those of every first run of all trials on the same game.
double rank_of(const Book& book, const Sweep& sweep, const Run& run, std::size_t phase) {
  const int games = instances_of(sweep.spec), first = first_runs(sweep.spec);
  const double own = merit_of(sweep.spec, run, run.reports[phase].score);
  double below = 0, same = 0, all = 0;
  const auto meet = [&](double other) {
    ++all;
    below += other < own ? 1 : 0;
    same += other == own ? 1 : 0;
  };
  for (const TrialId id : sweep.trials)
    for (const Run& other : trial_of(book, id).runs) {
      if (other.id.replicate >= first || other.reports.empty() ||
          other.id.replicate % games != run.id.replicate % games)
        continue;
      const std::size_t last = std::min(phase, other.reports.size() - 1);
      meet(merit_of(sweep.spec, other, other.reports[last].score));
    }
  if (run.id.replicate >= first) meet(own);
  return (below + same / 2) / all;
}

Seed seed_of(const Book& book, const Sweep& sweep, const Run& run) {
  const RunRecord& record = sweep.history.runs()[run.record];
  const bool ended = is_end(run.state);
  Seed seed;
  for (const RecordedReport& report : run.reports)
    seed.merits.push_back(merit_of(sweep.spec, run, report.score));
  for (std::size_t phase = 0; by_ranks(sweep.spec) && phase < run.reports.size(); ++phase)
    seed.ranks.push_back(rank_of(book, sweep, run, phase));
  seed.first = run.id.replicate < first_runs(sweep.spec);
  seed.gone = ended && !record.counts;
  seed.whole = run.state == RunState::completed;
  seed.failed = ended && record.counts && !seed.whole && !record.evicted;
  return seed;
}

// How many phases the trial has completed.
std::size_t depth_of(const std::vector<Seed>& seeds) {
  std::size_t furthest = 0;
  for (const Seed& seed : seeds) furthest = std::max(furthest, seed.merits.size());
  for (std::size_t depth = furthest; depth > 0; --depth) {
    const auto there = [&](const Seed& seed) { return seed.at(depth - 1).has_value(); };
    const bool all = std::all_of(seeds.begin(), seeds.end(), [&](const Seed& seed) {
      return !seed.first || seed.gone || there(seed);
    });
    if (all && std::any_of(seeds.begin(), seeds.end(), there)) return depth;
  }
  return 0;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double aggregated(Aggregate aggregate, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  const auto inner = [&](std::size_t cut) {
    return mean({values.begin() + static_cast<std::ptrdiff_t>(cut),
                 values.end() - static_cast<std::ptrdiff_t>(cut)});
  };
  switch (aggregate) {
    case Aggregate::mean:
      return mean(values);
    case Aggregate::median:
      return inner((n - 1) / 2);
    case Aggregate::iqm:
      return inner(n / 4);
    case Aggregate::lcb:
      break;
  }
  const double middle = mean(values);
  if (n < 2 || std::isinf(middle)) return middle;
  double squares = 0;
  for (const double value : values) squares += (value - middle) * (value - middle);
  return middle - std::sqrt(squares / static_cast<double>(n - 1) / static_cast<double>(n));
}

bool alike(double a, double b) {
  return a == b || std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)});
}

std::string lie_about(const Book& book, const Sweep& sweep, const Trial& trial) {
  std::vector<Seed> seeds;
  seeds.reserve(trial.runs.size());
  for (const Run& run : trial.runs) seeds.push_back(seed_of(book, sweep, run));
  const TrialOutcome& told = sweep.history.outcome(history_index(sweep, trial.number));
  const std::size_t depth = depth_of(seeds);
  if (told.phase + 1 != static_cast<int>(depth)) return "is at another phase";
  if (depth == 0) return {};
  std::vector<double> values;
  for (const Seed& seed : seeds)
    if (const auto value = seed.at(depth - 1)) values.push_back(*value);
  if (told.values != static_cast<int>(values.size())) return "has another number of values";
  const double merit = aggregated(sweep.spec.replicates.aggregate, values);
  if (!alike(merit, told.merit)) return "has another aggregate";
  if (std::isinf(merit) != (told.grade == TrialOutcome::Grade::failed))
    return "has failed, or has not";
  return {};
}

std::string confirmation_lie(const Book& book, const Sweep& confirmation, const Sweep& tuned) {
  std::set<std::uint64_t> used, first;
  std::set<std::string> sets;
  for (const TrialId id : tuned.trials) {
    for (const Run& run : trial_of(book, id).runs) used.insert(run.seed);
    for (const Param& param : trial_of(book, id).params) sets.insert(param.name);
  }
  for (const TrialId id : confirmation.trials) {
    const Trial& trial = trial_of(book, id);
    std::set<std::uint64_t> own;
    for (const Run& run : trial.runs) own.insert(run.seed);
    if (first.empty()) first = own;
    if (own != first) return "its sets have different seeds";
    if (own.size() != static_cast<std::size_t>(confirmation.spec.seeds))
      return "a set has another number of seeds than requested";
    if (std::any_of(own.begin(), own.end(), [&](auto seed) { return used.contains(seed); }))
      return "it trains with a seed of the tuning";
    const bool known = std::any_of(tuned.trials.begin(), tuned.trials.end(), [&](TrialId other) {
      return trial_of(book, other).params == trial.params;
    });
    if (!known) return "it trains a set that was not tuned";
  }
  return {};
}

// Only a rule that pauses trials may leave one where it is.
std::string stuck(const Book& book, const Sweep& sweep, const Trial& trial, bool pausing) {
  const auto waits = [](const Run& run) {
    return run.reason == EndReason::not_promoted && !run.reports.empty() &&
           run.reports.back().verdict->reason == VerdictReason::awaits_seeds;
  };
  for (const Run& run : trial.runs) {
    if (!waits(run)) continue;
    if (!pausing) return text(run.id) + " never continued";
    std::vector<Seed> seeds;
    seeds.reserve(trial.runs.size());
    for (const Run& other : trial.runs) seeds.push_back(seed_of(book, sweep, other));
    const bool behind = std::any_of(trial.runs.begin(), trial.runs.end(), [&](const Run& other) {
      return other.reports.size() <= run.reports.size() && !waits(other);
    });
    if (!behind) return text(run.id) + " waited although all its siblings were as far";
  }
  return {};
}

}  // namespace

std::string dishonest_aggregate(const Book& book) {
  for (const auto& [id, sweep] : book.sweeps) {
    if (!sweep.history.replication().multi_seed()) continue;
    for (const TrialId trial : sweep.trials)
      if (const auto lie = lie_about(book, sweep, trial_of(book, trial)); !lie.empty())
        return text(trial) + " " + lie;
  }
  return {};
}

std::string dishonest_confirmation(const Book& book) {
  for (const auto& [id, sweep] : book.sweeps) {
    if (!sweep.spec.confirms) continue;
    const auto lie = confirmation_lie(book, sweep, book.sweeps.at(sweep.spec.confirms));
    if (!lie.empty()) return text(id) + ": " + lie;
  }
  return {};
}

std::string waited_for_ever(const Book& book) {
  for (const auto& [id, sweep] : book.sweeps) {
    const bool by_itself =
        sweep.state == SweepState::completed && sweep.reason == EndReason::budget_reached;
    if (!by_itself || !sweep.history.replication().multi_seed()) continue;
    const SweepShape single{sweep.spec.search.trials, 1, sweep.spec.budget.phases, false, {}};
    const auto rule = make_terminator(sweep.spec.terminator, single);
    const bool pausing = (*rule)->pauses();
    for (const TrialId trial : sweep.trials)
      if (auto what = stuck(book, sweep, trial_of(book, trial), pausing); !what.empty())
        return what;
  }
  return {};
}

}  // namespace hone::sim
