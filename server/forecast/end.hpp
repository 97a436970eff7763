// The end value of a run from its first reports.
#pragma once

#include <optional>
#include <span>

#include "server/forecast/curves.hpp"

namespace hone::forecast {

// Fewer points forecast nothing: Optimus' forecasts are within 10 % of the end from about ten on.
inline constexpr std::size_t end_points_min = 8;

struct EndForecast {
  const CurveFamily* family = nullptr;  // the one that forecast the last quarter of the points best
  double last_quarter_error = 0;        // root mean square, in the unit of values
  CurveForecast end;
};

// The value at `step`. The family `inverse` is tried where all values are positive and the last
// third is below the first. nullopt with fewer than end_points_min points, or if none fits.
std::optional<EndForecast> forecast_end(std::span<const CurvePoint> points, double step,
                                        const ForecastSetting& setting);
// Its value alone, without the interval: fifty times as fast.
std::optional<double> forecast_end_value(std::span<const CurvePoint> points, double step);

// How many of the first reports a complete run is forecast from: `share` of its phases, but as many
// as a forecast needs, and not the last report, which the forecast is compared with. With too few
// reports for that, a number below end_points_min.
std::size_t points_used(std::size_t reports, int phases, double share);

// |forecast - last value| as a share of the range of the values. Precondition: there is a point.
double end_error(std::span<const CurvePoint> points, double forecast);

// The error of a complete run whose end is forecast from its first points. nullopt if it has too
// few of them, or if no family fits.
std::optional<double> error_of_end(std::span<const CurvePoint> points, int phases, double share);

}  // namespace hone::forecast
