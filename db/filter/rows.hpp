// One comparison as a condition on a row. Internal to db/filter.
#pragma once

#include <optional>

#include "base/expect.hpp"
#include "db/filter/compile.hpp"

namespace hone::filter {

// On a row of `kind`, under its alias.
Result<Piece> row_condition(const Comparison& comparison, ThingKind kind, Instant now);

// What the comparison, checked by row_condition, can start from; nullopt where no index helps.
std::optional<Candidates> candidates_of(const Comparison& comparison, ThingKind kind);

}  // namespace hone::filter
