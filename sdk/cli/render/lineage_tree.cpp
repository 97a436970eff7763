#include "sdk/cli/render/lineage_tree.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/width.hpp"

namespace hone::cli {
namespace {

struct RelationWords {
  std::string_view relation;
  std::string_view up;    // made thing first: "md_9 saved by rn_4.0"
  std::string_view down;  // "rn_4.0 saved md_9"
};

constexpr std::array<RelationWords, 8> relations = {{
    {"saved_by", "saved by", "saved"},
    {"run_of", "run of", "had run"},
    {"proposed_by", "proposed by", "proposed"},
    {"submitted_as", "submitted as", "submitted"},
    {"trained_on", "trained on", "used by"},
    {"continued_from", "continued from", "continued as"},
    {"attempt_of", "attempt of", "had attempt"},
    {"executed_by", "executed by", "executed"},
}};

std::string relation_text(const std::string& relation, Direction direction) {
  for (const auto& row : relations)
    if (row.relation == relation)
      return std::string(direction == Direction::up ? row.up : row.down);
  std::string words = printable(relation);
  std::replace(words.begin(), words.end(), '_', ' ');
  return direction == Direction::up ? words : "(" + words + ")";
}

const Json& node_of(const Json& graph, const std::string& id) {
  static const Json none = Json::object();
  for (const auto& node : member(graph, "/nodes"))
    if (text_at(node, "/id") == id) return node;
  return none;
}

// Digests are worth their first digits only.
std::string fact_text(const std::string& name, const Json& value) {
  const std::string text = value_text(value);
  const bool digest = name == "git_commit" || name.find("sha256") != std::string::npos;
  return printable(name) + "=" + (digest ? text.substr(0, 10) : text);
}

std::string facts_text(const Json& facts) {
  std::string text;
  if (!facts.is_object()) return text;
  for (const auto& [name, value] : facts.items()) {
    if (value.is_null() || value == "") continue;
    text += (text.empty() ? "" : " ") + fact_text(name, value);
  }
  return text;
}

std::string node_text(const Json& graph, const std::string& id) {
  const Json& node = node_of(graph, id);
  std::string text = printable(id);
  const std::string label = printable(text_at(node, "/label"));
  if (!label.empty() && label != id) text += "  " + label;
  const std::string facts = facts_text(member(node, "/facts"));
  return facts.empty() ? text : text + "  " + facts;
}

void grow(const Json& graph, const std::string& id, Direction direction,
          std::set<std::string>& seen, TreeNode& node) {
  const char* here = direction == Direction::up ? "/from" : "/to";
  const char* there = direction == Direction::up ? "/to" : "/from";
  for (const auto& edge : member(graph, "/edges")) {
    if (text_at(edge, here) != id) continue;
    const std::string next = text_at(edge, there);
    const std::string relation = relation_text(text_at(edge, "/relation"), direction);
    if (!seen.insert(next).second) {
      node.children.push_back({relation + " " + next + "  (shown above)", {}});
      continue;
    }
    TreeNode child{relation + " " + node_text(graph, next), {}};
    grow(graph, next, direction, seen, child);
    node.children.push_back(std::move(child));
  }
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text)
    out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "\"";
}

}  // namespace

TreeNode lineage_tree(const Json& graph, Direction direction) {
  const std::string root = text_at(graph, "/root");
  std::set<std::string> seen = {root};
  TreeNode node{node_text(graph, root), {}};
  grow(graph, root, direction, seen, node);
  return node;
}

std::string lineage_dot(const Json& graph) {
  std::string out = "digraph lineage {\n  rankdir=RL;\n  node [shape=box];\n";
  for (const auto& node : member(graph, "/nodes")) {
    const std::string id = text_at(node, "/id");
    const std::string label = text_at(node, "/label");
    const std::string shown = label.empty() || label == id ? id : id + "  " + label;
    out += "  " + quoted(id) + " [label=" + quoted(shown) + "];\n";
  }
  for (const auto& edge : member(graph, "/edges"))
    out += "  " + quoted(text_at(edge, "/from")) + " -> " + quoted(text_at(edge, "/to")) +
           " [label=" + quoted(relation_text(text_at(edge, "/relation"), Direction::up)) + "];\n";
  return out + "}\n";
}

}  // namespace hone::cli
