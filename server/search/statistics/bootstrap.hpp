// Statistics of few runs (Agarwal et al., "Deep RL at the Edge of the Statistical Precipice",
// NeurIPS 2021): stratified bootstrap intervals, probability of improvement and performance
// profiles. The randomness of a resample is an address: the same runs give the same interval.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace hone {

// The runs of one parameter set: a row for each instance (stratum), a value for each seed.
using Strata = std::vector<std::vector<double>>;

struct Interval {
  double low = 0;
  double high = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

struct BootstrapSetting {
  std::uint64_t seed = 0;
  int resamples = 2000;
  double share = 0.95;  // of the resamples that lie in the interval
};

// All values in one row.
std::vector<double> flattened(const Strata& strata);

// Returns resample number `index`: from every stratum as many values as it has, with replacement.
// The draws come from Rng(seed, Purpose::bootstrap, index), stratum after stratum.
Strata resampled(const Strata& strata, std::uint64_t seed, std::uint64_t index);

// Returns the share-quantile, linear between the order statistics.
double quantile_of(std::span<const double> ascending, double share);

// The percentile interval of a statistic of the flattened values.
Interval bootstrap_interval(const Strata& strata,
                            const std::function<double(std::span<const double>)>& statistic,
                            const BootstrapSetting& setting);

// P(a run of a > a run of b) on an instance drawn at random; ties count one half.
double probability_of_improvement(const Strata& a, const Strata& b);
Interval improvement_interval(const Strata& a, const Strata& b, const BootstrapSetting& setting);

// The share of runs with a value of at least `threshold`, the mean over the strata.
double profile_at(const Strata& strata, double threshold);

// Returns the share of resamples in which each set has the best statistic; ties share. Sets are
// resampled independently.
std::vector<double> chances_to_be_best(
    std::span<const Strata> sets, const std::function<double(std::span<const double>)>& statistic,
    const BootstrapSetting& setting);

}  // namespace hone
