#include "server/search/terminators/hone/rank_prior.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "schemas/types/search_spec.hpp"
#include "server/search/terminators/hone/smoothed_curves.hpp"
#include "server/search/terminators/rule_helpers.hpp"

namespace hone {
namespace {

constexpr int version_with_prior = 4;
constexpr std::size_t tenths = rank_prior_tenths;
// Enough for an error below a tenth; pairs cost the square.
constexpr std::size_t runs_max = 200;
constexpr double smoothing_memory = 0.1;  // of a run, as in the rule
constexpr double lowest = -std::numeric_limits<double>::infinity();

// A run's smoothed scores at the tenths of a run, and at its end.
using Scores = std::array<double, tenths + 1>;

std::vector<Scores> ended_runs(const EarlierSweep& sweep) {
  const SmoothedCurves curves(sweep.history, sweep.first_runs, smoothing_memory * sweep.phases,
                              sweep.phases);
  std::vector<Scores> runs;
  for (const SmoothedCurves::Curve& curve : curves.curves()) {
    if (runs.size() == runs_max) break;
    // A fork's first ranks are those of the run that it continues.
    if (!curve.first || curve.inherited > 0) continue;
    if (!(curve.diverged || curve.length() == sweep.phases)) continue;
    Scores scores{};
    for (std::size_t tenth = 0; tenth <= tenths; ++tenth) {
      const double share = static_cast<double>(tenth + 1) / (tenths + 1);
      const auto reports = std::max(1, static_cast<int>(std::lround(share * sweep.phases)));
      scores[tenth] =
          reports <= curve.length() ? curve.scores[static_cast<std::size_t>(reports - 1)] : lowest;
    }
    runs.push_back(scores);
  }
  return runs;
}

int order(double left, double right) { return (left > right ? 1 : 0) - (left < right ? 1 : 0); }

// Pairs, and by how many more agree than do not; of all, and of those with one run.
struct Pairs {
  std::vector<double> of_run;
  std::vector<std::array<double, tenths>> agreed_of_run;
  double all = 0;
  std::array<double, tenths> agreed{};

  void add(std::span<const Scores> runs) {
    const std::size_t first = of_run.size();
    of_run.resize(first + runs.size());
    agreed_of_run.resize(first + runs.size());
    for (std::size_t better = 0; better < runs.size(); ++better) {
      if (!in_better_third(runs, runs[better].back())) continue;
      for (std::size_t worse = 0; worse < runs.size(); ++worse)
        if (runs[better].back() > runs[worse].back())
          add_pair(runs[better], runs[worse], {first + better, first + worse});
    }
  }

 private:
  static bool in_better_third(std::span<const Scores> runs, double last) {
    const auto ahead = static_cast<std::size_t>(
        std::ranges::count_if(runs, [&](const Scores& run) { return run.back() > last; }));
    return 3 * ahead < runs.size();
  }
  void add_pair(const Scores& better, const Scores& worse, std::array<std::size_t, 2> runs) {
    all += 1;
    for (const std::size_t run : runs) of_run[run] += 1;
    for (std::size_t tenth = 0; tenth < tenths; ++tenth) {
      const double sign = order(better[tenth], worse[tenth]);
      agreed[tenth] += sign;
      for (const std::size_t run : runs) agreed_of_run[run][tenth] += sign;
    }
  }
};

// The standard error of tau by leaving out one run after the other.
double jackknife(const Pairs& pairs, std::size_t tenth) {
  std::vector<double> without;
  for (std::size_t run = 0; run < pairs.of_run.size(); ++run)
    if (const double left = pairs.all - pairs.of_run[run]; left > 0)
      without.push_back((pairs.agreed[tenth] - pairs.agreed_of_run[run][tenth]) / left);
  if (without.size() < 2) return 0;
  const auto count = static_cast<double>(without.size());
  double mean = 0, squares = 0;
  for (const double tau : without) mean += tau / count;
  for (const double tau : without) squares += (tau - mean) * (tau - mean);
  return std::sqrt(squares * (count - 1) / count);
}

}  // namespace

bool uses_rank_prior(const TerminatorSpec& rule) {
  return rule.rule == "hone" && setting(rule, "version").value_or(1) >= version_with_prior &&
         setting(rule, "prior").value_or(1) != 0;
}

std::optional<RankPrior> measure_rank_prior(std::span<const EarlierSweep> sweeps) {
  Pairs pairs;
  int complete = 0;
  for (const EarlierSweep& sweep : sweeps) {
    if (sweep.phases < 2) continue;
    const std::vector<Scores> runs = ended_runs(sweep);
    complete += static_cast<int>(
        std::ranges::count_if(runs, [](const Scores& run) { return run.back() > lowest; }));
    pairs.add(runs);
  }
  if (pairs.all == 0) return std::nullopt;
  RankPrior prior{complete, {}};
  for (std::size_t tenth = 0; tenth < tenths; ++tenth)
    prior.tenths.push_back({pairs.agreed[tenth] / pairs.all,
                            std::max(jackknife(pairs, tenth), 0.5 / std::sqrt(complete))});
  return prior;
}

namespace {

// Returns what `of` gives for the tenths of a run, linear between them and up to 1 at the end.
template <class Of>
double between_tenths(const RankPrior& prior, int phase, int phases, Of of) {
  const auto at = [&](std::size_t tenth) {
    return tenth >= prior.tenths.size() ? 1.0 : of(prior.tenths[tenth]);
  };
  const double place =
      std::max(0.0, (tenths + 1) * static_cast<double>(phase) / static_cast<double>(phases) - 1);
  const auto below = static_cast<std::size_t>(place);
  return at(below) + (place - static_cast<double>(below)) * (at(below + 1) - at(below));
}

}  // namespace

double trust(const RankPrior& prior, int phase, int phases) {
  return between_tenths(prior, phase, phases, [](const RankAgreement& one) {
    return std::clamp(one.tau + one.error, 0.0, 1.0);
  });
}

double agreed(const RankPrior& prior, int phase, int phases) {
  return between_tenths(prior, phase, phases, [](const RankAgreement& one) { return one.tau; });
}

}  // namespace hone
