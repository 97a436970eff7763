#include "sdk/cli/render/lineage_tree.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/width.hpp"
#include "sdk/cpp/reply.hpp"

namespace hone::cli {
namespace {

struct RelationWords {
  std::string_view relation;
  std::string_view up;    // result first: "md_9 saved by rn_4.0"
  std::string_view down;  // "rn_4.0 saved md_9"
};

constexpr std::array<RelationWords, 25> relations = {{
    {"saved_by", "saved by", "saved"},
    {"run_of", "run of", "had run"},
    {"proposed_by", "proposed by", "proposed"},
    {"submitted_as", "submitted as", "submitted"},
    {"trained_on", "trained on", "used by"},
    {"validated_on", "validated on", "used to validate"},
    {"continued_from", "continued from", "continued as"},
    {"attempt_of", "attempt of", "had attempt"},
    {"executed_by", "executed by", "executed"},
    {"saved_in", "saved in", "saved"},
    {"judged_by", "judged by", "judged"},
    {"resumed_from", "resumed from", "resumed as"},
    {"reported_by", "reported by", "reported"},
    {"reported_in", "reported in", "reported"},
    {"logged_by", "logged by", "logged"},
    {"point_of", "point of", "has point"},
    {"confirms", "confirms", "confirmed by"},
    {"forked_from", "forked from", "forked into"},
    {"warm_started_from", "warm started from", "warm started"},
    {"resubmitted_from", "resubmitted from", "resubmitted as"},
    {"executed", "executed", "executed by"},
    {"logged_in", "logged in", "logged"},
    {"measured_of", "measured of", "measured by"},
    {"replaces", "replaces", "replaced by"},
    {"got_files_of", "got files of", "passed files to"},
}};

std::string relation_text(const std::string& relation, Direction direction) {
  for (const auto& row : relations)
    if (row.relation == relation)
      return std::string(direction == Direction::up ? row.up : row.down);
  std::string words = printable(relation);
  std::replace(words.begin(), words.end(), '_', ' ');
  return direction == Direction::up ? words : "(" + words + ")";
}

// A lineage with an index: its lists are as long as the server made them.
class Graph {
 public:
  explicit Graph(const Json& json) {
    for (const auto& node : member(json, "/nodes")) nodes_.emplace(text_at(node, "/id"), &node);
    for (const auto& edge : member(json, "/edges")) {
      edges_[Direction::up][text_at(edge, "/from")].push_back(&edge);
      edges_[Direction::down][text_at(edge, "/to")].push_back(&edge);
    }
  }

  [[nodiscard]] const Json& node(const std::string& id) const {
    static const Json none = Json::object();
    const auto found = nodes_.find(id);
    return found == nodes_.end() ? none : *found->second;
  }

  [[nodiscard]] std::span<const Json* const> edges(const std::string& id,
                                                   Direction direction) const {
    const auto found = edges_.at(direction).find(id);
    if (found == edges_.at(direction).end()) return {};
    return found->second;
  }

