// Which of many parameters decide the losses of the best trials.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hone {

// Returns up to `most` rows of `columns` (one for each parameter, each with a value for every
// loss), those first that explain most: forward selection by least squares of the losses on a
// constant and the values and squares of the chosen rows. Ends early where nothing is left to
// explain. O(rows * losses * most).
std::vector<std::size_t> most_relevant(std::vector<std::vector<double>> columns,
                                       std::vector<double> losses, std::size_t most);

}  // namespace hone
