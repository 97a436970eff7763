// BOHB (Falkner, Klein and Hutter, "BOHB: Robust and Efficient Hyperparameter Optimization at
// Scale", ICML 2018, algorithm 2), the half that proposes; the other half is the rule `hyperband`.
// What the paper leaves open is as in the authors' program (marked h).
//
//   random   a share random_fraction of the proposals (1/3), and all while no budget has
//            N_min + 2 results, N_min = d + 1
//   budget   the largest number of phases that N_min + 2 trials have reported: only its results
//            count, because they are the closest to a complete run
//   split    l is fitted to the best max(N_min, q n) of its n results, q = 15 %, and g to the worst
//            max(N_min, n - N_l)
//   proposal the draw, of 64 (h: num_samples) from l with bandwidths three times as wide, of the
//            greatest l(x) / g(x)
//
// A budget is any number of phases, not only that of a rung: runs between two rungs have reported
// too. A run that diverged is worse than every other (h). Pending trials are ignored.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "server/search/history/seed_curves.hpp"
#include "server/search/samplers/bohb/density.hpp"
#include "server/search/samplers/settings.hpp"

namespace hone {
namespace {

constexpr std::int64_t bohb_trials_max = 10'000;  // a proposal costs time in proportion to them
constexpr double least_density = 1e-32;           // h

struct BohbSettings {
  double random_fraction = 1.0 / 3;
  double top = 0.15;
  std::size_t samples = 64;
  double bandwidth_factor = 3;
};

struct Ranked {
  std::size_t trial = 0;
  double merit = 0;
};

// The merits after `phases` phases, best first; ties go to the lower trial number.
std::vector<Ranked> results_at(const History& history, int phases) {
  std::vector<Ranked> results;
  for (std::size_t trial = history.foreign(); trial < history.trials().size(); ++trial) {
    const SeedCurves curves(history, trial);
    if (curves.length() < phases) continue;
    const auto values = curves.values(phases - 1);
    if (values.empty()) continue;
    double sum = 0;
    for (const double value : values) sum += value;
    results.push_back({trial, sum / static_cast<double>(values.size())});
  }
  std::stable_sort(results.begin(), results.end(),
                   [](const Ranked& a, const Ranked& b) { return a.merit > b.merit; });
  return results;
}

class Bohb final : public Sampler {
 public:
  explicit Bohb(const BohbSettings& settings) : settings_(settings) {}

  std::optional<Point> propose(const SearchSpace& space, const History& history,
                               const Draw& draw) const override {
    Rng rng = draw.rng();
    const std::size_t least = space.dimensions().size() + 1;
    if (space.dimensions().empty() || rng.uniform() < settings_.random_fraction)
      return random_point(space, rng);
    const int phases = largest_budget(history, least + 2);
    if (phases == 0) return random_point(space, rng);
    const auto results = results_at(history, phases);
    const auto share =
        static_cast<std::size_t>(settings_.top * static_cast<double>(results.size()));
    const std::size_t good = std::max(least, share);
    const std::size_t bad = std::max(least, results.size() - good);
    const BohbDensity best(space, points(history, results, 0, good), rng);
    const BohbDensity worst(space, points(history, results, results.size() - bad, results.size()),
                            rng);
    return best_draw(space, best, worst, rng);
  }

 private:
  // The largest number of phases that `needed` trials have reported; 0: none.
  static int largest_budget(const History& history, std::size_t needed) {
    std::vector<int> lengths;
    for (std::size_t trial = history.foreign(); trial < history.trials().size(); ++trial)
      lengths.push_back(SeedCurves(history, trial).length());
    if (lengths.size() < needed) return 0;
    const auto place = lengths.begin() + static_cast<std::ptrdiff_t>(needed - 1);
    std::nth_element(lengths.begin(), place, lengths.end(), std::greater<>());
    return *place;
  }

  static std::vector<Point> points(const History& history, const std::vector<Ranked>& results,
                                   std::size_t first, std::size_t end) {
    std::vector<Point> found;
    for (std::size_t i = first; i < end; ++i) {
      const auto point = history.point(results[i].trial);
      found.emplace_back(point.begin(), point.end());
    }
    return found;
  }

  [[nodiscard]] Point best_draw(const SearchSpace& space, const BohbDensity& best,
                                const BohbDensity& worst, Rng& rng) const {
    Point chosen;
    double most = -1;
    for (std::size_t i = 0; i < settings_.samples; ++i) {
      Point point = best.draw(settings_.bandwidth_factor, rng);
      space.settle(point);
      if (!space.feasible(point)) continue;
      const double ratio = best.at(point) / std::max(least_density, worst.at(point));
      if (ratio > most) most = ratio, chosen = std::move(point);
    }
    return chosen.empty() ? random_point(space, rng) : chosen;
  }

  BohbSettings settings_;
};

Result<BohbSettings> bohb_settings(const SearchSpec& search) {
  constexpr std::array<std::string_view, 4> known{"random_fraction", "top", "samples",
                                                  "bandwidth_factor"};
  if (auto fits = only_settings(search, known); !fits) return fits.error();
  if (search.trials > bohb_trials_max)
    return refuse(Code::invalid,
                  "bohb compares every proposal with every trial: it takes at most 10,000 trials; "
                  "method tpe takes more",
                  "/search/trials");
  if (!search.warm_start.empty())
    return refuse(Code::invalid,
                  "bohb learns from its own sweep's trials only; method tpe takes a warm start",
                  "/search/warm_start");
  const auto random = number_setting(search, "random_fraction", 1.0 / 3, {0, 1});
  if (!random) return random.error();
  const auto top = number_setting(search, "top", 0.15, {0.001, 0.9});
  if (!top) return top.error();
  const auto samples = count_setting(search, "samples", 64, {1, 10'000});
  if (!samples) return samples.error();
  const auto factor = number_setting(search, "bandwidth_factor", 3, {0.01, 100});
  if (!factor) return factor.error();
  return BohbSettings{*random, *top, static_cast<std::size_t>(*samples), *factor};
}

// A proposal is decided on the thread of the engine: each sample is compared with every trial in
// every dimension, and each condition of the space is evaluated for it.
Status check_bohb_cost(const SearchSpec& search, const SearchSpace& space, std::size_t samples) {
  constexpr double kernels_max = 1e8, conditions_max = 1e7;
  const auto drawn = static_cast<double>(samples);
  const double kernels =
      drawn * static_cast<double>(search.trials) * static_cast<double>(space.dimensions().size());
  const double conditions = drawn * static_cast<double>(space.evaluation_cost());
  if (kernels <= kernels_max && conditions <= conditions_max) return Done{};
  return refuse(Code::invalid,
                "bohb compares every sample with every trial in every parameter: these are too "
                "many for one proposal. Use fewer samples, trials or parameters, or method tpe",
                "/search/samples");
}

}  // namespace

Result<std::unique_ptr<Sampler>> make_bohb(const SearchSpec& search, const SearchSpace& space) {
  const auto settings = bohb_settings(search);
  if (!settings) return settings.error();
  if (auto fits = check_bohb_cost(search, space, settings->samples); !fits) return fits.error();
  return std::unique_ptr<Sampler>(std::make_unique<Bohb>(*settings));
}

}  // namespace hone
