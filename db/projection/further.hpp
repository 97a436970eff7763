// A report's values of the further objectives, as the column report.further holds them. Inside db/
// only.
#pragma once

#include <string>
#include <vector>

#include "schemas/types/score.hpp"

namespace hone {

std::string further_text(const std::vector<Score>& scores);

// Throws std::runtime_error for a column that no projection wrote.
std::vector<Score> read_further(const std::string& text);

}  // namespace hone
