// The single steps of lineage: what a thing is, and what it came from. Inside db/ only.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "db/queries/rows.hpp"

namespace hone {

// In the order of LineageKey.
enum class ThingKind {
  sweep,
  trial,
  run,
  attempt,
  model,
  dataset,
  workflow,
  worker,
  report,
  metric
};
ThingKind kind_of(const LineageKey& id);

// One relation of the graph, from the made thing to what it came from. `up` selects the keys of
// what a `from` came from, `down` those of what was made from a `to`; both take the key of the
// known end as ?1, ?2, ...
struct Relation {
  ThingKind from;
  ThingKind to;
  std::string_view name;
  const char* up;
  const char* down;
};
std::span<const Relation> relations();

// Prepares each statement once, for the length of one walk.
class LineageSteps {
 public:
  explicit LineageSteps(SQLite::Database& db) : db_(db) {}

  // nullopt where there is no such thing.
  std::optional<LineageNode> describe(const LineageKey& id);

  // The things at the other end of `select` (an up or a down of a relation), which are of `kind`.
  // At most `limit`.
  std::vector<LineageKey> follow(const char* select, const LineageKey& id, ThingKind kind,
                                 std::size_t limit);

 private:
  void add_tags(LineageNode& node);
  SQLite::Statement& prepared(const char* select);

  SQLite::Database& db_;
  std::map<const char*, SQLite::Statement> statements_;
};

}  // namespace hone
