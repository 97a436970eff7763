#include "db/queries/find.hpp"

#include <algorithm>
#include <array>

#include "base/expect.hpp"
#include "db/leaderboard.hpp"
#include "db/queries/paging.hpp"
#include "db/queries/queries.hpp"
#include "db/sql.hpp"

namespace hone {
namespace {

using filter::Bound;
using filter::Conditions;
using filter::Piece;

// Starts from an index if it yields at most this many rows (a few milliseconds).
constexpr std::int64_t few = 5000;

struct Source {
  const char* table;
  const char* key;      // the columns of the id
  const char* by;       // the order, as a row value
  const char* columns;  // of the order
};

// Indexed by ObjectKind.
constexpr std::array sources{
    Source{"sweep s", "s.id", "s.id", "s.id"},
    Source{"trial t", "t.id", "t.id", "t.id"},
    Source{"run r", "r.trial, r.replicate", "(r.trial, r.replicate)", "r.trial, r.replicate"},
    Source{"attempt a", "a.trial, a.replicate, a.number", "a.lease", "a.lease"},
    Source{"model m", "m.id", "m.id", "m.id"},
    Source{"dataset d", "d.id", "d.id", "d.id"},
    Source{"workflow f", "f.id", "f.id", "f.id"},
    Source{"worker w", "w.id", "w.id", "w.id"},
    Source{"evaluation e", "e.id", "e.id", "e.id"},
    Source{"(SELECT p.*, (SELECT z.sweep FROM trial z WHERE z.id = p.trial) AS sweep FROM report p)"
           " q",
           "q.trial, q.replicate, q.phase", "(q.trial, q.replicate, q.phase)",
           "q.trial, q.replicate, q.phase"},
    Source{"(SELECT p.*, (SELECT z.sweep FROM trial z WHERE z.id = p.trial) AS sweep"
           " FROM metric_last p) u",
           "u.trial, u.replicate, u.name", "(u.trial, u.replicate, u.name)",
           "u.trial, u.replicate, u.name"},
    Source{"(SELECT p.*, (SELECT z.sweep FROM trial z WHERE z.id = p.trial) AS sweep"
           " FROM artifact p) v",
           "v.trial, v.replicate, v.name", "(v.trial, v.replicate, v.name)",
           "v.trial, v.replicate, v.name"},
};

struct PutBound {
  SQLite::Statement& s;
  int at;
  template <class Value>
  void operator()(const Value& value) const {
    sql::put(s, at, value);
  }
};

void bind_all(SQLite::Statement& s, const std::vector<Bound>& values) {
  int at = 0;
  for (const Bound& value : values) std::visit(PutBound{s, ++at}, value);
}

std::int64_t number_from(SQLite::Database& db, const Piece& piece) {
  SQLite::Statement s(db, piece.sql);
  bind_all(s, piece.values);
  return s.executeStep() ? s.getColumn(0).getInt64() : 0;
}

Piece conjunction(const std::vector<Piece>& pieces) {
  Piece all;
  for (const Piece& piece : pieces) {
    all.sql += (all.sql.empty() ? "(" : " AND (") + piece.sql + ")";
    all.values.insert(all.values.end(), piece.values.begin(), piece.values.end());
  }
  return all;
}

// Builds the WHERE of a search so that SQLite starts from the smallest set of rows. If no index
// gives a small set, SQLite scans the table in the requested order until the page is full.
class Where {
 public:
  explicit Where(SQLite::Database& db) : db_(db) {}

  void add(const std::string& sql, const std::vector<Bound>& values = {}) {
    all_.sql += (all_.sql.empty() ? "" : " AND ") + sql;
    all_.values.insert(all_.values.end(), values.begin(), values.end());
  }

  void add_filter(const Conditions& where) {
    add_sweeps(where);
    for (const auto& candidates : where.candidates) {
      const Piece& select = candidates.select;
      const Piece count{
          "SELECT count(*) FROM (" + select.sql + " LIMIT " + std::to_string(few + 1) + ")",
          select.values};
      if (number_from(db_, count) <= few)
        add(candidates.key + " IN (" + select.sql + ")", select.values);
    }
    for (const Piece& row : where.rows) add("(" + row.sql + ")", row.values);
  }

