// Which parameter server holds which tensors: the parameter assignment of Peng et al., "Optimus"
// (EuroSys 2018), section 5.3.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hone::cluster {

struct Shard {
  double parameters = 0;
  int requests = 0;  // tensors, or slices of one: a worker asks for each
};

// Tensors from the largest to the smallest. One that is larger than the mean of a server is cut
// into slices of the mean, each for the server with the fewest parameters. One below 1 % of the
// mean goes to the server with the fewest requests. Others go where they fit best, and if they fit
// nowhere to the server with the fewest parameters.
// Precondition: servers >= 1; sizes are not negative.
std::vector<Shard> assign_parameters(std::span<const double> sizes, std::size_t servers);

}  // namespace hone::cluster
