// Checks a spec beyond its document: the samplers, rules and trainers that it names exist and
// accept its settings, and its conditions are valid. decide() refuses a submission that fails;
// nothing is written for it.
#pragma once

#include "base/result.hpp"
namespace hone {

struct SweepSpec;

// Refuses an invalid spec; error.at is relative to the spec ("/trainer/name").
Status check_spec(const SweepSpec& spec);

}  // namespace hone
