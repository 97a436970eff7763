// Reads of runs: attempts, curve, metrics.
#include <nlohmann/json.hpp>

#include "db/projection/further.hpp"
#include "db/queries/find.hpp"
#include "db/queries/paging.hpp"
#include "db/queries/queries.hpp"
#include "db/queries/read.hpp"
#include "db/sql.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/words.hpp"

namespace hone {
namespace {

std::string select_runs() {
  return "SELECT " + row::columns<RunRow>() +
         " FROM run r JOIN trial t ON t.id = r.trial JOIN sweep s ON s.id = r.sweep"
         " LEFT JOIN trial n ON n.replaces = t.id AND r.replicate = 0 ";
}

Verdict read_verdict(const std::string& text) {
  const auto document = parse_json(text);
  auto verdict = document ? decode_verdict(*document, "") : Result<Verdict>(document.error());
  if (verdict) return std::move(*verdict);
  throw std::runtime_error("the query tables hold an unreadable verdict: " +
                           verdict.error().detail);
}

CurveRow read_point(const SQLite::Statement& s) {
  sql::Columns c(s);
  CurveRow row;
  row.phase = c.small();
  row.step = c.integer();
  if (const auto value = c.maybe(&sql::Columns::real)) row.value = Score::of(*value);
  row.at = c.instant();
  if (const auto verdict = c.maybe(&sql::Columns::text)) row.verdict = read_verdict(*verdict);
  if (const auto further = c.maybe(&sql::Columns::text)) row.further = read_further(*further);
  row.spent = c.maybe(&sql::Columns::real);
  return row;
}

Status check_run(SQLite::Database& db, RunId run) {
  SQLite::Statement s(db, "SELECT 1 FROM run WHERE trial = ? AND replicate = ?");
  if (sql::bind(s, run.trial, run.replicate).executeStep()) return Done{};
  return refuse(Code::not_found, "there is no run " + text(run));
}

// The cursor of a page of metrics: "<step>/<name>". A name may hold anything, so it comes last.
struct MetricCursor {
  std::string name;
  std::int64_t step = std::numeric_limits<std::int64_t>::min();
};

Result<MetricCursor> parse_metric_cursor(const std::string& cursor) {
  if (cursor.empty()) return MetricCursor{};
  const auto slash = cursor.find('/');
  if (slash == std::string::npos) return bad_cursor(cursor);
  const auto step = parse_number<std::int64_t>(std::string_view(cursor).substr(0, slash));
  if (!step) return bad_cursor(cursor);
  return MetricCursor{cursor.substr(slash + 1), *step};
}

}  // namespace

Result<Page<RunRow>> list_runs(SQLite::Database& db, TrialId trial, const PageQuery& page) {
  if (auto known = find_trial(db, trial); !known) return known.error();
  const auto after = integer_cursor(page, -1);
  if (!after) return after.error();
  SQLite::Statement s(
      db, select_runs() + "WHERE r.trial = ? AND r.replicate > ? ORDER BY r.replicate LIMIT ?");
  sql::bind(s, trial, *after, page.limit + 1);
  return read_page<RunRow>(s, page.limit,
                           [](const RunRow& row) { return std::to_string(row.id.replicate); });
}

std::optional<RunRow> first_queued_run(SQLite::Database& db, SweepId sweep) {
  SQLite::Statement s(db, select_runs() +
                              "WHERE r.sweep = ? AND r.ended_at IS NULL AND r.state = 'queued'"
                              " ORDER BY r.trial, r.replicate LIMIT 1");
  sql::bind(s, sweep);
  if (!s.executeStep()) return std::nullopt;
  return row::read<RunRow>(s);
}

Result<RunRow> find_run(SQLite::Database& db, RunId id) {
  SQLite::Statement s(db, select_runs() + "WHERE r.trial = ? AND r.replicate = ?");
  if (!sql::bind(s, id.trial, id.replicate).executeStep())
    return refuse(Code::not_found, "there is no run " + text(id));
  return row::read<RunRow>(s);
}

Result<std::vector<ArtifactRow>> read_artifacts(SQLite::Database& db, RunId run) {
  if (auto known = check_run(db, run); !known) return known.error();
  SQLite::Statement s(db, "SELECT " + row::columns<ArtifactRow>() +
                              " FROM artifact WHERE trial = ? AND replicate = ? ORDER BY name");
  sql::bind(s, run.trial, run.replicate);
  std::vector<ArtifactRow> rows;
  while (s.executeStep()) rows.push_back(row::read<ArtifactRow>(s));
  return rows;
}

Result<Page<AttemptRow>> list_attempts(SQLite::Database& db, RunId run, const PageQuery& page) {
  if (auto known = check_run(db, run); !known) return known.error();
  const auto after = integer_cursor(page, 0);
  if (!after) return after.error();
  SQLite::Statement s(db, "SELECT " + row::columns<AttemptRow>() +
                              " FROM attempt a JOIN worker w ON w.id = a.worker"
                              " LEFT JOIN attempt_code x ON x.lease = a.lease"
                              " WHERE a.trial = ? AND a.replicate = ? AND a.number > ?"
                              " ORDER BY a.number LIMIT ?");
  sql::bind(s, run.trial, run.replicate, *after, page.limit + 1);
  return read_page<AttemptRow>(s, page.limit,
                               [](const AttemptRow& row) { return std::to_string(row.id.number); });
}

Result<std::vector<CurveRow>> read_curve(SQLite::Database& db, RunId run) {
  if (auto known = check_run(db, run); !known) return known.error();
  SQLite::Statement s(db,
                      "SELECT phase, step, value, at, verdict, further, spent FROM report"
                      " WHERE trial = ? AND replicate = ? ORDER BY phase");
  sql::bind(s, run.trial, run.replicate);
  std::vector<CurveRow> curve;
  while (s.executeStep()) curve.push_back(read_point(s));
  return curve;
}

Result<ReportRow> find_report(SQLite::Database& db, const ReportKey& id) {
  const auto run = find_run(db, id.run);
  if (!run) return run.error();
  SQLite::Statement s(db,
                      "SELECT phase, step, value, at, verdict, further, spent FROM report"
                      " WHERE trial = ? AND replicate = ? AND phase = ?");
  if (!sql::bind(s, id.run.trial, id.run.replicate, id.phase).executeStep())
    return refuse(Code::not_found, "there is no report " + text(LineageKey(id)));
  return ReportRow{id, run->sweep, read_point(s)};
}

Result<SeriesRow> find_series(SQLite::Database& db, const MetricKey& id) {
  const auto run = find_run(db, id.run);
  if (!run) return run.error();
  SQLite::Statement s(db,
                      "SELECT step, value FROM metric_last"
                      " WHERE trial = ? AND replicate = ? AND name = ?");
  if (!sql::bind(s, id.run.trial, id.run.replicate, id.name).executeStep())
    return refuse(Code::not_found, "there is no metric " + text(LineageKey(id)));
  sql::Columns c(s);
  const auto step = c.integer();
  return SeriesRow{id, run->sweep, step, c.real()};
}

Result<FileRow> find_artifact(SQLite::Database& db, const ArtifactKey& id) {
  const auto run = find_run(db, id.run);
  if (!run) return run.error();
  SQLite::Statement s(db, "SELECT " + row::columns<ArtifactRow>() +
                              " FROM artifact WHERE trial = ? AND replicate = ? AND name = ?");
  if (!sql::bind(s, id.run.trial, id.run.replicate, id.name).executeStep())
    return refuse(Code::not_found, "run " + text(id.run) + " has no artifact '" + id.name + "'");
  return FileRow{id, run->sweep, row::read<ArtifactRow>(s)};
}

Result<std::vector<MetricNameRow>> read_metric_names(SQLite::Database& db, RunId run) {
  if (auto known = check_run(db, run); !known) return known.error();
  SQLite::Statement s(db, "SELECT " + row::columns<MetricNameRow>() +
                              " FROM metric_point WHERE trial = ?1 AND replicate = ?2"
                              " GROUP BY name ORDER BY name");
  sql::bind(s, run.trial, run.replicate);
  std::vector<MetricNameRow> rows;
  while (s.executeStep()) rows.push_back(row::read<MetricNameRow>(s));
  return rows;
}

std::optional<MetricSummary> summarize_metric(SQLite::Database& db, RunId run,
                                              const std::string& name) {
  SQLite::Statement s(db,
                      "SELECT COUNT(*), AVG(value), MAX(value) FROM metric_point WHERE trial = ?1"
                      " AND replicate = ?2 AND name = ?3");
  sql::bind(s, run.trial, run.replicate, name);
  if (!s.executeStep() || s.getColumn(0).getInt64() == 0) return std::nullopt;
  return MetricSummary{s.getColumn(0).getInt64(), s.getColumn(1).getDouble(),
                       s.getColumn(2).getDouble()};
}

std::optional<WorkerUse> use_of_worker(SQLite::Database& db, WorkerId worker) {
  SQLite::Statement s(
      db,
      "SELECT count(*) FILTER (WHERE name = 'hone.cpu_cores'),"
      " total(value) FILTER (WHERE name = 'hone.cpu_cores'),"
      " total(value) FILTER (WHERE name = 'hone.memory_bytes'),"
      " avg(value) FILTER (WHERE name = 'hone.gpu_busy'),"
      " sum(value) FILTER (WHERE name = 'hone.gpu_memory_bytes')"
      " FROM attempt a JOIN metric_last l ON l.trial = a.trial AND l.replicate = a.replicate"
      " WHERE a.worker = ? AND a.ended_at IS NULL");
  if (!sql::bind(s, worker).executeStep()) return std::nullopt;
  sql::Columns c(s);
  WorkerUse use;
  use.runs = c.integer();
  use.cpu_cores = c.real();
  use.memory_bytes = c.real();
  use.gpu_busy = c.maybe(&sql::Columns::real);
  use.gpu_memory_bytes = c.maybe(&sql::Columns::real);
  if (use.runs == 0) return std::nullopt;
  return use;
}

Result<Page<MetricRow>> list_metrics(SQLite::Database& db, RunId run, const std::string& name,
                                     const PageQuery& page) {
  if (auto known = check_run(db, run); !known) return known.error();
  auto after = parse_metric_cursor(page.after);
  if (!after) return after.error();
  if (!name.empty() && page.after.empty()) after->name = name;
  if (!name.empty() && after->name != name) return bad_cursor(page.after);
  const std::string follows = name.empty() ? "(name, step) > (?3, ?4)" : "name = ?3 AND step > ?4";
  SQLite::Statement s(db, "SELECT " + row::columns<MetricRow>() +
                              " FROM metric_point WHERE trial = ?1 AND replicate = ?2 AND " +
                              follows + " ORDER BY name, step LIMIT ?5");
  sql::bind(s, run.trial, run.replicate, after->name, after->step, page.limit + 1);
  return read_page<MetricRow>(s, page.limit, [](const MetricRow& row) {
    return std::to_string(row.step) + "/" + row.name;
  });
}

}  // namespace hone
