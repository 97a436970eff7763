// Which verdicts a rule gave, and sentences about those that overruled it.
#pragma once

#include <string>

#include "schemas/types/verdict.hpp"

namespace hone::api {

// Whether the rule judged; other verdicts follow from the report alone, or overruled it.
bool by_rule(VerdictReason reason);

// Why a run continued that its rule would have paused or replaced; empty for other verdicts.
std::string overruled_text(const Verdict& verdict);

}  // namespace hone::api
