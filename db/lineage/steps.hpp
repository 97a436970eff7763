// The single steps of a lineage: describe an object, follow a relation. Internal to db.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "db/object_kind.hpp"
#include "db/queries/rows.hpp"

namespace hone {

ObjectKind kind_of(const LineageKey& id);

// A relation of the graph, from a descendant to its ancestor. `up` selects the keys of the
// ancestors of a `from`, `down` those of the descendants of a `to`; both take the key of the known
// end as ?1, ?2, ...
struct Relation {
  ObjectKind from;
  ObjectKind to;
  std::string_view name;
  const char* up;
  const char* down;
};
std::span<const Relation> relations();

// Prepares each statement once for the whole walk.
class LineageSteps {
 public:
  explicit LineageSteps(SQLite::Database& db) : db_(db) {}

  // nullopt if the object does not exist.
  std::optional<LineageNode> describe(const LineageKey& id);

  // The objects of `kind` at the other end of `select` (the up or down of a relation), at most
  // `limit`.
  std::vector<LineageKey> follow(const char* select, const LineageKey& id, ObjectKind kind,
                                 std::size_t limit);

 private:
  void add_tags(LineageNode& node);
  SQLite::Statement& prepared(const char* select);

  SQLite::Database& db_;
  std::map<const char*, SQLite::Statement> statements_;
};

}  // namespace hone
