// The lineage graph of the API, drawn as a tree from its root or written for Graphviz.
#pragma once

#include <string>

#include "schemas/codec/json.hpp"
#include "sdk/cli/render/tree.hpp"

namespace hone::cli {

enum class Direction { up, down };

// What the root came from (up: along the edges) or what came of it (down: against them). A node met
// a second time is named but not followed again.
TreeNode lineage_tree(const Json& graph, Direction direction);

std::string lineage_dot(const Json& graph);

}  // namespace hone::cli
