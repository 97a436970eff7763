#include "server/forecast/speed.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "server/forecast/least_squares.hpp"

namespace hone::forecast {
namespace {

constexpr std::size_t speed_samples_min = 2;

// The terms of the seconds of a step (sync) or of w times them (async).
std::vector<double> speed_terms(UpdateMode mode, double batch, int servers, int workers) {
  const double p = servers, w = workers;
  switch (mode) {
    case UpdateMode::sync:
      return {batch / w, 1, w / p, w, p};
    case UpdateMode::async:
      return {1, w / p, w, p};
  }
  return {};
}

std::array<double, 4> scale_terms(double machines, double size) {
  return {1, size / machines, std::log(machines), machines};
}

bool usable(double value) { return std::isfinite(value) && value > 0; }

bool any_positive(std::span<const double> values) {
  return std::any_of(values.begin(), values.end(), [](double value) { return value > 0; });
}

}  // namespace

double SpeedModel::steps_per_s(int servers, int workers) const {
  const auto terms = speed_terms(mode, batch, servers, workers);
  double sum = 0;
  for (std::size_t j = 0; j < terms.size(); ++j) sum += terms[j] * seconds[j];
  if (!(sum > 0)) return 0;
  return (mode == UpdateMode::async ? workers : 1) / sum;
}

std::optional<SpeedModel> fit_speed(UpdateMode mode, double batch,
                                    std::span<const SpeedSample> samples) {
  Design design;
  design.columns = mode == UpdateMode::sync ? 5 : 4;
  for (const SpeedSample& sample : samples) {
    if (!usable(sample.steps_per_s) || sample.servers < 1 || sample.workers < 1) continue;
    const double left = (mode == UpdateMode::async ? sample.workers : 1) / sample.steps_per_s;
    design.add(speed_terms(mode, batch, sample.servers, sample.workers), left, 1 / left);
  }
  if (design.rows() < speed_samples_min || !usable(batch)) return std::nullopt;
  const auto x = nonnegative_least_squares(design);
  if (!any_positive(x)) return std::nullopt;
  SpeedModel model{mode, batch, {}, 0};
  std::copy(x.begin(), x.end(), model.seconds.begin());
  model.fit_error = std::sqrt(squared_error(design, x) / static_cast<double>(design.rows()));
  return model;
}

double ScaleModel::seconds(double machines, double size) const {
  const auto line = scale_terms(machines, size);
  double sum = 0;
  for (std::size_t j = 0; j < line.size(); ++j) sum += line[j] * terms[j];
  return sum;
}

std::optional<ScaleModel> fit_scale(std::span<const ScaleSample> samples) {
  Design design;
  design.columns = 4;
  ScaleModel model;
  for (const ScaleSample& sample : samples) {
    if (!usable(sample.seconds) || !(sample.machines >= 1) || !usable(sample.size)) continue;
    design.add(scale_terms(sample.machines, sample.size), sample.seconds, 1 / sample.seconds);
    model.machines_max = std::max(model.machines_max, sample.machines);
  }
  if (design.rows() < speed_samples_min) return std::nullopt;
  const auto x = nonnegative_least_squares(design);
  if (!any_positive(x)) return std::nullopt;
  std::copy(x.begin(), x.end(), model.terms.begin());
  return model;
}

}  // namespace hone::forecast
