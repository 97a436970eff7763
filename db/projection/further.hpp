// A report's values of the further objectives: as the column report.further stores them, and as
// points of metrics. Internal to db.
#pragma once

#include <SQLiteCpp/Statement.h>

#include <string>
#include <vector>

#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"
#include "schemas/types/score.hpp"

namespace hone {

std::string further_text(const std::vector<Score>& scores);

// Throws std::runtime_error for a text that the projection did not write.
std::vector<Score> read_further(const std::string& text);

// Writes the finite values of reports as points of the metrics that they are called by.
class FurtherMetrics {
 public:
  explicit FurtherMetrics(SQLite::Database& db);  // prepares its statements once

  // A point that the run logged at the same step stays.
  void add(RunId run, std::int64_t step, Instant at, const std::string& further);

 private:
  SQLite::Statement point_, newest_;
};

}  // namespace hone
