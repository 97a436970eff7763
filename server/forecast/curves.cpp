#include "server/forecast/curves.hpp"

#include <algorithm>
#include <cmath>

#include "server/forecast/least_squares.hpp"

namespace hone::forecast {
namespace {

constexpr std::size_t points_max = 400;  // a fit is 100 times linear in them
constexpr std::size_t outlier_window = 5;

double inverse_at(const std::array<double, 3>& b, double k) {
  const double below = b[0] * k + b[1];
  return below > 0 ? 1 / below + b[2] : b[2];
}

double exponential_at(const std::array<double, 3>& p, double k) {
  return p[0] - p[1] * std::exp(-k / p[2]);
}

double power_at(const std::array<double, 3>& p, double k) {
  return p[0] - p[1] * std::pow(k + 1, -p[2]);
}

double squared_residuals(std::span<const CurvePoint> points,
                         const std::array<double, 3>& parameters,
                         double (*at)(const std::array<double, 3>&, double)) {
  double sum = 0;
  for (const CurvePoint& point : points) {
    const double off = at(parameters, point.step) - point.value;
    sum += off * off;
  }
  return sum;
}

// The best of a grid over [low, high], refined by golden sections between its neighbours.
template <class Solve>
std::array<double, 3> best_of(double low, double high, const Solve& solve) {
  constexpr int grid = 60, sections = 40;
  const auto cost = [&](double at) { return solve(at).second; };
  int best = 0;
  double least = cost(low);
  for (int i = 1; i <= grid; ++i)
    if (const double here = cost(low + (high - low) * i / grid); here < least) {
      least = here;
      best = i;
    }
  double a = low + (high - low) * std::max(best - 1, 0) / grid;
  double b = low + (high - low) * std::min(best + 1, grid) / grid;
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  double c = b - ratio * (b - a), d = a + ratio * (b - a);
  double at_c = cost(c), at_d = cost(d);
  for (int i = 0; i < sections; ++i) {
    if (at_c < at_d) {
      b = d;
      d = c;
      at_d = at_c;
      c = b - ratio * (b - a);
      at_c = cost(c);
    } else {
      a = c;
      c = d;
      at_c = at_d;
      d = a + ratio * (b - a);
      at_d = cost(d);
    }
  }
  return solve((a + b) / 2).first;
}

using Solved = std::pair<std::array<double, 3>, double>;

// Values are divided by the largest, so that they lie in (0, 1]; for a fixed b2 the rest is linear,
// 1/(l - b2) = b0 k + b1, with rows weighted by (l - b2)^2 to count errors of l.
CurveFit fit_inverse(std::span<const CurvePoint> points) {
  double most = 0, least = points.front().value;
  for (const CurvePoint& point : points) {
    most = std::max(most, point.value);
    least = std::min(least, point.value);
  }
  CurveFit fit;
  if (!(least > 0)) return fit;  // not a loss
  const auto solve = [&](double b2) -> Solved {
    Design design;
    design.columns = 2;
    for (const CurvePoint& point : points) {
      const double above = point.value / most - b2;
      design.add(std::array{point.step, 1.0}, 1 / above, above * above);
    }
    const auto b = nonnegative_least_squares(design);
    const std::array<double, 3> parameters{b[0] / most, b[1] / most, b2 * most};
    return {parameters, squared_residuals(points, parameters, inverse_at)};
  };
  fit.parameters = best_of(0, least / most * (1 - 1e-6), solve);
  return fit;
}

CurveFit fit_saturating(std::span<const CurvePoint> points, double low, double high,
                        double (*at)(const std::array<double, 3>&, double), bool logarithmic) {
  const auto solve = [&](double searched) -> Solved {
    const double shape = logarithmic ? std::exp(searched) : searched;
    Design design;
    design.columns = 2;
    for (const CurvePoint& point : points)
      design.add(std::array{1.0, at({0, 1, shape}, point.step)}, point.value);
    const auto x = least_squares(design);
    const std::array<double, 3> parameters{x[0], x[1], shape};
    return {parameters, squared_residuals(points, parameters, at)};
  };
  CurveFit fit;
  fit.parameters = best_of(low, high, solve);
  return fit;
}

// Steps are scaled so that the last is 1: times from a fiftieth of what was seen to twice of it.
// Beyond that, a curve looks straight, and its end is a guess.
CurveFit fit_exponential(std::span<const CurvePoint> points) {
  return fit_saturating(points, std::log(0.02), std::log(2.0), exponential_at, true);
}

CurveFit fit_power(std::span<const CurvePoint> points) {
  return fit_saturating(points, 0.3, 3, power_at, false);
}

constexpr std::array<CurveFamily, 3> families{{
    {"inverse", "losses: 1/(b0 k + b1) + b2", fit_inverse, inverse_at},
    {"exponential", "returns: c - a exp(-k/t)", fit_exponential, exponential_at},
    {"power", "returns: c - a (k + 1)^-b", fit_power, power_at},
}};

bool sound(std::span<const CurvePoint> points) {
  if (points.size() < 3 || points.front().step < 0) return false;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!std::isfinite(points[i].step) || !std::isfinite(points[i].value)) return false;
    if (i > 0 && points[i].step <= points[i - 1].step) return false;
  }
  return true;
}

}  // namespace

