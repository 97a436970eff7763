// PipeDream's profiles: "node4 -- Conv2d(...) -- forward_compute_time=1.5, ..." and, indented by a
// tab, "node1 -- node4". Times are in milliseconds, sizes in bytes.
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <vector>

#include "placement/read/read.hpp"
#include "schemas/values/number.hpp"

namespace hone::placement {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> split(std::string_view text, std::string_view by) {
  std::vector<std::string_view> parts;
  for (auto at = text.find(by); at != std::string_view::npos; at = text.find(by)) {
    parts.push_back(trimmed(text.substr(0, at)));
    text.remove_prefix(at + by.size());
  }
  parts.push_back(trimmed(text));
  return parts;
}

// A name with other bytes could not be written as JSON: `--export` would make another one of it.
bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto lead = static_cast<unsigned char>(text.front());
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC2 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF5 ? 4
                                             : 0;
    if (length == 0 || length > text.size()) return false;
    for (std::size_t i = 1; i < length; ++i)
      if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) return false;
    const auto second = length > 1 ? static_cast<unsigned char>(text[1]) : 0U;
    // Longer than needed; a half of a surrogate pair; beyond the last character.
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
        (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F))
      return false;
    text.remove_prefix(length);
  }
  return true;
}

Error at_line(std::size_t line, const std::string& what) {
  return refuse(Code::invalid, "line " + std::to_string(line) + ": " + what);
}

Result<double> number_of(std::string_view text, std::size_t line) {
  text = trimmed(text);
  const auto number = read_number(text);
  if (!number) return at_line(line, "'" + std::string(text) + "' is no number");
  if (!std::isfinite(*number) || *number < 0)
    return at_line(line, "'" + std::string(text) + "' must be a finite number of at least 0");
  return *number + 0.0;  // -0 becomes 0
}

// A number, or a list of them in brackets, which are added.
Result<double> sum_of(std::string_view text, std::size_t line) {
  text = trimmed(text);
  if (text.empty() || text.front() != '[') return number_of(text, line);
  if (text.back() != ']') return at_line(line, "a list without its end");
  double sum = 0;
  text = text.substr(1, text.size() - 2);
  for (const auto part : split(text, text.find(';') != std::string_view::npos ? ";" : ",")) {
    const auto number = number_of(part, line);
    if (!number) return number;
    sum += *number;
  }
  return sum;
}

Status set_field(Node& node, std::string_view field, std::size_t line) {
  const auto equals = field.find('=');
  if (equals == std::string_view::npos)
    return at_line(line, "'" + std::string(field) + "' is no name=value");
  const auto name = trimmed(field.substr(0, equals));
  double* target = nullptr;
  if (name == "forward_compute_time") target = &node.forward_ms;
  if (name == "backward_compute_time") target = &node.backward_ms;
  if (name == "activation_size") target = &node.out_bytes;
  if (name == "parameter_size") target = &node.param_bytes;
  if (target == nullptr) return Done{};  // stage_id and the like
  const auto value = sum_of(field.substr(equals + 1), line);
  if (!value) return value.error();
  *target = *value;
  return Done{};
}

// The commas between fields, not those within brackets.
std::vector<std::string_view> fields_of(std::string_view text) {
  std::vector<std::string_view> fields;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') ++depth;
    if (text[i] == ']') --depth;
    if (text[i] != ',' || depth > 0) continue;
    fields.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  fields.push_back(trimmed(text.substr(begin)));
  return fields;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (auto at = text.find('\n'); at != std::string_view::npos; at = text.find('\n')) {
    lines.push_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  lines.push_back(text);
  return lines;
}

Result<Node> read_node(std::string_view line_text, std::size_t line) {
  const auto parts = split(line_text, " -- ");
  if (parts.size() < 3)
    return at_line(line, "neither a node (\"nodeK -- description -- times\") nor an edge");
  Node node;
  node.name = std::string(parts[0]);
  node.kind = std::string(parts[1].substr(0, parts[1].find('(')));
  for (std::size_t part = 2; part < parts.size(); ++part)
    for (const auto field : fields_of(parts[part]))
      if (auto set = set_field(node, field, line); !set) return std::move(set).error();
  if (node.forward_ms < 0) return at_line(line, "no forward_compute_time");
  if (node.backward_ms < 0) return at_line(line, "no backward_compute_time");
  node.stored_bytes = node.out_bytes;
  return node;
}

struct Line {
  std::string_view text;
  std::size_t number;
};

Result<Edge> read_edge(const Line& line, const Graph& graph, const NodeNumbers& numbers) {
  const auto ends = split(line.text, " -- ");
  if (ends.size() != 2) return at_line(line.number, "an edge is \"nodeA -- nodeB\"");
  std::array<int, 2> found{};
  for (const std::size_t end : {0U, 1U}) {
    const auto node = numbers.find(ends[end]);
    if (node == numbers.end())
      return at_line(line.number,
                     "an edge names node '" + std::string(ends[end]) + "', which does not exist");
    found[end] = node->second;
  }
  return Edge{found[0], found[1], graph.nodes[static_cast<std::size_t>(found[0])].out_bytes};
}

}  // namespace

Result<Graph> read_pipedream_graph(std::string_view text, const std::string& name) {
  Graph graph;
  graph.name = name;
  NodeNumbers numbers;
  std::vector<Line> edges;
  std::size_t number = 0;
  for (const auto line : lines_of(text)) {
    ++number;
    if (trimmed(line).empty()) continue;
    if (!is_utf8(line)) return at_line(number, "it is not valid UTF-8");
    if (line.front() == '\t' || line.front() == ' ') {
      edges.push_back({trimmed(line), number});
      continue;
    }
    auto node = read_node(line, number);
    if (!node) return std::move(node).error();
    if (!numbers.emplace(node->name, static_cast<int>(graph.nodes.size())).second)
      return at_line(number, "node '" + node->name + "' appears twice");
    graph.nodes.push_back(*std::move(node));
  }
  for (const auto& line : edges) {
    const auto edge = read_edge(line, graph, numbers);
    if (!edge) return edge.error();
    graph.edges.push_back(*edge);
  }
  return graph;
}

}  // namespace hone::placement
