#include "db/filter/compile.hpp"

#include "db/filter/rows.hpp"

namespace hone::filter {
namespace {

// Whether a term reads only the sweep, its workflow and its dataset.
bool of_sweep_alone(const Term& term, ObjectKind kind) {
  if (term.kind != Term::Kind::comparison) {
    for (const Term& part : term.parts)
      if (!of_sweep_alone(part, kind)) return false;
    return true;
  }
  const auto& field = term.comparison.field;
  if (field.front() == "spec") return true;
  const auto of = field.size() > 1 || field.front() == "sweep" || field.front() == "workflow" ||
                          field.front() == "dataset"
                      ? kind_named(field.front())
                      : std::nullopt;
  return of && leads_to(ObjectKind::sweep, *of);
}

class Compiler {
 public:
  Compiler(ObjectKind kind, Instant now) : kind_(kind), now_(now) {}

  Result<Piece> condition(const Term& term) const {
    switch (term.kind) {
      case Term::Kind::comparison:
        return row_condition(term.comparison, kind_, now_);
      case Term::Kind::negation: {
        auto part = condition(term.parts.front());
        // A comparison with an absent value is false.
        if (part) part->sql = "NOT coalesce((" + part->sql + "), 0)";
        return part;
      }
      case Term::Kind::all:
        return joined(term.parts, " AND ");
      case Term::Kind::any:
        return joined(term.parts, " OR ");
    }
    unreachable();
  }

 private:
  Result<Piece> joined(const std::vector<Term>& parts, const char* joint) const {
    Piece all;
    for (const Term& part : parts) {
      auto one = condition(part);
      if (!one) return one;
      all.sql += (all.sql.empty() ? "" : joint) + ("(" + one->sql + ")");
      for (Bound& value : one->values) all.values.push_back(std::move(value));
    }
    return all;
  }

  ObjectKind kind_;
  Instant now_;
};

}  // namespace

Result<Conditions> compile(const Filter& filter, ObjectKind kind, Instant now) {
  if (!filter.kind.empty() && kind_named(filter.kind) != kind)
    return fault(filter.kind_at, "this lists " + std::string(word(kind)) + "s, not " +
                                     std::string(word(*kind_named(filter.kind))) + "s");
  Conditions conditions;
  conditions.kind = kind;
  const bool below = kind != ObjectKind::sweep && leads_to(kind, ObjectKind::sweep);
  for (const Term& term : filter.terms) {
    const bool separate = below && of_sweep_alone(term, kind);
    auto piece = Compiler(separate ? ObjectKind::sweep : kind, now).condition(term);
    if (!piece) return piece.error();
    (separate ? conditions.of_sweep : conditions.rows).push_back(*std::move(piece));
    if (separate || term.kind != Term::Kind::comparison) continue;
    if (auto start = candidates_of(term.comparison, kind))
      conditions.candidates.push_back(*std::move(start));
  }
  return conditions;
}

Piece on_row(const Conditions& conditions, int first) {
  Piece all;
  const auto add = [&](const std::string& sql, const Piece& piece) {
    all.sql += (all.sql.empty() ? "(" : " AND (") + sql + ")";
    all.values.insert(all.values.end(), piece.values.begin(), piece.values.end());
  };
  for (const Piece& piece : conditions.of_sweep)
    add("EXISTS (SELECT 1 FROM sweep s WHERE s.id = " + std::string(alias(conditions.kind)) +
            ".sweep AND (" + piece.sql + "))",
        piece);
  for (const Piece& piece : conditions.rows) add(piece.sql, piece);
  if (all.sql.empty()) all.sql = "1";
  return numbered(std::move(all), first);
}

// The SQL never contains text of the user, so every question mark belongs to a value.
Piece numbered(Piece piece, int first) {
  std::string sql;
  for (const char c : piece.sql) {
    sql += c;
    if (c == '?') sql += std::to_string(first++);
  }
  piece.sql = std::move(sql);
  return piece;
}

}  // namespace hone::filter