 private:
  std::map<std::string, const Json*> nodes_;
  std::map<Direction, std::map<std::string, std::vector<const Json*>>> edges_{
      {Direction::up, {}}, {Direction::down, {}}};
};

// The facts shown in a line, by kind; --format json has all of them. A kind not listed shows all.
struct KindFacts {
  std::string_view kind;
  std::string_view facts;  // separated by blanks; "params" means all of params.*
};

constexpr std::array<KindFacts, 11> shown_facts = {{
    {"report", "step value"},
    {"metric", "value"},
    {"sweep", "search terminator trials seed edits tags"},
    {"trial", "value params tags"},
    {"run", "seed best attempts code code_differs_in detail"},
    {"attempt", "end_reason detail code_differs_in"},
    {"model", "phase value bytes tags"},
    {"dataset", "version digest location"},
    {"workflow", "description git_branch patch_sha256 environment_sha256 command cwd user host"},
    {"worker", "cpus gpus hone_version"},
    {"evaluation", "mean deviation environment seed"},
}};

constexpr std::string_view params_prefix = "params.";

bool is_shown(const std::string& kind, std::string_view name) {
  if (name == "state" || name == "reason") return false;  // shown first
  for (const auto& row : shown_facts) {
    if (row.kind != kind) continue;
    const std::string wanted(name.starts_with(params_prefix) ? "params" : name);
    return (" " + std::string(row.facts) + " ").find(" " + wanted + " ") != std::string::npos;
  }
  return true;
}

bool is_digest(std::string_view name) {
  return name == "git_commit" || name == "hone_commit" || name == "digest" ||
         name.find("sha256") != std::string_view::npos;
}

// Facts are texts; numbers among them are shortened as everywhere.
std::string fact_value(std::string_view name, const Json& value) {
  const std::string text = value_text(value);
  if (is_digest(name)) return text.substr(0, 12);
  if (name == "command") {
    const auto words = parse_reply(text);
    std::string line;
    if (words && words->is_array())
      for (const auto& word : *words) line += (line.empty() ? "" : " ") + value_text(word);
    return line.empty() ? text : "'" + line + "'";
  }
  const auto number = parse_reply(text);
  return number && number->is_number() ? value_text(*number) : text;
}

std::string state_text(const Json& facts) {
  const std::string state = text_at(facts, "/state");
  const std::string reason = text_at(facts, "/reason");
  return reason.empty() || reason == state ? state : state + " (" + printable(reason) + ")";
}

std::string facts_text(const Json& node) {
  const Json& facts = member(node, "/facts");
  std::string text = state_text(facts);
  if (!facts.is_object()) return text;
  for (const auto& [name, value] : facts.items()) {
    if (value_text(value).empty() || value.is_null() || !is_shown(text_at(node, "/kind"), name))
      continue;
    const bool is_param = name.starts_with(params_prefix);
    text += (text.empty() ? "" : " ") +
            printable(is_param ? name.substr(params_prefix.size()) : name) + "=" +
            fact_value(name, value);
  }
  return text;
}

std::string node_text(const Graph& graph, const std::string& id) {
  const Json& node = graph.node(id);
  std::string text = printable(id);
  const std::string label = printable(text_at(node, "/label"));
  if (!label.empty() && label != id) text += "  " + label;
  const std::string facts = facts_text(node);
  return facts.empty() ? text : text + "  " + facts;
}

// Deeper trees are neither readable nor drawn without limit on the stack: a lineage may be as deep
// as a server makes it.
constexpr int depth_max = 1000;

class Growth {
 public:
  Growth(const Graph& graph, Direction direction, const std::string& root)
      : graph_(graph), direction_(direction), seen_{root} {}

  // Adds what follows from `id`.
  void grow(const std::string& id, TreeNode& node, int depth) {
    const char* there = direction_ == Direction::up ? "/to" : "/from";
    const auto edges = graph_.edges(id, direction_);
    if (depth == depth_max && !edges.empty()) {
      node.children.push_back({"more: hone lineage " + printable(id), {}});
      return;
    }
    for (const Json* edge : edges) {
      const std::string next = text_at(*edge, there);
      const std::string relation = relation_text(text_at(*edge, "/relation"), direction_);
      if (!seen_.insert(next).second) {
        node.children.push_back({relation + " " + printable(next) + "  (shown above)", {}});
        continue;
      }
      TreeNode child{relation + " " + node_text(graph_, next), {}};
      grow(next, child, depth + 1);
      node.children.push_back(std::move(child));
    }
  }

 private:
  const Graph& graph_;
  Direction direction_;
  std::set<std::string> seen_;
};

}  // namespace

TreeNode lineage_tree(const Json& json, Direction direction) {
  const Graph graph(json);
  const std::string root = text_at(json, "/root");
  TreeNode node{node_text(graph, root), {}};
  Growth(graph, direction, root).grow(root, node, 0);
  return node;
}

std::string lineage_dot(const Json& graph) {
  std::string out = "digraph lineage {\n  rankdir=RL;\n  node [shape=box];\n";
  for (const auto& node : member(graph, "/nodes")) {
    const std::string id = text_at(node, "/id");
    const std::string label = text_at(node, "/label");
    const std::string shown = label.empty() || label == id ? id : id + "  " + label;
    out += "  " + quoted_text(id) + " [label=" + quoted_text(shown) + "];\n";
  }
  for (const auto& edge : member(graph, "/edges"))
    out += "  " + quoted_text(text_at(edge, "/from")) + " -> " + quoted_text(text_at(edge, "/to")) +
           " [label=" + quoted_text(relation_text(text_at(edge, "/relation"), Direction::up)) +
           "];\n";
  return out + "}\n";
}

}  // namespace hone::cli
