// A series as one line of blocks.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace hone::cli {

// One character for each share of 0 to 1: eight heights of blocks, digits 0 to 9 without unicode; a
// blank where there is none. Shares beyond the range count as its ends.
std::string spark(const std::vector<std::optional<double>>& shares, bool unicode);

}  // namespace hone::cli
