// The forecasts of `hone curve --forecast` from the curves of runs.
#pragma once

#include <vector>

#include "schemas/codec/json.hpp"

namespace hone::cli {

struct ForecastPlan {
  int phases = 1;          // reports of a complete run
  double at = 0.5;         // share of the reports of a complete run that its forecast gets, but
                           // as many as a forecast needs
  double share = 0.8;      // of the interval
  std::uint64_t seed = 1;  // of the bootstrap
};

struct ForecastRows {
  std::vector<Json> rows;
  int too_few = 0;        // runs with fewer reports than a forecast needs
  int scored = 0;         // complete runs: rows with the truth
  int inside = 0;         // of them, truth within the interval
  double mean_error = 0;  // of them, |forecast - truth| / (highest - lowest report of the run)
};

// `runs` as GET /v1/sweeps/ID/curves returns them: {run, state, curve: [{value}]}. A run that has
// diverged is left out.
ForecastRows forecast_rows(const std::vector<Json>& runs, const ForecastPlan& plan);

}  // namespace hone::cli
