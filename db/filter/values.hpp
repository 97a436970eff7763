// Converts the values of a filter to the type of their field. Internal to db/filter.
#pragma once

#include "db/filter/compile.hpp"
#include "schemas/types/ids.hpp"

namespace hone::filter {

std::string_view sign(Op op);

// "a trial", "an attempt"
std::string any_one(ObjectKind kind);

// 450, 1e-3, 200k, 1.5M
std::optional<double> as_number(const Literal& literal);
std::optional<bool> as_truth(const Literal& literal);

Result<double> number_of(const Literal& literal, std::string_view field);
// 2026-11-21, 2026-11-21T10:04:05Z, or -2d: two days before `now`.
Result<Instant> time_of(const Literal& literal, Instant now);
Result<ObjectId> id_of(const Literal& literal, ObjectKind kind);

// The condition that compares `sql` to the number by the rule of schemas/values/same.hpp: 0.3 finds
// 0.30000000000000004.
Piece number_condition(const std::string& sql, Op op, double number);

// The condition that compares `sql` to the literal. A `*` of an unquoted word matches any
// characters.
Result<Piece> text_condition(const std::string& sql, const Comparison& comparison,
                             const Literal& literal);

}  // namespace hone::filter
