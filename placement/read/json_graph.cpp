// JSON graphs: hone's own, and planner inputs of Tarnawski et al. (2020). Those list the nodes of
// inference or training one by one, and the cost of an edge is a transfer to or from host memory.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "placement/core/device.hpp"
#include "placement/read/read.hpp"
#include "schemas/codec/json.hpp"

namespace hone::placement {
namespace {

// The members of one node or edge by their names, whether it is an object or a row with columns.
class Record {
 public:
  Record(const Json& json, const std::vector<std::string>& columns, std::string at)
      : json_(json), columns_(columns), at_(std::move(at)) {}

  const Json* find(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      if (json_.is_object()) {
        if (const auto found = json_.find(name); found != json_.end()) return &*found;
        continue;
      }
      const auto column = std::find(columns_.begin(), columns_.end(), name);
      const auto index = static_cast<std::size_t>(column - columns_.begin());
      if (column != columns_.end() && index < json_.size()) return &json_[index];
    }
    return nullptr;
  }

  double number(std::initializer_list<const char*> names, double fallback, Status& status) const {
    const Json* json = find(names);
    if (json == nullptr || json->is_null()) return fallback;
    if (json->is_boolean()) return json->get<bool>() ? 1 : 0;
    if (json->is_number()) return json->get<double>() + 0.0;  // -0 becomes 0
    if (status)
      status = refuse(Code::invalid, std::string(*names.begin()) + " must be a number",
                      json_.is_object() ? at_ + "/" + *names.begin() : at_);
    return fallback;
  }

  // A name, or a number as its text.
  std::optional<std::string> label(std::initializer_list<const char*> names) const {
    const Json* json = find(names);
    if (json == nullptr) return std::nullopt;
    if (json->is_string()) return json->get<std::string>();
    if (json->is_number()) return json->dump();
    return std::nullopt;
  }

  [[nodiscard]] const std::string& at() const { return at_; }

