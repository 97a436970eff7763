#include "server/forecast/end.hpp"

#include <algorithm>
#include <cmath>

namespace hone::forecast {
namespace {

double mean_of(std::span<const CurvePoint> points) {
  double sum = 0;
  for (const CurvePoint& point : points) sum += point.value;
  return sum / static_cast<double>(points.size());
}

bool is_loss(std::span<const CurvePoint> points) {
  const std::size_t third = points.size() / 3;
  return std::all_of(points.begin(), points.end(),
                     [](const CurvePoint& point) { return point.value > 0; }) &&
         mean_of(points.last(third)) < mean_of(points.first(third));
}

// Root mean square error on the last quarter of a fit to the rest.
std::optional<double> last_quarter_error(const CurveFamily& family,
                                         std::span<const CurvePoint> points) {
  const std::size_t rest = points.size() - points.size() / 4;
  const auto fit = fit_curve(family, points.first(rest));
  if (!fit) return std::nullopt;
  double sum = 0;
  for (const CurvePoint& point : points.subspan(rest))
    sum += (fit->at(point.step) - point.value) * (fit->at(point.step) - point.value);
  const double error = std::sqrt(sum / static_cast<double>(points.size() - rest));
  return std::isfinite(error) ? std::optional(error) : std::nullopt;
}

// The family with the least error, without a forecast.
std::optional<EndForecast> best_family(std::span<const CurvePoint> points) {
  if (points.size() < end_points_min) return std::nullopt;
  const bool loss = is_loss(points);
  std::optional<EndForecast> best;
  for (const CurveFamily& family : curve_families()) {
    if (&family == find_curve_family("inverse") && !loss) continue;
    const auto error = last_quarter_error(family, points);
    if (error && (!best || *error < best->last_quarter_error))
      best = EndForecast{&family, *error, {}};
  }
  return best;
}

}  // namespace

std::optional<EndForecast> forecast_end(std::span<const CurvePoint> points, double step,
                                        const ForecastSetting& setting) {
  auto best = best_family(points);
  if (!best) return std::nullopt;
  const auto end = forecast_curve(*best->family, points, step, setting);
  if (!end) return std::nullopt;
  best->end = *end;
  return best;
}

std::optional<double> forecast_end_value(std::span<const CurvePoint> points, double step) {
  const auto best = best_family(points);
  if (!best) return std::nullopt;
  const auto fit = fit_curve(*best->family, points);
  if (!fit || !std::isfinite(fit->at(step))) return std::nullopt;
  return fit->at(step);
}

std::size_t points_used(std::size_t reports, int phases, double share) {
  const auto wanted = static_cast<std::size_t>(std::ceil(share * phases));
  if (reports <= end_points_min) return std::min(reports, wanted);
  return std::min(reports - 1, std::max(wanted, end_points_min));
}

double end_error(std::span<const CurvePoint> points, double forecast) {
  const auto [low, high] = std::ranges::minmax_element(points, {}, &CurvePoint::value);
  const double range = high->value - low->value;
  return std::abs(forecast - points.back().value) / std::max(range, 1e-12);
}

std::optional<double> error_of_end(std::span<const CurvePoint> points, int phases, double share) {
  const std::size_t used = points_used(points.size(), phases, share);
  if (used >= points.size()) return std::nullopt;
  const auto value = forecast_end_value(points.first(used), phases);
  if (!value) return std::nullopt;
  return end_error(points, *value);
}

}  // namespace hone::forecast
