// Several values of one thing as one number. Larger is better; a value of minus infinity is a run
// that failed, and no aggregate but those that leave out the ends survives one.
#pragma once

#include <span>
#include <vector>

#include "schemas/types/spec.hpp"

namespace hone {

// Preconditions of all: at least one value, none NaN.
double mean_of(std::span<const double> values);
double median_of(std::span<const double> values);
// The interquartile mean: of what is left without the lowest and the highest floor(n / 4) values.
double iqm_of(std::span<const double> values);
// The mean of the values without the lowest and the highest floor(share * n).
double trimmed_mean_of(std::span<const double> values, double share);
// Sample variance, n - 1 in the denominator; 0 for one value.
double variance_of(std::span<const double> values);
// Of the mean; 0 for one value, or where one is not finite.
double standard_error_of(std::span<const double> values);

double aggregate_of(Aggregate aggregate, std::span<const double> values);

}  // namespace hone
