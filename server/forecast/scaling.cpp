#include "server/forecast/scaling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

namespace hone::forecast {
namespace {

constexpr std::size_t progress_samples_min = 5;
constexpr std::array penalties{3e-1, 1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4};

std::vector<double> features(double i, double m) {
  return {i,           std::sqrt(i),    std::log(i + 1),  i / m,       i / std::sqrt(m),
          i / (m * m), i * std::log(m), std::sqrt(i) / m, std::log(m), m,
          1 / m};
}

bool usable_sample(const ProgressSample& sample) {
  return std::isfinite(sample.iteration) && sample.iteration >= 1 &&
         std::isfinite(sample.machines) && sample.machines >= 1 &&
         std::isfinite(sample.suboptimality) && sample.suboptimality > 0;
}

// Of the samples of other numbers of machines, or of all if `left_out` is 0.
Design design_of(std::span<const ProgressSample> samples, double left_out) {
  Design design;
  for (const ProgressSample& sample : samples) {
    const auto line = features(sample.iteration, sample.machines);
    design.columns = line.size();
    if (sample.machines != left_out) design.add(line, std::log(sample.suboptimality));
  }
  return design;
}

double error_on(const LassoFit& fit, std::span<const ProgressSample> samples, double machines) {
  double sum = 0, count = 0;
  for (const ProgressSample& sample : samples)
    if (sample.machines == machines) {
      const double off =
          fit.at(features(sample.iteration, machines)) - std::log(sample.suboptimality);
      sum += off * off;
      ++count;
    }
  return sum / count;
}

bool considered(const ScaleModel& scale, const ProgressModel& progress, int machines) {
  return machines >= 1 && scale.covers(machines) && progress.covers(machines) &&
         scale.seconds(machines) > 0;
}

// The first iteration with at most that error: doubling, then halving. The model need not fall for
// ever, so that the end of the search is a bound.
std::optional<double> iterations_to(const ProgressModel& progress, int machines, double target,
                                    double most) {
  const auto reached = [&](double i) { return progress.suboptimality(i, machines) <= target; };
  double high = 1;
  while (!reached(high)) {
    if (high >= most) return std::nullopt;
    high = std::min(2 * high, most);
  }
  double low = high / 2;
  while (high - low > 0.5) {
    const double middle = (low + high) / 2;
    (reached(middle) ? high : low) = middle;
  }
  return std::ceil(reached(std::ceil(low)) ? low : high);
}

}  // namespace

double ProgressModel::suboptimality(double iteration, double machines) const {
  return std::exp(fit_.at(features(iteration, machines)));
}

std::optional<ProgressModel> fit_progress(std::span<const ProgressSample> given) {
  std::vector<ProgressSample> samples;
  std::copy_if(given.begin(), given.end(), std::back_inserter(samples), usable_sample);
  if (samples.size() < progress_samples_min) return std::nullopt;
  std::set<double> numbers;
  for (const ProgressSample& sample : samples) numbers.insert(sample.machines);
  double best = penalties.back(), least = std::numeric_limits<double>::infinity();
  for (const double penalty : penalties) {
    if (numbers.size() < 2) break;
    double sum = 0;
    for (const double machines : numbers)
      sum += error_on(lasso(design_of(samples, machines), penalty), samples, machines);
    if (sum < least) {
      least = sum;
      best = penalty;
    }
  }
  const double error = numbers.size() < 2 ? std::numeric_limits<double>::quiet_NaN()
                                          : std::sqrt(least / static_cast<double>(numbers.size()));
  return ProgressModel(lasso(design_of(samples, 0), best), best, error, *numbers.rbegin());
}

std::optional<MachineChoice> first_to_reach(const ScaleModel& scale, const ProgressModel& progress,
                                            std::span<const int> candidates, double target,
                                            double iterations_max) {
  std::optional<MachineChoice> best;
  for (const int machines : candidates) {
    if (!considered(scale, progress, machines)) continue;
    const auto iterations = iterations_to(progress, machines, target, iterations_max);
    if (!iterations) continue;
    const double seconds = *iterations * scale.seconds(machines);
    if (!best || seconds < best->seconds)
      best = MachineChoice{machines, seconds, progress.suboptimality(*iterations, machines)};
  }
  return best;
}

std::optional<MachineChoice> best_within(const ScaleModel& scale, const ProgressModel& progress,
                                         std::span<const int> candidates, double seconds) {
  std::optional<MachineChoice> best;
  for (const int machines : candidates) {
    if (!considered(scale, progress, machines)) continue;
    const double iterations = std::floor(seconds / scale.seconds(machines));
    if (iterations < 1) continue;
    const double error = progress.suboptimality(iterations, machines);
    if (!best || error < best->suboptimality) best = MachineChoice{machines, seconds, error};
  }
  return best;
}

}  // namespace hone::forecast
