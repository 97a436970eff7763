// Telemetry of runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"

namespace hone {

struct MetricPoint {
  std::string name;
  std::int64_t step = 0;
  double value = 0;  // finite
};

struct SeriesPoint {
  std::int64_t step = 0;
  double value = 0;
  Instant at;
};

struct Series {  // telemetry of one run
  RunId run;
  std::string name;
  std::vector<SeriesPoint> points;
};

}  // namespace hone
