// What a sweep learned from earlier ones, as the column sweep.learned stores it. Internal to db.
#pragma once

#include <string>
#include <vector>

#include "schemas/types/learned.hpp"

namespace hone {

// A JSON list of {sweep, used, trials}; "" of none.
std::string learned_text(const std::vector<Learned>& learned);

}  // namespace hone
