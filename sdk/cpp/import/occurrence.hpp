// Conditions of parameters of a program that asks for them as it runs (Optuna), inferred from its
// trials: a parameter that occurs only with some values of an earlier one depends on that one.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "schemas/codec/json.hpp"

namespace hone {

// The parameters of one trial in the order in which the program asked for them.
using AskedParams = std::vector<std::pair<std::string, Json>>;

struct Occurrences {
  std::map<std::string, std::string> when;  // by parameter: an expression (docs/search.md)
  // Parameters that some trials lack, although no single earlier parameter explains it.
  std::vector<std::string> unexplained;
};

// A choice explains a parameter if the values with which it occurs and those without which it does
// not are disjoint; a number does if they lie on two sides of a threshold, with at least
// `threshold_trials` trials on each side. The earliest choice wins, then the earliest number. The
// expressions hold for every trial that is looked at; trials that ended before the program had
// asked for everything must be left out. Costs parameters^2 times trials: of more than
// `occurrence_trials_max` trials that many are looked at, spread over all, and of more than
// `occurrence_names_max` parameters none is explained.
Occurrences infer_occurrences(std::span<const AskedParams> trials);

inline constexpr std::size_t threshold_trials = 5;
inline constexpr std::size_t occurrence_trials_max = 2000;
inline constexpr std::size_t occurrence_names_max = 200;

}  // namespace hone
