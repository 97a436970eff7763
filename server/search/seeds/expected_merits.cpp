#include "server/search/seeds/expected_merits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>

#include "server/search/samplers/tpe/process.hpp"
#include "server/search/samplers/tpe/training.hpp"
#include "server/search/seeds/leaders.hpp"

namespace hone {
namespace {

constexpr std::size_t trials_min = 16;     // fewer show neither a width nor a noise
constexpr double leading_share = 2.0 / 3;  // of the points; the others are spread by rank
constexpr std::size_t expected_max = 64;   // trials that are returned
constexpr std::int64_t due_first = 16, due_growth = 8;

// The noise counts where it is at least this share, and the process with it so much more likely
// (logarithms of the likelihood ratio).
constexpr double noise_share_min = 0.02, evidence_min = 10;
// Nor does it count where the processes explain all but this share of the variance at the leaders,
// which are close to each other: 0.0002 without noise, 0.03 and more with it (names_bench).
constexpr double unexplained_min = 0.005;

// The shape's fit: from one or two widths (in units of sqrt(dimensions) / 2) steps of the widths'
// logarithms by the sign of the slope (Riedmiller and Braun, 1993), with a normal prior around the
// start; the noise is chosen from a grid now and then.
constexpr std::array start_widths{0.6, 1.5};
constexpr double check_width = 0.8;
constexpr double choice_inverse_width = 0.4;
constexpr int shape_rounds = 8, shape_rounds_per_noise = 3;
constexpr double width_step = 0.7, width_step_growth = 1.2, width_step_shrinkage = 0.5;
constexpr double width_prior = 0.25;  // 1 / (2 * variance)
constexpr std::array noise_grid{1e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0};
constexpr std::size_t hardly_any = 2;   // of them, from the least
constexpr std::size_t first_noise = 4;  // of a climb

// What the process leaves to noise may be a rough function instead, where trials that are close
// deviate alike: a second process with shorter widths (by these factors) explains such deviations.
// It counts if it is so much likelier than noise alone.
constexpr std::array width_ratios{2.5, 6.0, 15.0};
constexpr std::array rough_noises{0.003, 0.03, 0.1, 0.3, 1.0};
constexpr double only_noise = 1000, roughness_evidence_min = 5;

// The strengths k of the warp log(1 + k t) / k of merits that are tried.
constexpr std::array warps{0.0, 1.0, 10.0};

// Trials, best first, and their coordinates as columns.
struct Points {
  std::vector<std::size_t> trials;
  std::vector<double> columns;
  std::vector<std::uint8_t> choice;
  [[nodiscard]] PointColumns view() const { return {columns, trials.size()}; }
};

Points points_of(const SearchSpace& space, const History& history,
                 std::vector<std::size_t> trials) {
  Points points{std::move(trials), {}, {}};
  const auto dimensions = space.dimensions();
  const std::size_t n = points.trials.size();
  points.columns.resize(dimensions.size() * n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto point = history.point(points.trials[i]);
    for (std::size_t j = 0; j < dimensions.size(); ++j)
      points.columns[j * n + i] = impute(dimensions[j], point[j]);
  }
  for (const Dimension& dimension : dimensions)
    points.choice.push_back(dimension.kind == Dimension::Kind::choice ? 1 : 0);
  return points;
}

// `count` of them, spread evenly by rank.
template <class T>
std::vector<T> thinned(const std::vector<T>& all, std::size_t count) {
  if (all.size() <= count) return all;
  std::vector<T> some;
  for (std::size_t i = 0; i < count; ++i) some.push_back(all[i * all.size() / count]);
  return some;
}

// The best ones, and others spread by rank.
std::vector<std::size_t> leading(const std::vector<std::size_t>& trials, std::size_t points_max) {
  if (trials.size() <= points_max) return trials;
  const auto top = static_cast<std::size_t>(leading_share * static_cast<double>(points_max));
  std::vector<std::size_t> some(trials.begin(), trials.begin() + static_cast<std::ptrdiff_t>(top));
  const std::vector<std::size_t> rest(trials.begin() + static_cast<std::ptrdiff_t>(top),
                                      trials.end());
  for (const std::size_t trial : thinned(rest, points_max - top)) some.push_back(trial);
  return some;
}

// Merits on a scale on which their noise is alike everywhere; greater is better.
struct Scaled {
  std::vector<double> values;  // mean 0, variance 1
  double log_jacobian = 0;     // makes likelihoods on different scales comparable
};

// By the warp. Precondition: sorted, the best first.
Scaled warped(const std::vector<double>& merits, double k) {
  const double best = merits.front();
  double unit = best - merits[merits.size() / 2];
  if (!(unit > 0)) unit = best - merits.back();
  std::vector<double> losses;
  for (const double merit : merits) losses.push_back(unit > 0 ? (best - merit) / unit : 0);
  const WarpedLosses warp = hone::warp(losses, k);
  Scaled scaled{warp.values, warp.log_jacobian};
  for (double& value : scaled.values) value = -value;
  return scaled;
}

constexpr double least_likelihood = -std::numeric_limits<double>::infinity();

struct Fitted {
  ProcessShape shape;
  double score = least_likelihood;
};

// Which noises are tried: the first of the grid, all of them or the neighbours of the last one.
struct NoiseSearch {
  std::size_t tried = noise_grid.size();
  bool climbs = true;
};

// Climbs from one noise to a likelier neighbour, until it has none.
double climbed_noise(const std::function<double(std::size_t)>& likelihood, std::size_t from,
                     std::size_t tried) {
  std::size_t at = from;
  double most = likelihood(from), next = 0;
  while (at + 1 < tried && (next = likelihood(at + 1)) > most) ++at, most = next;
  if (at > from) return noise_grid.at(at);
  while (at > 0 && (next = likelihood(at - 1)) > most) --at, most = next;
  return noise_grid.at(at);
}

double best_noise(GaussianProcess& process, ProcessShape shape, std::span<const double> values,
                  const NoiseSearch& search) {
  const double before = shape.noise;
  const auto likelihood = [&](std::size_t i) {
    shape.noise = noise_grid.at(i);
    return process.assess(shape, values) ? process.log_likelihood() : least_likelihood;
  };
  if (search.climbs) {
    std::size_t from = 0;
    while (from + 1 < search.tried && noise_grid.at(from) < before) ++from;
    return climbed_noise(likelihood, from, search.tried);
  }
  double most = least_likelihood, chosen = before;
  for (std::size_t i = 0; i < search.tried; ++i) {
    const double one = likelihood(i);
    if (one <= most) continue;
    most = one;
    chosen = noise_grid.at(i);
  }
  return chosen;
}

// The most likely shape near a start with one width.
Fitted fitted(const Points& points, std::span<const double> values, double width,
              const NoiseSearch& search) {
  GaussianProcess process(points.view(), points.choice);
  const std::size_t size = points.choice.size();
  const double unit = width * 0.5 * std::sqrt(static_cast<double>(size));
  std::vector<double> start, moved(size, 0), step(size, width_step), last(size, 0);
  for (const auto choice : points.choice)
    start.push_back(std::pow((choice != 0 ? choice_inverse_width : 1) / unit, 2));
  ProcessShape shape{start, noise_grid.at(std::min(first_noise, search.tried - 1))};
  Fitted best;
  for (int round = 0;; ++round) {
    if (round % shape_rounds_per_noise == 0)
      shape.noise = best_noise(process, shape, values, search);
    if (!process.fit(shape, values)) return best;
    double score = process.log_likelihood();
    for (const double one : moved) score -= width_prior * one * one;
    if (score > best.score) best = {shape, score};
    if (round == shape_rounds) return best;
    const std::vector<double> slopes = process.slopes();
    for (std::size_t j = 0; j < size; ++j) {
      const double slope = slopes[j] - 2 * width_prior * moved[j];
      const double turn = last[j] * slope;
      step[j] *= turn > 0 ? width_step_growth : turn < 0 ? width_step_shrinkage : 1;
      last[j] = slope;
      moved[j] += slope > 0 ? step[j] : -step[j];
      shape.weights[j] = start[j] * std::exp(moved[j]);
    }
  }
}

// The share of the variance that a process leaves to noise. Where its correlations are wide, its
// own variance is large, and hardly any of it is much of that of the values.
double unexplained(const Points& points, std::span<const double> values,
                   const ProcessShape& shape) {
  GaussianProcess process(points.view(), points.choice);
  if (!process.fit(shape, values)) return 0;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    squares += std::pow(values[i] - process.means()[i], 2);
  return squares / static_cast<double>(values.size());
}

// The share of noise in the merits, on the scale on which the process fits them best; 0 unless it
// fits much better than one with hardly any, or that one needs noise, too.
struct NoiseCheck {
  double share = 0;
  double warp = 0;
};
NoiseCheck check_noise(const Points& points, const std::vector<double>& merits, bool climbs) {
  NoiseCheck found;
  Fitted best;
  for (const double k : warps) {
    const Scaled scaled = warped(merits, k);
    Fitted one = fitted(points, scaled.values, check_width, {noise_grid.size(), climbs});
    one.score += scaled.log_jacobian;
    if (one.score <= best.score) continue;
    best = one;
    found.warp = k;
  }
  const Scaled scaled = warped(merits, found.warp);
  const Fitted exact = fitted(points, scaled.values, check_width, {hardly_any, climbs});
  const double share = best.shape.noise / (1 + best.shape.noise);
  const bool likelier = best.score - exact.score - scaled.log_jacobian >= evidence_min;
  if (share >= noise_share_min &&
      (likelier || unexplained(points, scaled.values, exact.shape) >= noise_share_min))
    found.share = share;
  return found;
}

// A process of what another one leaves unexplained. noise: the share of it that remains.
struct Roughness {
  std::vector<double> means, spread;
  double noise = 1;
};

// Without evidence of one, its means are 0.
Roughness roughness_of(const Points& points, const std::vector<double>& residuals,
                       const ProcessShape& shape) {
  GaussianProcess process(points.view(), points.choice);
  Roughness found{std::vector<double>(residuals.size(), 0),
                  std::vector<double>(residuals.size(), 0), 1};
  ProcessShape tried = shape;
  tried.noise = only_noise;
  if (!process.assess(tried, residuals)) return found;
  double most = process.log_likelihood() + roughness_evidence_min;
  std::optional<ProcessShape> chosen;
  for (const double ratio : width_ratios)
    for (const double noise : rough_noises) {
      for (std::size_t j = 0; j < tried.weights.size(); ++j)
        tried.weights[j] = shape.weights[j] * ratio * ratio;
      tried.noise = noise;
      if (!process.assess(tried, residuals) || process.log_likelihood() <= most) continue;
      most = process.log_likelihood();
      chosen = tried;
    }
  if (!chosen || !process.fit(*chosen, residuals)) return found;
  found.means.assign(process.means().begin(), process.means().end());
  found.spread = process.predict(points.view()).spread;
  found.noise = chosen->noise / (1 + chosen->noise);
  return found;
}

// The merit at a place on the scale, by interpolation between those reported.
double merit_at(const std::vector<double>& values, const std::vector<double>& merits, double at) {
  const auto after = std::ranges::lower_bound(values, at, std::greater<>());
  if (after == values.begin()) return merits.front();
  if (after == values.end()) return merits.back();
  const auto i = static_cast<std::size_t>(after - values.begin());
  const double gap = values[i - 1] - values[i];
  const double share = gap > 0 ? (values[i - 1] - at) / gap : 0;
  return merits[i - 1] + share * (merits[i] - merits[i - 1]);
}

std::vector<double> merits_of(const History& history, const std::vector<std::size_t>& trials) {
  std::vector<double> merits;
  for (const std::size_t trial : trials) merits.push_back(history.outcome(trial).merit);
  return merits;
}

}  // namespace

ExpectedMerits expected_merits(const SearchSpace& space, const History& history,
                               const EstimateEffort& effort) {
  ExpectedMerits result;
  if (space.dimensions().size() > effort.parameters) return result;
  const std::vector<std::size_t> comparable = comparable_trials(history, effort.trials);
  if (comparable.size() < trials_min) return result;
  const auto few = thinned(comparable, effort.check_points);
  const NoiseCheck check =
      check_noise(points_of(space, history, few), merits_of(history, few), !effort.every_noise);
  if (check.share == 0) return result;

  const std::vector<std::size_t> trials = leading(comparable, effort.points);
  const std::vector<double> merits = merits_of(history, trials);
  const Scaled scaled = warped(merits, check.warp);
  const Points fit = points_of(space, history, thinned(trials, effort.fit_points));
  const std::vector<double> fit_values = thinned(scaled.values, effort.fit_points);
  Fitted best;
  for (std::size_t i = 0; i < effort.starts; ++i) {
    Fitted one = fitted(fit, fit_values, start_widths.at(i), {.climbs = !effort.every_noise});
    if (one.score > best.score) best = std::move(one);
  }
  const Points all = points_of(space, history, trials);
  GaussianProcess process(all.view(), all.choice);
  if (!process.fit(best.shape, scaled.values)) return result;
  const Prediction predicted = process.predict(all.view());
  std::vector<double> means(process.means().begin(), process.means().end());
  std::vector<double> residuals = scaled.values, spread = predicted.spread;
  for (std::size_t i = 0; i < means.size(); ++i) residuals[i] -= means[i];
  const Roughness rough = roughness_of(all, residuals, best.shape);
  double left = 0;  // of a variance of 1
  for (std::size_t i = 0; i < means.size(); ++i) {
    left += std::pow(residuals[i] - rough.means[i], 2) / static_cast<double>(means.size());
    means[i] += rough.means[i];
    spread[i] = std::hypot(spread[i], rough.spread[i]);
  }
  result.noise = check.share * rough.noise;
  if (result.noise < noise_share_min || left < unexplained_min) return {};
  std::vector<std::size_t> order(trials.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return means[a] > means[b]; });
  order.resize(std::min(order.size(), expected_max));
  for (const std::size_t i : order) {
    const auto merit = [&](double at) { return merit_at(scaled.values, merits, at); };
    result.trials.push_back(
        {trials[i], merit(means[i]), merit(means[i] - spread[i]), merit(means[i] + spread[i])});
  }
  return result;
}

bool is_due(std::int64_t reports) {
  std::int64_t next = due_first;
  while (next < reports) next += std::max<std::int64_t>(1, next / due_growth);
  return next == reports;
}

}  // namespace hone
