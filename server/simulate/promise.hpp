// What a sweep's own reports promise of its best parameter set.
#pragma once

#include <cstddef>
#include <optional>

#include "server/search/history/history.hpp"

namespace hone::simulate {

struct Promise {
  std::size_t trial = 0;  // its number in the history
  double merit = 0;       // the best report of a single run, or the aggregate of several
  double expected = 0;    // the expected merit of a multi-seed sweep; else `merit`
};

// Returns nullopt before the first finite report.
std::optional<Promise> promised_by(const History& history);

}  // namespace hone::simulate
