// The rule by which two values are the same, wherever values are compared: conditions, constraints,
// choices, filters, changes of a fork.
#pragma once

#include <optional>

#include "schemas/types/value.hpp"

namespace hone {

// Numbers whose difference is at most this share of the larger one are the same: it covers what
// arithmetic leaves of 0.1 + 0.2, and is far below any step that a sweep searches.
inline constexpr double same_within = 1e-12;

// nullopt for what is no number: truth values, texts, JSON texts.
std::optional<double> as_number(const Value& value);

bool same_number(double a, double b);

// Numbers compare as numbers (1 is 1.0), integers exactly, also those in lists and objects; other
// values only with their own type.
bool same_value(const Value& a, const Value& b);

// The numbers that are the same as `number`, for comparisons outside C++ (SQL).
struct SameNumbers {
  double low = 0;
  double high = 0;
};
SameNumbers same_as(double number);

}  // namespace hone
