// params.NAME and metric.NAME. Internal to db/filter.
#pragma once

#include "db/filter/compile.hpp"

namespace hone::filter {

Result<Piece> series_condition(const Comparison& comparison, ThingKind kind);

// Trials by an index; a superset where the comparison is of a run's or a model's own value.
std::optional<Candidates> series_candidates(const Comparison& comparison, ThingKind kind);

}  // namespace hone::filter
