// How a sweep searches: the search method and the rule that stops poor runs.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "schemas/types/ids.hpp"
#include "schemas/types/methods.hpp"
#include "schemas/types/value.hpp"

namespace hone {

struct SearchSpec {
  std::string method{drawing_method};  // a row of server/search/samplers/table.cpp
  std::int64_t trials = 0;             // parameter sets to try, 1..limits
  Params settings{};                   // of the method, by name, in file order
  std::vector<SweepId> warm_start{};   // earlier sweeps whose trials the sampler learns from
  std::vector<std::string> command{};  // external: the user's own picker
  std::vector<double> perturb{};       // pbt: factors of which one multiplies a number
  friend bool operator==(const SearchSpec&, const SearchSpec&) = default;
};

struct TerminatorSpec {
  std::string rule{rule_none};  // a row of server/search/terminators/table.cpp
  // Settings of the rule by name, in file order: hypertrick has eviction_rate, dcm_fraction,
  // evict_quantile.
  std::vector<std::pair<std::string, double>> settings;
  friend bool operator==(const TerminatorSpec&, const TerminatorSpec&) = default;
};

}  // namespace hone
