// params.NAME and metric.NAME. Internal to db/filter.
#pragma once

#include "db/filter/compile.hpp"

namespace hone::filter {

Result<Piece> series_condition(const Comparison& comparison, ObjectKind kind);

// Finds trials by an index. Returns a superset if a run or a model is compared by its own value.
std::optional<Candidates> series_candidates(const Comparison& comparison, ObjectKind kind);

}  // namespace hone::filter
