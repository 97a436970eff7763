// Reads graphs by name, from files and from text.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "placement/core/graph.hpp"

namespace hone::placement {

// Loads a graph of graph_table() by name, else a file: a JSON graph (hone's, or a planner input of
// Tarnawski et al., 2020, as published or with rows for nodes and edges) or a PipeDream profile.
// Checks the graph; an error names the place in the file.
Result<Graph> load_graph(const std::string& name_or_file);

// Parses the text of a file. `name` is the name of a graph whose text has none.
Result<Graph> read_graph(std::string_view text, const std::string& name);
Result<Graph> read_json_graph(std::string_view text, const std::string& name);
Result<Graph> read_pipedream_graph(std::string_view text, const std::string& name);

// The index of each node by name, while a file is read.
using NodeNumbers = std::map<std::string, int, std::less<>>;

// Returns hone's JSON of a graph; read_json_graph reads an equal graph from it.
std::string json_text(const Graph& graph);

}  // namespace hone::placement
