#include "db/filter/series.hpp"

#include "base/expect.hpp"
#include "db/filter/values.hpp"
#include "db/literal.hpp"
#include "schemas/values/same.hpp"

namespace hone::filter {
namespace {

std::string name_of(const Comparison& c) {
  std::string name;
  for (std::size_t i = 1; i < c.field.size(); ++i) name += (i > 1 ? "." : "") + c.field[i];
  return name;
}

// The trial of a row.
std::string trial_key(ObjectKind kind) {
  return std::string(alias(kind)) + (kind == ObjectKind::trial ? ".id" : ".trial");
}

void append(Piece& all, const std::string& joint, Piece piece) {
  all.sql += (all.sql.empty() ? "" : joint) + piece.sql;
  for (Bound& value : piece.values) all.values.push_back(std::move(value));
}

// The number that a parameter is compared to; nullopt if it is compared as text.
std::optional<double> param_number(const Comparison& c, const Literal& literal) {
  if (c.op == Op::holds) return std::nullopt;
  const auto truth = as_truth(literal);
  if (truth && !literal.quoted) return *truth ? 1.0 : 0.0;
  return as_number(literal);
}

// Whether a parameter is compared to the literal as text. A text may look like a number or a truth
// value, too: 10, yes.
bool is_text(const Comparison& c, const Literal& literal) {
  return !param_number(c, literal) || c.op == Op::equal || c.op == Op::differs;
}

// The condition on a row of param.
Result<Piece> param_value(const Comparison& c) {
  Piece all;
  for (const Literal& literal : c.values) {
    if (const auto number = param_number(c, literal))
      append(all, " OR ", number_condition("p.number", c.op, *number));
    if (!is_text(c, literal)) continue;
    auto piece = text_condition("p.text", c, literal);
    if (!piece) return piece;
    append(all, " OR ", *std::move(piece));
  }
  return all;
}

Result<Piece> param_condition(const Comparison& c, ObjectKind kind) {
  Piece piece{
      "EXISTS (SELECT 1 FROM param p WHERE p.trial = " + trial_key(kind) + " AND p.name = ?",
      {name_of(c)}};
  if (!c.values.empty()) {
    auto value = param_value(c);
    if (!value) return value;
    append(piece, "", {" AND (" + value->sql + ")", std::move(value->values)});
  }
  piece.sql += ")";
  return piece;
}

// Compares `sql` with each of the values.
Result<Piece> compared(const std::string& sql, const Comparison& c) {
  if (c.op == Op::holds) return fault(c.op_at, "a metric is compared by =, !=, <, <=, > or >=");
  if (c.values.empty()) return Piece{sql + " IS NOT NULL", {}};
  Piece all;
  for (const Literal& literal : c.values) {
    const auto number = number_of(literal, "metric." + name_of(c));
    if (!number) return number.error();
    append(all, " OR ", number_condition(sql, c.op, *number));
  }
  return all;
}

// The objective's value of a row, and the newest value of another series.
struct Readings {
  std::string objective;
  std::string series;  // a SELECT of one value by a bound name; may be empty
};

Readings readings_of(ObjectKind kind) {
  const std::string own(alias(kind));
  const Field* field = find_field(kind, "value");
  const std::string value = field == nullptr ? "" : "(" + std::string(field->sql) + ")";
  const std::string last = "(SELECT l.value FROM metric_last l WHERE l.trial = ";
  switch (kind) {
    case ObjectKind::sweep:
      return {value, ""};
    case ObjectKind::trial:
      return {value, last + "t.id AND l.name = ? ORDER BY l.replicate LIMIT 1)"};
    case ObjectKind::run:
      return {value, last + "r.trial AND l.replicate = r.replicate AND l.name = ?)"};
    case ObjectKind::attempt:
      return {
          "(SELECT max(p.value) FROM report p WHERE p.trial = a.trial AND p.replicate ="
          " a.replicate AND p.lease = a.lease)",
          last + "a.trial AND l.replicate = a.replicate AND l.name = ?)"};
    case ObjectKind::model:
    case ObjectKind::report:
      return {value, "(SELECT o.value FROM metric_point o WHERE o.trial = " + own +
                         ".trial AND o.replicate = " + own +
                         ".replicate AND o.name = ? AND o.step <= " + own +
                         ".step ORDER BY o.step DESC LIMIT 1)"};
    case ObjectKind::evaluation:
    case ObjectKind::metric:
    case ObjectKind::artifact:
      return {"(SELECT " + std::string(sql::value_of<"y.cost">) + " FROM run y WHERE y.trial = " +
                  own + ".trial AND y.replicate = " + own + ".replicate)",
              last + own + ".trial AND l.replicate = " + own + ".replicate AND l.name = ?)"};
    case ObjectKind::dataset:
    case ObjectKind::workflow:
    case ObjectKind::worker:
      break;
  }
  unreachable();
}

Result<Piece> metric_condition(const Comparison& c, ObjectKind kind) {
  const Readings readings = readings_of(kind);
  const std::string name = name_of(c);
  auto objective = compared(readings.objective, c);
  if (!objective) return objective;
  Piece all;
  if (kind == ObjectKind::sweep)
    all = {"s.metric = ? AND (", {name}};
  else
    all = {"EXISTS (SELECT 1 FROM sweep s WHERE s.id = " + std::string(alias(kind)) +
               ".sweep AND s.metric = ? AND (",
           {name}};
  append(all, "", *std::move(objective));
  all.sql += kind == ObjectKind::sweep ? ")" : "))";
  if (readings.series.empty()) return all;
  // A name is bound for each value that is compared.
  if (c.values.empty()) {
    append(all, " OR ", {readings.series + " IS NOT NULL", {name}});
    return all;
  }
  for (const Literal& literal : c.values) {
    Piece newest = number_condition(readings.series, c.op, *number_of(literal, name));
    newest.values.insert(newest.values.begin(), name);
    append(all, " OR ", std::move(newest));
  }
  return all;
}

// Trials of sweeps of such goals whose cost is within the bound. `cost` may bound it from one side:
// SQLite would search its index by the first upper bound that it reads, so +x.cost hides the other.
struct CostBound {
  const char* goal;
  std::string column;
  const char* sign = nullptr;
  double cost = 0;
};

void add_by_cost(Piece& all, const std::string& name, const CostBound& bound) {
  Piece piece{std::string("SELECT x.id FROM sweep y CROSS JOIN trial x ON x.sweep = y.id WHERE"
                          " y.metric = ? AND y.goal ") +
                  bound.goal + " AND +" + bound.column + " < 1.797e308",
              {name}};
  if (bound.sign != nullptr) {
    piece.sql += " AND " + bound.column + bound.sign;
    piece.values.emplace_back(bound.cost);
  }
  append(all, " UNION ALL ", std::move(piece));
}

// Every trial with a matching report or point; its other runs may have better ones.
std::optional<Piece> metric_candidates(const Comparison& c, ObjectKind kind) {
  const std::string name = name_of(c);
  const SameNumbers bound = same_as(*as_number(c.values.front()));
  const bool own = kind == ObjectKind::trial;
  const bool high = c.op == Op::more || c.op == Op::at_least || c.op == Op::equal;
  const bool low = c.op == Op::less || c.op == Op::at_most || c.op == Op::equal;
  // Attempts, models and reports are compared by reports, which may be better than the last one.
  const bool by_report =
      kind == ObjectKind::attempt || kind == ObjectKind::model || kind == ObjectKind::report;
  const std::string column = by_report ? "x.best_cost" : "x.cost";
  Piece all;
  const auto of_goal = [&](const char* goal, bool better, double cost) {
    if (better)
      add_by_cost(all, name, {goal, column, " <= ?", cost});
    else if (own)
      add_by_cost(all, name, {goal, column, " >= ?", cost});
    else
      add_by_cost(all, name, {goal, column});
  };
  of_goal("= 'maximize'", high, high ? -bound.low : -bound.high);
  of_goal("<> 'maximize'", low, low ? bound.high : bound.low);
  if (!own)
    append(all, " UNION ALL ",
           {"SELECT x.id FROM trial x CROSS JOIN sweep y ON y.id = x.sweep WHERE x.runs > 1 AND"
            " y.metric = ?",
            {name}});
  const char* range = high && low ? " BETWEEN ? AND ?" : high ? " >= ?" : " <= ?";
  const bool any_point =
      kind == ObjectKind::model || kind == ObjectKind::report;  // older than the newest point
  Piece points{std::string("SELECT trial FROM metric_last WHERE name = ?") +
                   (any_point ? "" : std::string(" AND value") + range),
               {name}};
  if (!any_point && high) points.values.emplace_back(bound.low);
  if (!any_point && low) points.values.emplace_back(bound.high);
  append(all, " UNION ALL ", std::move(points));
  return all;
}

}  // namespace

Result<Piece> series_condition(const Comparison& c, ObjectKind kind) {
  const bool params = c.field.front() == "params";
  if (c.field.size() < 2)
    return fault(c.at, "'" + c.field.front() + "' needs a name: " + c.field.front() +
                           (params ? ".gamma" : ".return"));
  const bool is_below = leads_to(kind, ObjectKind::trial);
  if (!is_below && (params || kind != ObjectKind::sweep))
    return fault(c.at, any_one(kind) + " has no " + c.field.front());
  return params ? param_condition(c, kind) : metric_condition(c, kind);
}

std::optional<Candidates> series_candidates(const Comparison& c, ObjectKind kind) {
  if (!leads_to(kind, ObjectKind::trial) || c.values.size() != 1) return std::nullopt;
  if (c.op == Op::differs || c.op == Op::holds) return std::nullopt;
  if (c.field.front() == "metric") {
    if (auto select = metric_candidates(c, kind)) return Candidates{trial_key(kind), *select};
    return std::nullopt;
  }
  const Literal& literal = c.values.front();
  auto value = param_value(c);
  if (!value) return std::nullopt;
  Piece select;
  const auto add = [&](const std::string& table, Piece condition, const std::string& more) {
    append(
        select, " UNION ALL ",
        {"SELECT p.trial FROM " + table + " p WHERE p.name = ? AND (" + condition.sql + ")" + more,
         {name_of(c)}});
    append(select, "", {"", std::move(condition.values)});
  };
  if (const auto number = param_number(c, literal))
    add("param_number", number_condition("p.number", c.op, *number), "");
  if (is_text(c, literal)) add("param_text", *text_condition("p.text", c, literal), "");
  // Rows that are newer than the index are read one by one (migrations/0013_param_index.sql).
  add("param", *std::move(value),
      " AND p.trial > (SELECT coalesce(max(trial), 0) FROM param_indexed)");
  return Candidates{trial_key(kind), std::move(select)};
}

}  // namespace hone::filter
