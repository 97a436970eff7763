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

}  // namespace hone::forecast