 private:
  const Json& json_;
  const std::vector<std::string>& columns_;
  std::string at_;
};

std::vector<std::string> columns_of(const Json& document, const char* key,
                                    std::vector<std::string> usual) {
  const auto found = document.find(key);
  if (found == document.end() || !found->is_array()) return usual;
  std::vector<std::string> columns;
  for (const Json& name : *found)
    columns.push_back(name.is_string() ? name.get<std::string>() : "");
  return columns;
}

// A time of our own nodes where it is missing is unknown; one of a planner's input must be there.
Result<Node> read_node(const Record& record) {
  Status status = Done{};
  Node node;
  const auto name = record.label({"name", "id"});
  if (!name) return refuse(Code::invalid, "a node needs an id", record.at());
  node.name = *name;
  node.kind = record.label({"kind", "op", "type"}).value_or("");
  node.module = record.label({"module"}).value_or("");
  node.flop = record.number({"flop"}, 0, status);
  node.out_bytes = record.number({"out_bytes"}, 0, status);
  node.param_bytes = record.number({"param_bytes"}, 0, status);
  node.stored_bytes = record.number({"stored_bytes", "bytes", "size"}, 0, status);
  node.kernels = record.number({"kernels"}, 0, status);
  node.row_bytes = record.number({"row_bytes"}, 0, status);
  const double color = record.number({"color", "colorClass"}, -1, status);
  constexpr double color_max = 1e9;
  if (!(std::abs(color) <= color_max))
    return refuse(Code::invalid, "node '" + node.name + "' has a color that is no small number",
                  record.at());
  node.color = color < 0 ? -1 : static_cast<int>(color);
  node.accelerator = record.number({"accelerator", "accel_ok", "supportedOnFpga"}, 1, status) != 0;
  const auto missing = unknown_ms;
  node.forward_ms = record.number({"forward_ms", "accel_time", "fpgaLatency"}, missing, status);
  node.backward_ms = record.number({"backward_ms"}, missing, status);
  node.cpu_ms = record.number({"cpu_ms", "cpu_time", "cpuLatency"}, missing, status);
  if (!status) return std::move(status).error();
  const auto given = [&](std::initializer_list<const char*> names, double value) {
    return record.find(names) != nullptr && value < 0;
  };
  if (given({"forward_ms", "accel_time", "fpgaLatency"}, node.forward_ms) ||
      given({"backward_ms"}, node.backward_ms) ||
      given({"cpu_ms", "cpu_time", "cpuLatency"}, node.cpu_ms))
    return refuse(Code::invalid, "node '" + node.name + "' has a negative time", record.at());
  return node;
}

Status read_indexes(const Record& record, const char* key, std::vector<int>& list) {
  const Json* json = record.find({key});
  if (json == nullptr) return Done{};
  const Error wrong = refuse(
      Code::invalid, std::string(key) + " is a list of indexes into \"weights\"", record.at());
  if (!json->is_array()) return wrong;
  for (const Json& index : *json) {
    if (!index.is_number_integer() || !std::in_range<int>(index.get<std::int64_t>())) return wrong;
    list.push_back(index.get<int>());
  }
  return Done{};
}

Status read_shapes(const Record& record, std::vector<Shape>& shapes) {
  const Json* json = record.find({"shapes"});
  if (json == nullptr || json->is_null()) return Done{};
  const Error wrong = refuse(
      Code::invalid, "shapes is a list with the dimensions of each output, as in [[32, 1000]]",
      record.at() + "/shapes");
  if (!json->is_array()) return wrong;
  for (const Json& dimensions : *json) {
    if (!dimensions.is_array()) return wrong;
    Shape shape;
    for (const Json& dimension : dimensions) {
      if (!dimension.is_number_integer()) return wrong;
      shape.push_back(dimension.get<std::int64_t>());
    }
    shapes.push_back(std::move(shape));
  }
  return Done{};
}

Status read_nodes(const Json& document, Graph& graph, NodeNumbers& numbers) {
  const auto nodes = document.find("nodes");
  if (nodes == document.end() || !nodes->is_array())
    return refuse(Code::invalid, "a graph needs a list \"nodes\"", "/nodes");
  const auto columns =
      columns_of(document, "node_columns",
                 {"id", "accel_ok", "cpu_time", "accel_time", "backward", "color", "bytes"});
  std::set<std::string> names;
  for (std::size_t i = 0; i < nodes->size(); ++i) {
    const std::string at = "/nodes/" + std::to_string(i);
    if (!(*nodes)[i].is_object() && !(*nodes)[i].is_array())
      return refuse(Code::invalid, "a node is an object or a row", at);
    const Record record((*nodes)[i], columns, at);
    auto node = read_node(record);
    if (!node) return std::move(node).error();
    for (const auto& [key, list] :
         {std::pair{"weights", &node->weights}, {"tables", &node->tables}})
      if (auto read = read_indexes(record, key, *list); !read) return read;
    if (auto read = read_shapes(record, node->shapes); !read) return read;
    // Edges name nodes by their ids where there are ids; the names of published files repeat.
    const std::string id = record.label({"id"}).value_or(node->name);
    if (!numbers.emplace(id, static_cast<int>(i)).second)
      return refuse(Code::invalid, "node '" + id + "' appears twice", at);
    if (!names.insert(node->name).second) node->name += " #" + id;
    graph.nodes.push_back(*std::move(node));
  }
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    numbers.emplace(graph.nodes[i].name, static_cast<int>(i));  // unless it is an id
  return Done{};
}

Status read_edges(const Json& document, Graph& graph, const NodeNumbers& numbers) {
  const auto edges = document.find("edges");
  if (edges == document.end() || !edges->is_array())
    return refuse(Code::invalid, "a graph needs a list \"edges\"", "/edges");
  const auto columns = columns_of(document, "edge_columns", {"src", "dst", "transfer_time"});
  for (std::size_t i = 0; i < edges->size(); ++i) {
    const std::string at = "/edges/" + std::to_string(i);
    if (!(*edges)[i].is_object() && !(*edges)[i].is_array())
      return refuse(Code::invalid, "an edge is an object or a row", at);
    const Record record((*edges)[i], columns, at);
    Status status = Done{};
    Edge edge;
    for (const bool source : {true, false}) {
      const auto name = source ? record.label({"from", "src", "sourceId"})
                               : record.label({"to", "dst", "destId"});
      const auto found = name ? numbers.find(*name) : numbers.end();
      if (found == numbers.end())
        return refuse(Code::invalid,
                      "an edge " + std::string(source ? "from" : "to") + " node '" +
                          name.value_or("?") + "', which does not exist",
                      at);
      (source ? edge.from : edge.to) = found->second;
    }
    const double usual = graph.nodes[static_cast<std::size_t>(edge.from)].out_bytes;
    edge.bytes = record.number({"bytes"}, usual, status);
    edge.leg_ms = record.number({"transfer_ms", "transfer_time", "cost"}, unknown_ms, status);
    if (!status) return std::move(status).error();
    if (edge.leg_ms < 0 && record.find({"transfer_ms", "transfer_time", "cost"}) != nullptr)
      return refuse(Code::invalid,
                    "the edge from '" + graph.nodes[static_cast<std::size_t>(edge.from)].name +
                        "' to '" + graph.nodes[static_cast<std::size_t>(edge.to)].name +
                        "' has a negative cost",
                    at);
    graph.edges.push_back(edge);
  }
  return Done{};
}

Status read_weights(const Json& document, Graph& graph) {
  const auto weights = document.find("weights");
  if (weights == document.end()) return Done{};
  if (!weights->is_array())
    return refuse(Code::invalid, "\"weights\" is a list of {name, bytes}", "/weights");
  const std::vector<std::string> columns{"name", "bytes"};
  for (std::size_t i = 0; i < weights->size(); ++i) {
    Status status = Done{};
    if (!(*weights)[i].is_object() && !(*weights)[i].is_array())
      return refuse(Code::invalid, "a weight is an object or a row",
                    "/weights/" + std::to_string(i));
    const Record record((*weights)[i], columns, "/weights/" + std::to_string(i));
    graph.weights.push_back(
        {record.label({"name"}).value_or(std::to_string(i)), record.number({"bytes"}, 0, status)});
    if (!status) return status;
  }
  return Done{};
}

// How many devices of a kind the file plans for; -1: it does not say.
int device_count(const Record& head, std::initializer_list<const char*> names, Status& status) {
  if (head.find(names) == nullptr) return -1;
  const double count = head.number(names, 0, status);
  if (count >= 0 && count <= devices_max && count == std::floor(count))
    return static_cast<int>(count);
  if (status)
    status = refuse(Code::invalid,
                    std::string(*names.begin()) + " must be a whole number from 0 to " +
                        std::to_string(devices_max),
                    "/" + std::string(*names.begin()));
  return -1;
}

// A planner's colour of a single node binds nothing.
void drop_lone_colors(Graph& graph) {
  std::map<int, int> members;
  for (const Node& node : graph.nodes) ++members[node.color];
  for (Node& node : graph.nodes)
    if (members[node.color] < 2) node.color = -1;
}

}  // namespace

