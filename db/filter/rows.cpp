#include "db/filter/rows.hpp"

#include "base/nearest.hpp"
#include "db/filter/series.hpp"
#include "db/filter/values.hpp"

namespace hone::filter {
namespace {

std::string spelled(const Comparison& c) {
  std::string name;
  for (const auto& part : c.field) name += (name.empty() ? "" : ".") + part;
  return name;
}

// The tables between a row of `kind` and one of its parents, for an EXISTS.
struct Path {
  std::string from;
  std::string where;

  void add(const std::string& table, const std::string& link) {
    from += (from.empty() ? "" : ", ") + table;
    where += (where.empty() ? "" : " AND ") + link;
  }
};

Path path_to(ObjectKind kind, ObjectKind of, bool needs_sweep) {
  const std::string own(alias(kind));
  Path path;
  const bool to_worker = of == ObjectKind::worker;
  const bool of_attempt = kind == ObjectKind::model || kind == ObjectKind::report;
  if (of_attempt && (of == ObjectKind::attempt || to_worker))
    path.add("attempt a", "a.lease = " + own + ".lease");
  if (kind == ObjectKind::evaluation && of == ObjectKind::model)
    path.add("model m", "m.id = e.model");
  if (of == ObjectKind::run && kind != of)
    path.add("run r", "r.trial = " + own + ".trial AND r.replicate = " + own + ".replicate");
  if (of == ObjectKind::trial && kind != of) path.add("trial t", "t.id = " + own + ".trial");
  const bool beyond = kind != of && (of == ObjectKind::workflow || of == ObjectKind::dataset);
  if ((of == ObjectKind::sweep || beyond || needs_sweep) && kind != ObjectKind::sweep)
    path.add("sweep s", "s.id = " + own + ".sweep");
  if (of == ObjectKind::workflow && kind != of) path.add("workflow f", "f.id = s.workflow");
  if (of == ObjectKind::dataset && kind != of)
    path.add("dataset d", "d.id IN (SELECT x.dataset FROM sweep_dataset x WHERE x.sweep = s.id)");
  if (to_worker && kind != of)
    path.add("worker w", kind == ObjectKind::run ? "w.id = r.worker" : "w.id = a.worker");
  return path;
}

Piece along(const Path& path, Piece piece) {
  if (path.from.empty()) return piece;
  piece.sql =
      "EXISTS (SELECT 1 FROM " + path.from + " WHERE " + path.where + " AND (" + piece.sql + "))";
  return piece;
}

// The id as tags and notes store it.
std::string object_text(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::sweep:
      return "'sw_' || s.id";
    case ObjectKind::trial:
      return "'tr_' || t.id";
    case ObjectKind::run:
      return "'rn_' || r.trial || '.' || r.replicate";
    case ObjectKind::attempt:
      return "'rn_' || a.trial || '.' || a.replicate || '#' || a.number";
    case ObjectKind::model:
      return "'md_' || m.id";
    case ObjectKind::dataset:
      return "'ds_' || d.id";
    case ObjectKind::workflow:
      return "'wf_' || f.id";
    case ObjectKind::worker:
      return "'wk_' || w.id";
    case ObjectKind::evaluation:
      return "'ev_' || e.id";
    case ObjectKind::report:
    case ObjectKind::metric:
    case ObjectKind::artifact:
      break;  // without tags and notes
  }
  unreachable();
}

Error bad_sign(const Comparison& c, const std::string& how) {
  return fault(c.op_at, "'" + spelled(c) + "' is compared by " + how);
}

bool is_order(Op op) {
  return op == Op::less || op == Op::at_most || op == Op::more || op == Op::at_least;
}

// Joins the conditions that `one` makes of each value with OR.
template <class One>
Result<Piece> any_value(const Comparison& c, const One& one) {
  Piece all;
  for (const Literal& literal : c.values) {
    Result<Piece> piece = one(literal);
    if (!piece) return piece;
    all.sql += (all.sql.empty() ? "" : " OR ") + piece->sql;
    for (Bound& value : piece->values) all.values.push_back(std::move(value));
  }
  return all;
}

// tag = good, note ~ diverged.
Result<Piece> words_condition(const Comparison& c, ObjectKind of) {
  const bool tag = c.field.back() == "tag";
  const std::string table = tag ? "tag" : "note";
  const std::string column = tag ? "tag" : "text";
  const std::string select =
      "EXISTS (SELECT 1 FROM " + table + " x WHERE x.object = " + object_text(of);
  if (c.values.empty()) return Piece{select + ")", {}};
  Comparison positive = c;
  const bool negated = c.op == Op::differs;  // does not have the tag
  if (negated) positive.op = Op::equal;
  auto any = any_value(
      c, [&](const Literal& literal) { return text_condition("x." + column, positive, literal); });
  if (any) any->sql = (negated ? "NOT " : "") + select + " AND (" + any->sql + "))";
  return any;
}

struct IdParts {
  const std::string& alias;
  Op op;
  Piece operator()(RunId id) const {
    return {alias + ".trial = ? AND " + alias + ".replicate = ?",
            {id.trial.value, std::int64_t{id.replicate}}};
  }
  Piece operator()(AttemptId id) const {
    return {alias + ".trial = ? AND " + alias + ".replicate = ? AND " + alias + ".number = ?",
            {id.run.trial.value, std::int64_t{id.run.replicate}, std::int64_t{id.number}}};
  }
  template <class Tag>
  Piece operator()(Id<Tag> id) const {
    return {"", {id.value}};
  }
};

// Most ids are one number; those of runs and attempts are two and three.
Result<Piece> id_condition(const Comparison& c, const Field& field) {
  if (is_order(c.op) || c.op == Op::holds) return bad_sign(c, "= or !=");
  const ObjectKind names = field.name == "from"          ? ObjectKind::trial
                           : field.name == "forked_from" ? ObjectKind::sweep
                                                         : field.of;
  const std::string own(alias(field.of));
  return any_value(c, [&](const Literal& literal) -> Result<Piece> {
    const auto id = id_of(literal, names);
    if (!id) return id.error();
    Piece piece = std::visit(IdParts{own, c.op}, *id);
    if (piece.sql.empty())
      piece.sql = std::string(field.sql) + " " + std::string(sign(c.op)) + " ?";
    else if (c.op == Op::differs)
      piece.sql = "NOT (" + piece.sql + ")";
    return piece;
  });
}

Result<Piece> truth_condition(const Comparison& c, const Field& field) {
  if (c.op != Op::equal && c.op != Op::differs) return bad_sign(c, "= or !=, or used alone");
  if (c.values.size() > 1) return fault(c.values[1].at, "there is only true and false");
  const auto wanted = as_truth(c.values.front());
  if (!wanted) return fault(c.values.front().at, "'" + spelled(c) + "' is true or false");
  const bool holds = *wanted == (c.op == Op::equal);
  return Piece{(holds ? "(" : "NOT (") + std::string(field.sql) + ")", {}};
}

Result<Piece> field_condition(const Comparison& c, const Field& field, Instant now) {
  const std::string sql =
      field.sql.starts_with("CASE") ? "(" + std::string(field.sql) + ")" : std::string(field.sql);
  if (c.values.empty())
    return Piece{field.type == FieldType::truth ? sql : "nullif(" + sql + ", '') IS NOT NULL", {}};
  switch (field.type) {
    case FieldType::text:
      return any_value(c, [&](const Literal& literal) { return text_condition(sql, c, literal); });
    case FieldType::truth:
      return truth_condition(c, field);
    case FieldType::id:
      return id_condition(c, field);
    case FieldType::number:
    case FieldType::time:
      break;
  }
  if (c.op == Op::holds) return bad_sign(c, "=, !=, <, <=, > or >=");
  return any_value(c, [&](const Literal& literal) -> Result<Piece> {
    if (field.type == FieldType::time) {
      const auto time = time_of(literal, now);
      if (!time) return time.error();
      return Piece{sql + " " + std::string(sign(c.op)) + " ?", {time->us}};
    }
    const auto number = number_of(literal, spelled(c));
    if (!number) return number.error();
    return number_condition(sql, c.op, *number);
  });
}

// spec.search.method: any member of the sweep file.
Result<Piece> spec_condition(const Comparison& c) {
  std::string steps = "$";
  for (std::size_t i = 1; i < c.field.size(); ++i) {
    if (c.field[i].find_first_of("\"\\") != std::string::npos)
      return fault(c.at, "no field of a sweep file has such a name");
    steps += ".\"" + c.field[i] + "\"";
  }
  const Bound path = std::move(steps);
  const std::string value = "json_extract(s.spec, ?)";
  if (c.values.empty()) return Piece{value + " IS NOT NULL", {path}};
  return any_value(c, [&](const Literal& literal) -> Result<Piece> {
    const auto truth = as_truth(literal);
    const auto number = truth ? std::optional(*truth ? 1.0 : 0.0) : as_number(literal);
    auto piece = number && c.op != Op::holds ? Result<Piece>(number_condition(value, c.op, *number))
                                             : text_condition(value, c, literal);
    if (piece) piece->values.insert(piece->values.begin(), path);
    return piece;
  });
}

Error unknown_field(const Comparison& c, ObjectKind kind, ObjectKind of) {
  std::vector<std::string_view> known;
  if (!is_part_of_run(of)) known = {"tag", "note"};
  for (const Field& field : fields())
    if (field.of == of) known.push_back(field.name);
  std::string all;
  for (const auto& name : known) all += (all.empty() ? "" : " ") + std::string(name);
  const std::string& name = c.field.back();
  return fault(c.at + (kind == of || c.field.size() < 2 ? 0 : c.field.front().size() + 1),
               any_one(of) + " has no field '" + name + "'" + did_you_mean(name, known) +
                   "; it has " + all +
                   (leads_to(of, ObjectKind::trial) ? ", params.NAME and metric.NAME" : ""));
}

// The meaning of the first part of a name.
Result<ObjectKind> thing_of(const Comparison& c, ObjectKind kind) {
  const auto named = kind_named(c.field.front());
  if (c.field.size() == 1 && find_field(kind, c.field.front())) return kind;
  if (!named) {
    if (c.field.size() == 1) return kind;
    return unknown_field(Comparison{{c.field.front()}, c.at, c.op, c.op_at, {}}, kind, kind);
  }
  if (leads_to(kind, *named)) return *named;
  const std::string sought(word(*named));
  return fault(c.at, any_one(kind) + " has no single " + sought + ": search for each, as in '" +
                         sought + " where ...'");
}

// params.NAME and metric.NAME; an evaluation's `metric` is a field.
bool is_series(const Comparison& c, ObjectKind kind) {
  const std::string& first = c.field.front();
  if (first != "params" && first != "metric") return false;
  return c.field.size() > 1 || find_field(kind, first) == nullptr;
}

// run = rn_4.0, trial = tr_4: rows of one trial.
std::optional<Candidates> one_trial(const Comparison& c, ObjectKind kind) {
  const ObjectKind of = c.field.front() == "run" ? ObjectKind::run : ObjectKind::trial;
  const bool its_id = c.field.size() == 1 || (c.field.size() == 2 && c.field.back() == "id");
  if (!its_id || kind == of || !leads_to(kind, of)) return std::nullopt;
  if (c.op != Op::equal || c.values.size() != 1) return std::nullopt;
  const auto id = id_of(c.values.front(), of);
  if (!id) return std::nullopt;
  const auto* run = std::get_if<RunId>(&*id);
  const TrialId trial = run != nullptr ? run->trial : std::get<TrialId>(*id);
  return Candidates{std::string(alias(kind)) + ".trial", {"SELECT ?", {trial.value}}};
}

}  // namespace

