// Where a learning curve is going, from its first part.
//
// inverse      l(k) = 1/(b0 k + b1) + b2, all >= 0: losses under SGD, whose error falls as 1/k
//              (Peng et al., "Optimus", EuroSys 2018, section 3.1). Returns need not follow it.
// exponential  r(k) = c - a exp(-k/t)   } returns that approach a value; the families of
// power        r(k) = c - a (k + 1)^-b  } Domhan et al. (IJCAI 2015) with three parameters
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace hone::forecast {

struct CurvePoint {
  double step = 0;   // >= 0, ascending; the unit is the owner's: steps, epochs, phases
  double value = 0;  // finite
};

struct CurveFamily;

struct CurveFit {
  const CurveFamily* family = nullptr;
  std::array<double, 3> parameters{};  // inverse: b0, b1, b2; exponential: c, a, t; power: c, a, b
  double step_scale = 1;               // steps are divided by it before the curve is applied
  double error = 0;                    // root mean square of the residuals, in the unit of values
  [[nodiscard]] double at(double step) const;
};

struct CurveFamily {
  std::string_view name;
  std::string_view summary;
  // Precondition: at least three points.
  CurveFit (*fit)(std::span<const CurvePoint> points);
  double (*at)(const std::array<double, 3>& parameters, double step);
};

std::span<const CurveFamily> curve_families();
const CurveFamily* find_curve_family(std::string_view name);  // nullptr if there is none

// A value above the highest of the five before it or below the lowest of the five after it becomes
// the mean of its neighbours. For falling curves: losses.
std::vector<CurvePoint> without_outliers(std::span<const CurvePoint> points);

// At most `count` points, each the mean of a stretch of equal length.
std::vector<CurvePoint> thinned(std::span<const CurvePoint> points, std::size_t count);

// Refuses (nullopt) fewer than three points, steps that do not ascend, and numbers that are not
// finite. Losses are cleaned from outliers first; more than 400 points are thinned.
std::optional<CurveFit> fit_curve(const CurveFamily& family, std::span<const CurvePoint> points);

// The fitted curve is converged at the first step from which it falls by less than `share` of its
// value at step 0 in each of `epochs` steps in a row. nullopt if that is not before `last`.
struct ConvergenceRule {
  double share = 0.01;
  int epochs = 3;
  double last = 10'000;
};
std::optional<double> converged_at(const CurveFit& fit, const ConvergenceRule& rule);

struct CurveForecast {
  double value = 0;          // of the fitted curve
  double deviation = 0;      // of the refits' values with their noise
  double low = 0, high = 0;  // the interval in which a new measurement lies with that share
};
struct ForecastSetting {
  std::uint64_t seed = 0;
  int refits = 50;
  double share = 0.8;
};
// Bootstrap of the residuals: adds residuals drawn with replacement to the fitted curve, fits
// again, and takes the values at `step` with one more residual each.
std::optional<CurveForecast> forecast_curve(const CurveFamily& family,
                                            std::span<const CurvePoint> points, double step,
                                            const ForecastSetting& setting);

}  // namespace hone::forecast
