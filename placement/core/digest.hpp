// The digest that identifies a graph in the lineage.
#pragma once

#include <string>
#include <string_view>

#include "placement/core/graph.hpp"

namespace hone::placement {

std::string sha256_of(std::string_view text);  // in hex

// Returns the same digest for equal graphs, whatever file they were read from.
std::string digest_of(const Graph& graph);

}  // namespace hone::placement
