// Graphs from names, files and text.
#pragma once

#include <string>
#include <string_view>

#include "placement/core/graph.hpp"

namespace hone::placement {

// A name of graph_table(), else a file: a JSON graph (ours, or the planner inputs of Tarnawski et
// al., 2020, as published or with rows for nodes and edges) or a PipeDream profile. The graph is
// checked; a refusal says where in the file.
Result<Graph> load_graph(const std::string& name_or_file);

// What the file's text holds. `name` is for a graph that does not name itself.
Result<Graph> read_graph(std::string_view text, const std::string& name);
Result<Graph> read_json_graph(std::string_view text, const std::string& name);
Result<Graph> read_pipedream_graph(std::string_view text, const std::string& name);

// Our own JSON, which read_json_graph reads back to an equal graph.
std::string json_text(const Graph& graph);

}  // namespace hone::placement
