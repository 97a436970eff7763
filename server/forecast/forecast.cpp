// The bootstrap of forecast_curve.
#include <algorithm>
#include <cmath>

#include "base/rng.hpp"
#include "schemas/types/aggregate.hpp"
#include "server/forecast/curves.hpp"
#include "server/search/statistics/bootstrap.hpp"

namespace hone::forecast {

std::optional<CurveForecast> forecast_curve(const CurveFamily& family,
                                            std::span<const CurvePoint> points, double step,
                                            const ForecastSetting& setting) {
  const auto fit = fit_curve(family, points);
  if (!fit || !std::isfinite(step)) return std::nullopt;
  constexpr std::size_t points_max = 100;  // more only slow the refits down
  const auto data = thinned(points, points_max);
  // A fit of three parameters takes up part of the noise.
  const double wider =
      data.size() > 3
          ? std::sqrt(static_cast<double>(data.size()) / static_cast<double>(data.size() - 3))
          : 1;
  std::vector<double> residuals;
  for (const CurvePoint& point : data)
    residuals.push_back((point.value - fit->at(point.step)) * wider);
  std::vector<double> values;
  for (int refit = 0; refit < setting.refits; ++refit) {
    Rng rng(setting.seed, Purpose::bootstrap, static_cast<std::uint64_t>(refit));
    auto drawn = data;
    for (CurvePoint& point : drawn)
      point.value = fit->at(point.step) + residuals[rng.below(residuals.size())];
    if (const auto again = fit_curve(family, drawn))
      values.push_back(again->at(step) + residuals[rng.below(residuals.size())]);
  }
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  CurveForecast forecast{fit->at(step), std::sqrt(variance_of(values))};
  forecast.low = quantile_of(values, (1 - setting.share) / 2);
  forecast.high = quantile_of(values, (1 + setting.share) / 2);
  return forecast;
}

}  // namespace hone::forecast
