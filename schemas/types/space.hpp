// What can vary. Bounds are values, inclusive, never exponents.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "schemas/types/value.hpp"

namespace hone {

// logit: uniform in log(p / (1 - p)), for shares near 0 or 1; bounds strictly between 0 and 1.
enum class Scale { linear, log, logit };

// Where good values are expected: a normal distribution around `center`, cut off at the bounds.
struct Prior {
  double center = 0;     // a value of the domain
  double spread = 0.25;  // standard deviation, as a share of the range measured on the scale
  friend bool operator==(const Prior&, const Prior&) = default;
};

struct FloatDomain {
  double min = 0;
  double max = 1;
  Scale scale = Scale::linear;
  std::optional<double> step;  // quantized to min + k * step, anchored at min
  std::optional<Prior> prior{};
  friend bool operator==(const FloatDomain&, const FloatDomain&) = default;
};

struct IntDomain {
  std::int64_t min = 0;
  std::int64_t max = 1;
  Scale scale = Scale::linear;
  std::int64_t step = 1;  // as above
  std::optional<Prior> prior{};
  friend bool operator==(const IntDomain&, const IntDomain&) = default;
};

struct ChoiceDomain {
  std::vector<Value> values;      // at least one, no two equal
  bool ordered = false;           // neighbours in `values` are alike
  std::vector<double> weights{};  // prior: one for each value, positive; empty means equal
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

// Computed from earlier parameters and passed to the trainer with the others.
struct DerivedDomain {
  std::string expr;  // server/search/space/expression.hpp
  // Whole results of whole numbers are ints. A submit sets it; sweeps of older ledgers, which lack
  // it, keep the floats that they recorded.
  bool keep_ints = false;
  friend bool operator==(const DerivedDomain&, const DerivedDomain&) = default;
};

using Domain =
    std::variant<FloatDomain, IntDomain, ChoiceDomain, BoolDomain, FixedDomain, DerivedDomain>;

struct Parameter {
  std::string name;
  Domain domain;
  // Condition on earlier parameters (server/search/space/expression.hpp); empty means always.
  std::string when;
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

using Space = std::vector<Parameter>;

}  // namespace hone
