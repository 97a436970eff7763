// Aggregates of the values of several runs. Larger is better. Minus infinity is the value of a
// failed run; an aggregate of such a value is minus infinity, unless it leaves out the extremes.
#pragma once

#include <span>
#include <vector>

#include "schemas/types/replicates_spec.hpp"

namespace hone {

bool all_finite(std::span<const double> values);

// Preconditions of all aggregates: at least one value, none NaN.
double mean_of(std::span<const double> values);
double median_of(std::span<const double> values);
// The interquartile mean: the mean without the lowest and the highest floor(n / 4) values.
double iqm_of(std::span<const double> values);
// The mean of the values without the lowest and the highest floor(share * n).
double trimmed_mean_of(std::span<const double> values, double share);
// Sample variance, n - 1 in the denominator; 0 for one value.
double variance_of(std::span<const double> values);
// Standard error of the mean; 0 for one value, or if a value is not finite.
double standard_error_of(std::span<const double> values);

double aggregate_of(Aggregate aggregate, std::span<const double> values);

}  // namespace hone