Result<Graph> read_json_graph(std::string_view text, const std::string& name) {
  const auto document = parse_json(text);
  if (!document) return document.error();
  if (!document->is_object()) return refuse(Code::invalid, "a graph is a JSON object");
  const std::vector<std::string> none;
  const Record head(*document, none, "");
  Status status = Done{};
  Graph graph;
  graph.name = head.label({"name"}).value_or(name);
  graph.batch = head.number({"batch"}, 1, status);
  // Ours says whether backward nodes are implied; a planner's input lists every node that runs.
  graph.training = head.number({"training"}, 0, status) != 0;
  graph.device_bytes =
      head.number({"device_bytes", "maxSizePerAccelerator", "maxSizePerFPGA"}, 0, status);
  graph.devices = device_count(head, {"devices", "numAccelerators", "maxFPGAs"}, status);
  graph.cpus = device_count(head, {"cpus", "numCpus", "maxCPUs"}, status);
  if (!status) return std::move(status).error();
  NodeNumbers numbers;
  if (auto read = read_weights(*document, graph); !read) return std::move(read).error();
  if (auto read = read_nodes(*document, graph, numbers); !read) return std::move(read).error();
  if (auto read = read_edges(*document, graph, numbers); !read) return std::move(read).error();
  drop_lone_colors(graph);
  return graph;
}

std::string json_text(const Graph& graph) {
  Json nodes = Json::array();
  for (const Node& n : graph.nodes) {
    Json node{{"name", n.name}};
    if (!n.kind.empty()) node["kind"] = n.kind;
    if (!n.module.empty()) node["module"] = n.module;
    for (const auto& [key, value] :
         std::initializer_list<std::pair<const char*, double>>{{"flop", n.flop},
                                                               {"out_bytes", n.out_bytes},
                                                               {"param_bytes", n.param_bytes},
                                                               {"stored_bytes", n.stored_bytes},
                                                               {"kernels", n.kernels},
                                                               {"row_bytes", n.row_bytes}})
      if (value > 0) node[key] = value;
    for (const auto& [key, value] : std::initializer_list<std::pair<const char*, double>>{
             {"forward_ms", n.forward_ms}, {"backward_ms", n.backward_ms}, {"cpu_ms", n.cpu_ms}})
      if (value >= 0) node[key] = value;
    if (n.color >= 0) node["color"] = n.color;
    if (!n.accelerator) node["accelerator"] = false;
    if (!n.weights.empty()) node["weights"] = n.weights;
    if (!n.tables.empty()) node["tables"] = n.tables;
    if (!n.shapes.empty()) node["shapes"] = n.shapes;
    nodes.push_back(std::move(node));
  }
  Json weights = Json::array();
  for (const Weight& weight : graph.weights)
    weights.push_back({{"name", weight.name}, {"bytes", weight.bytes}});
  Json edges = Json::array();
  for (const Edge& e : graph.edges) {
    Json edge{{"from", graph.nodes[static_cast<std::size_t>(e.from)].name},
              {"to", graph.nodes[static_cast<std::size_t>(e.to)].name},
              {"bytes", e.bytes}};
    if (e.leg_ms >= 0) edge["transfer_ms"] = e.leg_ms;
    edges.push_back(std::move(edge));
  }
  Json document{{"name", graph.name}, {"batch", graph.batch}, {"training", graph.training}};
  if (graph.device_bytes > 0) document["device_bytes"] = graph.device_bytes;
  if (graph.devices >= 0) document["devices"] = graph.devices;
  if (graph.cpus >= 0) document["cpus"] = graph.cpus;
  document["weights"] = std::move(weights);
  document["nodes"] = std::move(nodes);
  document["edges"] = std::move(edges);
  return to_pretty_text(document) + "\n";
}

}  // namespace hone::placement
