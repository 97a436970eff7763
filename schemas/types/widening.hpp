// How the space of a live sweep grows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schemas/types/value.hpp"

namespace hone {

// A parameter's domain grows: bounds move outwards, values of a choice are added at its end.
struct Widening {
  std::string name;
  std::optional<double> min{};
  std::optional<double> max{};
  std::vector<Value> values{};
  friend bool operator==(const Widening&, const Widening&) = default;
};

}  // namespace hone
