// Draws the lineage graph of the API as a tree from its root, or writes it for Graphviz.
#pragma once

#include <string>

#include "schemas/codec/json.hpp"
#include "sdk/cli/render/tree.hpp"

namespace hone::cli {

enum class Direction { up, down };

// The ancestors of the root (up: along the edges) or its descendants (down: against them). A node
// met a second time is named but not followed.
TreeNode lineage_tree(const Json& graph, Direction direction);

std::string lineage_dot(const Json& graph);

}  // namespace hone::cli
