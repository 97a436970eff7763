// A filter that makes sense for one kind of thing, as conditions of SQL. Values are always bound.
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

// A piece of SQL with a `?` for each of its values.
struct Piece {
  std::string sql;
  std::vector<Bound> values;
};

// A superset of the things that one term lets through, found by an index: worth starting from where
// it is small.
struct Candidates {
  std::string key;  // of the thing: "m.trial", "t.id"
  Piece select;
};

struct Conditions {
  ThingKind kind = ThingKind::trial;
  std::vector<Piece> of_sweep;  // on the tables s, f and d alone; empty for kinds without a sweep
  std::vector<Piece> rows;      // on a row of the kind's own table, under its alias
  std::vector<Candidates> candidates;
};

// Refuses unknown fields, values of the wrong type and kinds that lead nowhere, at the character.
// `now`: what times like -2d count from. A filter that names a kind must name this one.
Result<Conditions> compile(const Filter& filter, ThingKind kind, Instant now);

// All conditions as one on a row of the kind's own table; its values are ?first, ?first+1, ...
Piece on_row(const Conditions& conditions, int first);

// The piece with its values numbered from `first` on.
Piece numbered(Piece piece, int first);

}  // namespace hone::filter
