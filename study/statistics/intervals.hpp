// Intervals of interquartile means over problems and repetitions (Agarwal et al., NeurIPS 2021).
#pragma once

#include "server/search/statistics/bootstrap.hpp"

namespace hone::study {

// The percentile interval of the stratified bootstrap, widened about the estimate by
// sqrt(n / (n - 1)) for n repetitions: a resample of n values varies by that much less than n new
// values do (Hesterberg, "What Teachers Should Know about the Bootstrap", 2015). `scores`: a row
// for each problem. One repetition gives the whole line.
Interval iqm_interval(const Strata& scores, const BootstrapSetting& setting);

}  // namespace hone::study
