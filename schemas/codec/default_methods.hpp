// The search and the rule of a sweep file that does not name them.
#pragma once

#include <cstdint>

namespace hone {

struct SweepSpec;

inline constexpr std::int64_t trials_max = 1'000'000;  // of a sweep

// Our own methods, where one objective is weighed; with several, models search and every run is
// complete. A run of one phase leaves a rule nothing to judge. Populations and dehb have rules of
// their own.
void choose_methods(SweepSpec& spec);
// The newest version of the rule hone, where a file names none. A ledger names it: without one it
// means version 1.
void choose_version(SweepSpec& spec);

}  // namespace hone
