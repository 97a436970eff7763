#include "server/search/samplers/tpe/fits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hone {
namespace {

// The constants below were chosen together, by measurement on the problems of docs/search.md,
// unless a reason is given.

// How fits are drawn and chosen.
constexpr int fits_tried = 4;
constexpr std::size_t scoring_points = 32;  // trials on which fits are compared; bounds their cost
constexpr double fit_temperature = 3;       // divides log likelihoods, so that choices vary
constexpr double singular_score = -1e9;     // below that of any fit that succeeds
constexpr double uniform_min = 1e-300;      // keeps the logarithm of a draw finite

// Steps of the widths, in logarithms of the weights: they grow while a slope keeps its sign, and
// shrink when it changes (Riedmiller and Braun, 1993).
constexpr double fitted_chance = 0.5;  // of a proposal, so that no error of a fit lasts
constexpr int fit_steps = 3;
constexpr double first_step = 0.7, step_growth = 1.2, step_shrinkage = 0.5;
constexpr double moved_prior_factor = 0.22;  // 1 / (2 * variance) of a logarithm around its draw

// Widths of the kernel, in units of sqrt(dimensions) / 2, log-uniform between the two bounds. The
// prior of a width's logarithm is normal around log(0.6) with variance 2.
constexpr double width_min = 0.15, width_max = 4;
constexpr double width_prior_middle = 0.6, width_prior_factor = 0.25;  // 1 / (2 * variance)
constexpr double choice_width = 0.4;  // of a choice, where numbers have the inverse of their spread
constexpr double branch_factor = 2;   // a branch looked at by itself borrows less from the others

// Noise as a share of the variance: the least one in half of the draws, else log-uniform. The prior
// of the noise's logarithm is half a normal distribution with deviation 4 above the least noise.
constexpr double noise_min = 1e-4, noise_max = 0.3;
constexpr double noise_min_chance = 0.5;
constexpr double noise_range = 3e3,
                 noise_prior_deviation = 4;  // noise_range = noise_max / noise_min

// The warp k of losses, and the cumulative chances of the first two.
constexpr double warp_none = 0, warp_usual = 1, warp_strong = 10;
constexpr double warp_none_chance = 0.2, warp_usual_chance = 0.8;

struct DrawnFit {
  Fit fit;
  double log_prior = 0;
};

double drawn_warp(Rng& rng) {
  const double draw = rng.uniform();
  return draw < warp_none_chance ? warp_none : draw < warp_usual_chance ? warp_usual : warp_strong;
}

DrawnFit draw_fit(const TrainingSet& set, const Focus& focus, Rng& rng) {
  DrawnFit drawn;
  auto& fit = drawn.fit;
  const double power = rng.uniform();
  const double width = width_min * std::exp(rng.uniform() * std::log(width_max / width_min));
  const double noise_step = rng.uniform() < noise_min_chance ? 0 : rng.uniform();
  fit.warp = drawn_warp(rng);
  const std::size_t size = set.spreads.size();
  const double unit = width * 0.5 * std::sqrt(static_cast<double>(size));
  for (std::size_t j = 0; j < size; ++j) {
    double q = set.choice[j] != 0 ? choice_width : std::pow(set.spreads[j], -power);
    if (focus.kind == Focus::Kind::branch && focus.dimension == j) q *= branch_factor;
    fit.shape.weights.push_back((q / unit) * (q / unit));
  }
  fit.shape.noise = noise_min * std::exp(noise_step * std::log(noise_max / noise_min));
  const double width_z = std::log(width / width_prior_middle);
  const double noise_z = noise_step * std::log(noise_range) / noise_prior_deviation;
  drawn.log_prior = -width_prior_factor * width_z * width_z - 0.5 * noise_z * noise_z;
  return drawn;
}

// A subset of the observed trials, spread evenly by rank, as columns.
struct Sample {
  std::vector<double> columns;
  std::vector<double> scaled;
};

Sample thinned(const TrainingSet& set) {
  const std::size_t n = std::min(set.observed, scoring_points), all = set.trials.size();
  Sample sample;
  sample.columns.resize(set.choice.size() * n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t from = i * set.observed / n;
    sample.scaled.push_back(set.scaled[from]);
    for (std::size_t j = 0; j < set.choice.size(); ++j)
      sample.columns[j * n + i] = set.columns[j * all + from];
  }
  return sample;
}

// Moves the weights of a fit, and keeps the best ones that it meets.
void climb(Fit& fit, GaussianProcess& process, std::span<const double> losses) {
  const std::vector<double> start = fit.shape.weights;
  const std::size_t size = start.size();
  std::vector<double> moved(size, 0), step(size, first_step), last(size, 0);
  ProcessShape shape = fit.shape;
  double most = -std::numeric_limits<double>::infinity();
  for (int round = 0; process.fit(shape, losses); ++round) {
    double score = process.log_likelihood();
    for (const double one : moved) score -= moved_prior_factor * one * one;
    if (score > most) {
      most = score;
      fit.shape = shape;
    }
    if (round == fit_steps) return;
    const std::vector<double> slopes = process.slopes();
    for (std::size_t j = 0; j < size; ++j) {
      const double slope = slopes[j] - 2 * moved_prior_factor * moved[j];
      const double turn = last[j] * slope;
      step[j] *= turn > 0 ? step_growth : turn < 0 ? step_shrinkage : 1;
      last[j] = slope;
      moved[j] += slope > 0 ? step[j] : -step[j];
      shape.weights[j] = start[j] * std::exp(moved[j]);
    }
  }
}

}  // namespace

Fit choose_fit(const TrainingSet& set, const Focus& focus, Rng& rng) {
  const Sample sample = thinned(set);
  GaussianProcess process({sample.columns, sample.scaled.size()}, set.choice);
  Fit chosen;
  double most = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < fits_tried; ++i) {
    auto [fit, log_prior] = draw_fit(set, focus, rng);
    const double gumbel = -std::log(-std::log(std::max(rng.uniform(), uniform_min)));
    const WarpedLosses losses = warp(sample.scaled, fit.warp);
    double score = singular_score;  // better than no fit
    if (process.assess(fit.shape, losses.values))
      score = process.log_likelihood() + losses.log_jacobian + log_prior;
    score = score / fit_temperature + gumbel;
    if (i == 0 || score > most) {
      most = score;
      chosen = std::move(fit);
    }
  }
  if (rng.uniform() < fitted_chance)
    climb(chosen, process, warp(sample.scaled, chosen.warp).values);
  return chosen;
}

}  // namespace hone