double CurveFit::at(double step) const { return family->at(parameters, step / step_scale); }

std::span<const CurveFamily> curve_families() { return families; }

const CurveFamily* find_curve_family(std::string_view name) {
  for (const CurveFamily& family : families)
    if (family.name == name) return &family;
  return nullptr;
}

std::vector<CurvePoint> without_outliers(std::span<const CurvePoint> points) {
  std::vector<CurvePoint> clean(points.begin(), points.end());
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    double before = points[i - 1].value, after = points[i + 1].value;
    for (std::size_t j = 1; j <= outlier_window; ++j) {
      if (j <= i) before = std::max(before, points[i - j].value);
      if (i + j < points.size()) after = std::min(after, points[i + j].value);
    }
    if (points[i].value > before || points[i].value < after)
      clean[i].value = (points[i - 1].value + points[i + 1].value) / 2;
  }
  return clean;
}

std::vector<CurvePoint> thinned(std::span<const CurvePoint> points, std::size_t count) {
  if (points.size() <= count) return {points.begin(), points.end()};
  std::vector<CurvePoint> means;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t from = i * points.size() / count, to = (i + 1) * points.size() / count;
    CurvePoint mean;
    for (std::size_t j = from; j < to; ++j) {
      mean.step += points[j].step / static_cast<double>(to - from);
      mean.value += points[j].value / static_cast<double>(to - from);
    }
    means.push_back(mean);
  }
  return means;
}

std::optional<CurveFit> fit_curve(const CurveFamily& family, std::span<const CurvePoint> points) {
  if (!sound(points)) return std::nullopt;
  const bool loss = family.fit == fit_inverse;
  auto data = thinned(loss ? without_outliers(points) : std::vector(points.begin(), points.end()),
                      points_max);
  // Only the exponential family has a unit of time: what was seen.
  const double scale = family.at == exponential_at ? data.back().step : 1;
  for (CurvePoint& point : data) point.step /= scale;
  CurveFit fit = family.fit(data);
  fit.family = &family;
  const double sum = squared_residuals(data, fit.parameters, family.at);
  fit.step_scale = scale;
  fit.error = std::sqrt(sum / static_cast<double>(data.size()));
  if (!std::isfinite(fit.error)) return std::nullopt;
  if (loss && fit.parameters[0] == 0 && fit.parameters[1] == 0) return std::nullopt;
  return fit;
}

std::optional<double> converged_at(const CurveFit& fit, const ConvergenceRule& rule) {
  const double threshold = rule.share * std::abs(fit.at(0));
  int calm = 0;
  for (double step = 1; step <= rule.last; ++step) {
    calm = fit.at(step - 1) - fit.at(step) < threshold ? calm + 1 : 0;
    if (calm >= rule.epochs) return step;
  }
  return std::nullopt;
}

}  // namespace hone::forecast