Result<Piece> row_condition(const Comparison& c, ObjectKind kind, Instant now) {
  const std::string& first = c.field.front();
  if (is_series(c, kind)) return series_condition(c, kind);
  if (first == "spec" && c.field.size() > 1) {
    if (!leads_to(kind, ObjectKind::sweep)) return fault(c.at, any_one(kind) + " has no spec");
    auto piece = spec_condition(c);
    return piece ? along(path_to(kind, ObjectKind::sweep, false), *std::move(piece)) : piece;
  }
  const auto of = thing_of(c, kind);
  if (!of) return of.error();
  const bool bare = c.field.size() == 1 && kind_named(first) == *of && !find_field(kind, first);
  if (c.field.size() > 2) return unknown_field(c, kind, *of);
  const std::string name = bare ? "id" : c.field.back();
  if ((name == "tag" || name == "note") && !is_part_of_run(*of)) {
    auto piece = words_condition(c, *of);
    return piece ? along(path_to(kind, *of, false), *std::move(piece)) : piece;
  }
  const Field* field = find_field(*of, name);
  if (field == nullptr) return unknown_field(c, kind, *of);
  auto piece = field_condition(c, *field, now);
  if (!piece) return piece;
  return along(path_to(kind, *of, field->needs_sweep), *std::move(piece));
}

std::optional<Candidates> candidates_of(const Comparison& c, ObjectKind kind) {
  const std::string& first = c.field.front();
  if (is_series(c, kind)) return series_candidates(c, kind);
  if (first == "run" || first == "trial") return one_trial(c, kind);
  if (first != "tag" || c.op != Op::equal || c.values.size() != 1) return std::nullopt;
  const bool one_number =
      kind == ObjectKind::sweep || kind == ObjectKind::trial || kind == ObjectKind::model;
  if (!one_number || c.values.front().text.find('*') != std::string::npos) return std::nullopt;
  const std::string prefix = object_text(kind).substr(1, 3);
  return Candidates{std::string(alias(kind)) + ".id",
                    {"SELECT CAST(substr(object, 4) AS INTEGER) FROM tag WHERE tag = ? AND object "
                     "GLOB '" +
                         prefix + "*'",
                     {c.values.front().text}}};
}

}  // namespace hone::filter
