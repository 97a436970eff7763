// Ranges to search for the flags of a program, by their names and defaults.
#pragma once

#include <string>
#include <vector>

#include "sdk/cli/local/script_flags.hpp"

namespace hone::cli {

// What a flag is to a sweep.
enum class FlagRole { searched, seed, budget, kept };

// The budget of a complete run, and the unit that its flag counts.
struct FlagBudget {
  const ScriptFlag* flag = nullptr;
  std::string unit;
  std::int64_t per_run = 0;
};

// The flag that says how long the program trains; its `flag` is null if there is none.
FlagBudget budget_of(const std::vector<ScriptFlag>& flags);

FlagRole role_of(const ScriptFlag& flag, const FlagBudget& budget);

// The entry of a parameter: "{type: float, min: 0.1, max: 1}"; empty if there is nothing to search.
std::string entry_of(const ScriptFlag& flag);

// As YAML reads it as a number: 1.0e-05.
std::string yaml_number(double value);

}  // namespace hone::cli
