// What can vary. Bounds are values, inclusive, never exponents.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "schemas/types/value.hpp"

namespace hone {

enum class Scale { linear, log };

struct FloatDomain {
  double min = 0;
  double max = 1;
  Scale scale = Scale::linear;
  std::optional<double> step;  // quantized to min + k * step, anchored at min
  friend bool operator==(const FloatDomain&, const FloatDomain&) = default;
};

struct IntDomain {
  std::int64_t min = 0;
  std::int64_t max = 1;
  Scale scale = Scale::linear;
  std::int64_t step = 1;  // as above
  friend bool operator==(const IntDomain&, const IntDomain&) = default;
};

struct ChoiceDomain {
  std::vector<Value> values;  // at least one, no two equal
  friend bool operator==(const ChoiceDomain&, const ChoiceDomain&) = default;
};

struct BoolDomain {
  friend bool operator==(const BoolDomain&, const BoolDomain&) = default;
};

// A parameter that does not vary but is passed to the trainer with the others.
struct FixedDomain {
  Value value;
  friend bool operator==(const FixedDomain&, const FixedDomain&) = default;
};

using Domain = std::variant<FloatDomain, IntDomain, ChoiceDomain, BoolDomain, FixedDomain>;

struct Parameter {
  std::string name;
  Domain domain;
  std::string
      when;  // condition on earlier parameters (server/search/expression.hpp); empty means always
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

using Space = std::vector<Parameter>;

}  // namespace hone
