// Whether two JSON values are the same, numbers by the rule of schemas/values/same.hpp.
#pragma once

#include <nlohmann/json.hpp>

#include "schemas/codec/json.hpp"
#include "schemas/values/same.hpp"

namespace hone::cli {

inline bool is_same(const Json& a, const Json& b) {
  if (!a.is_number() || !b.is_number()) return a == b;
  return same_number(a.get<double>(), b.get<double>());
}

}  // namespace hone::cli
