// Numbers in the rows of text files that others wrote.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace hone::cluster {

// A finite number that fills the whole text.
std::optional<double> number_of(std::string_view text);

std::vector<std::string_view> split(std::string_view line, char by);

// Calls each(line) for every line that is not empty, without its end, until it returns false.
void for_each_line(std::string_view text, const std::function<bool(std::string_view)>& each);

// The cells of a CSV file with a header, in the order of `columns`; cells that are not there are
// empty. `each` as above. Refuses a header without one of the columns.
Status for_each_row(std::string_view text, const std::vector<std::string_view>& columns,
                    const std::function<bool(const std::vector<std::string_view>&)>& each);

}  // namespace hone::cluster
