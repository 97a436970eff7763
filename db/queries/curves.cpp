// Reads the learning curves of a whole sweep.
#include "db/projection/further.hpp"
#include "db/queries/paging.hpp"
#include "db/queries/queries.hpp"
#include "db/sql.hpp"
#include "schemas/codec/words.hpp"

namespace hone {
namespace {

// The cursor: "<trial number>.<replicate>" of the last run of a page.
struct RunKey {
  std::int64_t number = -1;
  std::int64_t replicate = -1;
};

Result<RunKey> parse_run_cursor(const std::string& cursor) {
  if (cursor.empty()) return RunKey{};
  const auto dot = cursor.find('.');
  if (dot == std::string::npos) return bad_cursor(cursor);
  const auto number = parse_number<std::int64_t>(std::string_view(cursor).substr(0, dot));
  const auto replicate = parse_number<std::int64_t>(std::string_view(cursor).substr(dot + 1));
  if (!number || !replicate) return bad_cursor(cursor);
  return RunKey{*number, *replicate};
}

std::string cursor_of(const RunCurveRow& row) {
  return std::to_string(row.trial_number) + "." + std::to_string(row.id.replicate);
}

RunCurveRow read_run_curve(const SQLite::Statement& s) {
  sql::Columns c(s);
  RunCurveRow row;
  row.id = c.run_id();
  row.trial_number = c.integer();
  row.params = c.text();
  row.state = c.word<RunState>();
  row.reason = c.word<EndReason>();
  row.failure = c.word<Failure>();
  return row;
}

// Reads the points of run after run with one prepared statement.
class Points {
 public:
  explicit Points(SQLite::Database& db)
      : rows_(db,
              "SELECT p.phase, p.step, p.value, p.at, p.lease, a.granted_at, p.spent, p.further"
              " FROM report p JOIN attempt a ON a.lease = p.lease"
              " WHERE p.trial = ? AND p.replicate = ? ORDER BY p.phase") {}

  // The training after the last report of an attempt is lost, and the next attempt repeats it. So
  // the clock of each attempt continues from the last report before it.
  std::vector<CurvePoint> of(RunId run) {
    rows_.reset();
    sql::bind(rows_, run.trial, run.replicate);
    std::vector<CurvePoint> curve;
    LeaseId lease;
    Duration before;
    while (rows_.executeStep()) {
      sql::Columns c(rows_);
      CurvePoint point;
      point.phase = c.small();
      point.step = c.integer();
      if (const auto value = c.maybe(&sql::Columns::real)) point.value = Score::of(*value);
      const auto at = c.instant();
      if (const auto now = c.id<LeaseId>(); now != lease) {
        lease = now;
        before = curve.empty() ? Duration{} : curve.back().trained;
      }
      point.trained = before + (at - c.instant());
      point.spent = c.maybe(&sql::Columns::real);
      if (const auto further = c.maybe(&sql::Columns::text)) point.further = read_further(*further);
      curve.push_back(point);
    }
    return curve;
  }

 private:
  SQLite::Statement rows_;
};

}  // namespace

Result<Page<RunCurveRow>> list_curves(SQLite::Database& db, SweepId sweep, const PageQuery& page,
                                      std::size_t points_max) {
  const Snapshot snapshot(db);
  if (auto known = find_sweep(db, sweep); !known) return known.error();
  const auto after = parse_run_cursor(page.after);
  if (!after) return after.error();
  SQLite::Statement runs(db,
                         "SELECT r.trial, r.replicate, t.number, t.params, r.state, r.reason,"
                         " r.failure FROM trial t JOIN run r ON r.trial = t.id"
                         " WHERE t.sweep = ?1 AND t.number >= ?2 AND (t.number, r.replicate) >"
                         " (?2, ?3) ORDER BY t.number, r.replicate LIMIT ?4");
  sql::bind(runs, sweep, after->number, after->replicate, page.limit + 1);
  Points points(db);
  Page<RunCurveRow> found;
  std::size_t held = 0;
  while (runs.executeStep()) {
    const bool full = std::cmp_equal(found.items.size(), page.limit) || held >= points_max;
    if (full) {
      found.next = cursor_of(found.items.back());
      break;
    }
    auto row = read_run_curve(runs);
    row.curve = points.of(row.id);
    held += row.curve.size();
    found.items.push_back(std::move(row));
  }
  return found;
}

}  // namespace hone
