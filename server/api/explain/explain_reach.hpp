// Sentences about an objective of time.
#pragma once

#include <string>

#include "schemas/types/score.hpp"

namespace hone {
struct SweepSpec;
}

namespace hone::api {

// "12.3 s", "4.5 s of processor time", "30000 frames".
// Precondition: the sweep's objective has a bar.
std::string time_text(const SweepSpec& spec, double time);

// "It reached return >= 475 after 12.3 s.", or that it had not in the time until this report.
// Precondition: the sweep's objective has a bar.
std::string reach_text(const SweepSpec& spec, Score value, double time);

}  // namespace hone::api
