// What a graph is known by in the lineage.
#pragma once

#include <string>
#include <string_view>

#include "placement/core/graph.hpp"

namespace hone::placement {

std::string sha256_of(std::string_view text);  // in hex

// The same for equal graphs, from whatever file they were read.
std::string digest_of(const Graph& graph);

}  // namespace hone::placement
