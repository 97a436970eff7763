// Compiles one comparison into a condition on a row. Internal to db/filter.
#pragma once

#include <optional>

#include "base/expect.hpp"
#include "db/filter/compile.hpp"

namespace hone::filter {

// The condition on a row of `kind`, under its alias.
Result<Piece> row_condition(const Comparison& comparison, ObjectKind kind, Instant now);

// The rows from which a search can start; nullopt if no index helps. Precondition: row_condition
// accepted the comparison.
std::optional<Candidates> candidates_of(const Comparison& comparison, ObjectKind kind);

}  // namespace hone::filter
