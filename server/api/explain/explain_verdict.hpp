// Which verdicts a rule gave, and sentences about those that overruled it.
#pragma once

#include <string>
#include <vector>

#include "schemas/types/verdict.hpp"

namespace hone {
struct SweepSpec;
}

namespace hone::api {

// Whether the rule judged; other verdicts follow from the report alone, or overruled it.
bool by_rule(VerdictReason reason);

// The action that follows from the inputs of a verdict too_late.
Action recompute_too_late(const std::vector<VerdictInput>& inputs);

// Why a run continued that its rule would have paused or replaced, or why one
// stopped that is too late for a bar; empty for other verdicts.
std::string overruled_text(const Verdict& verdict, const SweepSpec& spec);

}  // namespace hone::api
