// Collects the lineage of an object, breadth first: its ancestors and its descendants.
#include "db/queries/queries.hpp"

#include <deque>
#include <set>
#include <tuple>

#include "db/lineage/steps.hpp"

namespace hone {
namespace {

bool is_measurement(ObjectKind kind) {
  return kind == ObjectKind::report || kind == ObjectKind::metric;
}

class Walk {
 public:
  Walk(SQLite::Database& db, const LineageQuery& query) : steps_(db), query_(query) {}

  // False if the object does not exist.
  bool start(const LineageKey& root) {
    graph_.root = root;
    return visit(root);
  }

  void go(bool up) {
    std::set<LineageKey> expanded{graph_.root};
    std::deque<std::pair<LineageKey, int>> waiting{{graph_.root, 0}};
    for (; !waiting.empty(); waiting.pop_front()) {
      const auto [id, distance] = waiting.front();
      if (distance == query_.depth) continue;
      for (const auto& near : neighbours(id, up))
        if (expanded.insert(near).second) waiting.emplace_back(near, distance + 1);
    }
  }

  LineageGraph take() { return std::move(graph_); }

 private:
  // Adds the objects one step away, up to the bound, with their edges.
  std::vector<LineageKey> neighbours(const LineageKey& id, bool up) {
    std::vector<LineageKey> all;
    const auto limit = static_cast<std::size_t>(query_.nodes_max) + 1;
    for (const auto& relation : relations()) {
      if (kind_of(id) != (up ? relation.from : relation.to)) continue;
      const auto far_kind = up ? relation.to : relation.from;
      if (!up && is_measurement(far_kind) && !query_.measurements && id != graph_.root) continue;
      for (const auto& far : steps_.follow(up ? relation.up : relation.down, id, far_kind, limit)) {
        if (!visit(far)) continue;
        const auto& from = up ? id : far;
        const auto& to = up ? far : id;
        graph_.edges.push_back({from, to, std::string(relation.name)});
        all.push_back(far);
      }
    }
    return all;
  }

  // Adds `id` as a node if it is not one. False at the bound or if the object does not exist.
  bool visit(const LineageKey& id) {
    if (nodes_.contains(id)) return true;
    if (nodes_.size() >= static_cast<std::size_t>(query_.nodes_max)) {
      graph_.truncated = true;
      return false;
    }
    auto node = steps_.describe(id);
    if (!node) return false;
    nodes_.insert(id);
    graph_.nodes.push_back(std::move(*node));
    return true;
  }

  LineageSteps steps_;
  LineageQuery query_;
  std::set<LineageKey> nodes_;
  LineageGraph graph_;
};

}  // namespace

Result<LineageGraph> read_lineage(SQLite::Database& db, const LineageKey& root,
                                  const LineageQuery& query) {
  Snapshot snapshot(db);
  Walk walk(db, query);
  if (!walk.start(root)) return refuse(Code::not_found, "there is no " + text(root));
  if (query.direction != Direction::down) walk.go(true);
  if (query.direction != Direction::up) walk.go(false);
  return walk.take();
}

}  // namespace hone
