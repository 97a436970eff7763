// The cost of a trial from the costs of its runs. Internal to db.
#pragma once

#include <SQLiteCpp/Statement.h>

#include <algorithm>

#include "db/sql.hpp"

namespace hone {

// A diverged run makes the trial diverged; runs without a report do not count.
inline double mean_cost(SQLite::Statement& best_costs) {
  double sum = 0;
  int count = 0;
  bool diverged = false;
  while (best_costs.executeStep()) {
    const double cost = best_costs.getColumn(0).getDouble();
    if (cost == sql::cost_none) continue;
    diverged = diverged || cost == sql::cost_diverged;
    sum += cost;
    ++count;
  }
  best_costs.reset();
  if (count == 0) return sql::cost_none;
  if (diverged) return sql::cost_diverged;
  return std::clamp(sum / count, -sql::cost_diverged, sql::cost_diverged);  // a sum may overflow
}

}  // namespace hone
