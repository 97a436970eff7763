// A report's values of the further objectives, as the column report.further stores them. Internal
// to db.
#pragma once

#include <string>
#include <vector>

#include "schemas/types/score.hpp"

namespace hone {

std::string further_text(const std::vector<Score>& scores);

// Throws std::runtime_error for a text that the projection did not write.
std::vector<Score> read_further(const std::string& text);

}  // namespace hone