  [[nodiscard]] const Piece& piece() const { return all_; }

 private:
  void add_sweeps(const Conditions& where) {
    if (where.of_sweep.empty()) return;
    const Piece all = conjunction(where.of_sweep);
    const Piece trials{"SELECT coalesce(sum(s.proposed), 0) FROM sweep s WHERE " + all.sql,
                       all.values};
    const bool is_few = number_from(db_, trials) <= few;
    const std::string own(filter::alias(where.kind));
    const std::string in_sweeps = ".sweep IN (SELECT s.id FROM sweep s WHERE " + all.sql + ")";
    if (is_few && filter::is_part_of_run(where.kind))
      add(own + ".trial IN (SELECT z.id FROM trial z WHERE z" + in_sweeps + ")", all.values);
    else
      add((is_few ? "" : "+") + own + in_sweeps, all.values);  // +: SQLite must not use an index
  }

  SQLite::Database& db_;
  Piece all_;
};

FoundId read_id(sql::Columns& c, ObjectKind kind) {
  switch (kind) {
    case ObjectKind::sweep:
      return c.id<SweepId>();
    case ObjectKind::trial:
      return c.id<TrialId>();
    case ObjectKind::run:
      return c.run_id();
    case ObjectKind::attempt: {
      const RunId run = c.run_id();
      return AttemptId{run, c.small()};
    }
    case ObjectKind::model:
      return c.id<ModelId>();
    case ObjectKind::dataset:
      return c.id<DatasetId>();
    case ObjectKind::workflow:
      return c.id<WorkflowId>();
    case ObjectKind::worker:
      return c.id<WorkerId>();
    case ObjectKind::evaluation:
      return c.id<EvaluationId>();
    case ObjectKind::report: {
      const RunId run = c.run_id();
      return ReportKey{run, c.small()};
    }
    case ObjectKind::metric: {
      const RunId run = c.run_id();
      return MetricKey{run, c.text(), {}};
    }
    case ObjectKind::artifact: {
      const RunId run = c.run_id();
      return ArtifactKey{run, c.text()};
    }
  }
  unreachable();
}

void add_scope(Where& where, const Conditions& conditions, const FindScope& scope) {
  const std::string own(filter::alias(conditions.kind));
  if (scope.sweep) where.add(own + ".sweep = ?", {scope.sweep->value});
  if (scope.trial) where.add(own + ".trial = ?", {scope.trial->value});
  if (!scope.archived && conditions.kind == ObjectKind::sweep) where.add("s.archived_at IS NULL");
}

struct Sorting {
  std::string by;       // as a row value
  std::string columns;  // each with its direction
  std::string keys;     // the columns of a cursor
  std::size_t count = 1;
  bool descends = false;
  std::optional<std::size_t> real{};  // the key that is no integer
  bool ends_with_name = false;        // the last key is text
};

// The values of a cursor: the order columns of the last row, separated by slashes.
Result<std::vector<Bound>> cursor_values(const PageQuery& page, const Sorting& sorting) {
  const std::size_t count = sorting.count;
  std::vector<Bound> values;
  std::string_view rest = page.after;
  for (std::size_t i = 0; i < count; ++i) {
    const auto end = i + 1 == count ? rest.size() : rest.find('/');
    if (end == std::string_view::npos) return bad_cursor(page.after);
    const std::string_view part = rest.substr(0, end);
    if (sorting.ends_with_name && i + 1 == count) {
      values.emplace_back(std::string(part));
    } else if (sorting.real == i) {
      const auto real = parse_number<double>(part);
      if (!real) return bad_cursor(page.after);
      values.emplace_back(*real);
    } else {
      const auto integer = parse_number<std::int64_t>(part);
      if (!integer) return bad_cursor(page.after);
      values.emplace_back(*integer);
    }
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  return values;
}

// On the leaderboard of its sweep.
std::string place_of_trial() { return std::string(sql::tier) + ", " + sql::key + ", t.number"; }

Sorting sorting_of(const Source& source, FindOrder order, ObjectKind kind) {
  const std::string columns = source.columns;
  const auto count = static_cast<std::size_t>(std::ranges::count(columns, ',')) + 1;
  const bool named = kind == ObjectKind::metric || kind == ObjectKind::artifact;
  switch (order) {
    case FindOrder::value:
      return {"(" + place_of_trial() + ")", place_of_trial(), place_of_trial(), 3, false, 1};
    case FindOrder::number:
      return {source.by, columns, columns, count, false, {}, named};
    case FindOrder::newest: {
      std::string down;
      for (const char c : columns) down += c == ',' ? " DESC," : std::string(1, c);
      return {source.by, down + " DESC", columns, count, true, {}, named};
    }
  }
  unreachable();
}

// (?, ?) for two values.
std::string marks(std::size_t count) {
  std::string list = "?";
  for (std::size_t i = 1; i < count; ++i) list += ", ?";
  return "(" + list + ")";
}

std::string cursor_text(SQLite::Statement& s, int first, const Sorting& sorting) {
  std::string text;
  for (std::size_t i = 0; i < sorting.count; ++i) {
    const auto column = s.getColumn(first + static_cast<int>(i));
    if (i > 0) text += "/";
    if (sorting.ends_with_name && i + 1 == sorting.count) {
      text += column.getString();
    } else if (sorting.real == i) {
      std::array<char, 32> digits{};
      const auto* end =
          std::to_chars(digits.data(), digits.data() + digits.size(), column.getDouble()).ptr;
      text.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
    } else {
      text += std::to_string(column.getInt64());
    }
  }
  return text;
}

Page<FoundId> read_ids(SQLite::Statement& s, ObjectKind kind, const Sorting& sorting,
                       std::int64_t limit) {
  Page<FoundId> page;
  std::string last;
  const bool of_three = kind == ObjectKind::attempt || filter::is_part_of_run(kind);
  const int keys = kind == ObjectKind::run ? 2 : of_three ? 3 : 1;
  while (s.executeStep()) {
    if (std::cmp_equal(page.items.size(), limit)) {
      page.next = last;
      break;
    }
    sql::Columns c(s);
    page.items.push_back(read_id(c, kind));
    last = cursor_text(s, keys, sorting);
  }
  return page;
}

}  // namespace

Result<filter::Conditions> read_filter(const std::string& text, Instant now,
                                       std::optional<ObjectKind> kind) {
  const auto parsed = filter::parse(text);
  if (!parsed) return parsed.error();
  const auto named = filter::kind_named(parsed->kind);
  const auto of = kind ? *kind : named.value_or(ObjectKind::trial);
  return filter::compile(*parsed, of, now);
}

Result<Page<FoundId>> find_ids(SQLite::Database& db, const filter::Conditions& conditions,
                               const FindScope& scope, const PageQuery& page) {
  const Snapshot snapshot(db);
  const Source& source = sources[static_cast<std::size_t>(conditions.kind)];
  const Sorting sorting = sorting_of(source, scope.order, conditions.kind);
  Where where(db);
  add_scope(where, conditions, scope);
  if (!page.after.empty()) {
    const auto values = cursor_values(page, sorting);
    if (!values) return values.error();
    where.add(sorting.by + (sorting.descends ? " < " : " > ") + marks(sorting.count), *values);
  }
  where.add_filter(conditions);
  std::string select =
      std::string("SELECT ") + source.key + ", " + sorting.keys + " FROM " + source.table;
  if (scope.order == FindOrder::value) select += " JOIN sweep s ON s.id = t.sweep";
  if (!where.piece().sql.empty()) select += " WHERE " + where.piece().sql;
  select += " ORDER BY " + sorting.columns + " LIMIT " + std::to_string(page.limit + 1);
  SQLite::Statement s(db, select);
  bind_all(s, where.piece().values);
  return read_ids(s, conditions.kind, sorting, page.limit);
}

Result<AttemptRow> find_attempt(SQLite::Database& db, AttemptId id) {
  auto page = list_attempts(db, id.run, {1, std::to_string(id.number - 1)});
  if (!page) return page.error();
  if (page->items.empty() || page->items.front().id != id)
    return refuse(Code::not_found, "there is no attempt " + text(id));
  return std::move(page->items.front());
}

}  // namespace hone
