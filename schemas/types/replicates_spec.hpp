// What makes a trial of several runs, and how their values become one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schemas/types/value.hpp"

namespace hone {

// How the values of a trial's runs become one. lcb: the mean less its standard error, so that a set
// must be good and sure of it.
enum class Aggregate { mean, median, iqm, lcb };

// How values of different problems are made comparable: by worst and best where those are given, or
// by where they rank among what all trials reached on the same problem.
enum class Normalize { references, ranks };

// The same parameter set on several problems: every seed trains once on each. This parameter
// selects it. With references a value counts as (value - worst) / (best - worst) of its problem.
struct InstancesSpec {
  std::string parameter;
  std::vector<Value> values;
  std::vector<double> worst{};  // as many as values, or none: values count as they are
  std::vector<double> best{};
  Normalize normalize = Normalize::references;  // ranks: without worst and best
  friend bool operator==(const InstancesSpec&, const InstancesSpec&) = default;
};

// What makes a trial of several runs, in addition to SweepSpec::seeds.
struct ReplicatesSpec {
  int max = 0;  // seeds that a contender may get; 0: no more than SweepSpec::seeds
  Aggregate aggregate = Aggregate::mean;
  bool race = false;  // add seeds to contenders, stop what is significantly worse
  std::optional<InstancesSpec> instances{};
  friend bool operator==(const ReplicatesSpec&, const ReplicatesSpec&) = default;
};

// The leaders are trained again, on seeds that tuning never used.
struct ConfirmSpec {
  int top = 3;
  int seeds = 10;
  friend bool operator==(const ConfirmSpec&, const ConfirmSpec&) = default;
};

}  // namespace hone
