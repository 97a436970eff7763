// What a spec must fulfil beyond its own document: the samplers, rules and trainers it names exist
// and accept what it sets, and its conditions make sense. decide refuses a submission by this;
// nothing is written for a refused sweep.
#pragma once

#include "base/result.hpp"
#include "schemas/types/spec.hpp"

namespace hone {

// error.at is relative to the spec: "/trainer/name".
Status check_spec(const SweepSpec& spec);

}  // namespace hone
