// Compiles a filter for one kind of object into conditions of SQL. Values are always bound.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "db/filter/kinds.hpp"
#include "db/filter/syntax.hpp"
#include "schemas/types/instant.hpp"

namespace hone::filter {

using Bound = std::variant<std::int64_t, double, std::string>;

// A piece of SQL with a `?` for each value.
struct Piece {
  std::string sql;
  std::vector<Bound> values;
};

// A superset of the objects that match one term, found by an index. A search starts from it when it
// is small.
struct Candidates {
  std::string key;  // of the object: "m.trial", "t.id"
  Piece select;
};

struct Conditions {
  ObjectKind kind = ObjectKind::trial;
  std::vector<Piece> of_sweep;  // on the tables s, f and d alone; empty for kinds without a sweep
  std::vector<Piece> rows;      // on a row of the kind's own table, under its alias
  std::vector<Candidates> candidates;
};

// Refuses unknown fields, values of the wrong type and unrelated kinds, at the character. Times
// such as -2d count from `now`. A filter that names a kind must name this one.
Result<Conditions> compile(const Filter& filter, ObjectKind kind, Instant now);

// Joins all conditions into one on a row of the kind's own table; its values are ?first, ...
Piece on_row(const Conditions& conditions, int first);

// Numbers the values of the piece from `first` on.
Piece numbered(Piece piece, int first);

}  // namespace hone::filter
