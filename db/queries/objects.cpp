// Reads of models, workflows, datasets and workers.
#include <nlohmann/json.hpp>

#include "db/queries/paging.hpp"
#include "db/queries/queries.hpp"
#include "db/queries/read.hpp"
#include "db/sql.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/codec/words.hpp"

namespace hone {
namespace {

std::string select_models() {
  return "SELECT " + row::columns<ModelRow>() +
         " FROM model m JOIN attempt a ON a.lease = m.lease"
         // The report of a phase does not judge a checkpoint from the middle of it.
         " LEFT JOIN report p ON p.trial = m.trial AND p.replicate = m.replicate"
         "  AND p.phase = m.phase AND p.step = m.step ";
}

std::string model_key(const ModelRow& row) { return std::to_string(row.id.value); }

// Lists the models of a condition; `bind_condition` binds its parameters, from number 3 on.
struct ModelLister {
  SQLite::Database& db;
  const PageQuery& page;
  std::int64_t after;

  template <class... Ids>
  Page<ModelRow> list(const std::string& condition, const Ids&... ids) const {
    SQLite::Statement s(
        db, select_models() + "WHERE m.id > ?1 " + condition + " ORDER BY m.id LIMIT ?2");
    sql::bind(s, after, page.limit + 1, ids...);
    return read_page<ModelRow>(s, page.limit, model_key);
  }

  Result<Page<ModelRow>> operator()(std::monostate) const { return list(""); }
  Result<Page<ModelRow>> operator()(SweepId id) const {
    if (auto known = find_sweep(db, id); !known) return known.error();
    return list("AND m.sweep = ?3", id);
  }
  Result<Page<ModelRow>> operator()(TrialId id) const {
    if (auto known = find_trial(db, id); !known) return known.error();
    return list("AND m.trial = ?3", id);
  }
  Result<Page<ModelRow>> operator()(RunId id) const {
    if (auto known = find_run(db, id); !known) return known.error();
    return list("AND m.trial = ?3 AND m.replicate = ?4", id.trial, id.replicate);
  }
};

std::vector<std::string> read_command(const std::string& text) {
  const auto document = parse_json(text);
  if (!document || !document->is_array())
    throw std::runtime_error("the query tables hold an unreadable command");
  return document->get<std::vector<std::string>>();
}

std::vector<double> read_values(const std::string& text) {
  const auto document = parse_json(text);
  if (!document || !document->is_array())
    throw std::runtime_error("the query tables hold an unreadable evaluation");
  return document->get<std::vector<double>>();
}

std::string select_workers() { return "SELECT " + row::columns<WorkerRow>() + " FROM worker w "; }

}  // namespace

Result<Page<ModelRow>> list_models(SQLite::Database& db, const ModelFilter& filter,
                                   const PageQuery& page) {
  const auto after = integer_cursor(page, 0);
  if (!after) return after.error();
  return std::visit(ModelLister{db, page, *after}, filter);
}

Result<ModelRow> find_model(SQLite::Database& db, ModelId id) {
  SQLite::Statement s(db, select_models() + "WHERE m.id = ?");
  if (!sql::bind(s, id).executeStep())
    return refuse(Code::not_found, "there is no model " + text(id));
  return row::read<ModelRow>(s);
}

bool is_kept(SQLite::Database& db, std::string_view sha256) {
  SQLite::Statement s(db,
                      "SELECT 1 FROM model WHERE sha256 = ?1 AND dropped_at IS NULL"
                      " UNION ALL SELECT 1 FROM artifact WHERE sha256 = ?1 UNION ALL"
                      " SELECT 1 FROM snapshot WHERE sha256 = ?1 UNION ALL"
                      " SELECT 1 FROM workflow WHERE patch_sha256 = ?1 OR environment_sha256 = ?1"
                      " LIMIT 1");
  return sql::bind(s, sha256).executeStep();
}

std::vector<std::string> named_blobs(SQLite::Database& db) {
  SQLite::Statement s(
      db,
      "SELECT sha256 FROM model WHERE dropped_at IS NULL"
      " AND sweep NOT IN (SELECT id FROM sweep WHERE imported_at IS NOT NULL)"
      " UNION SELECT sha256 FROM artifact"
      " UNION SELECT sha256 FROM snapshot"
      " WHERE sweep NOT IN (SELECT id FROM sweep WHERE imported_at IS NOT NULL)"
      " UNION SELECT patch_sha256 FROM workflow WHERE patch_sha256 <> ''"
      " UNION SELECT environment_sha256 FROM workflow WHERE environment_sha256 <> ''");
  std::vector<std::string> digests;
  while (s.executeStep()) digests.push_back(sql::Columns(s).text());
  return digests;
}

Result<WorkflowRow> find_workflow(SQLite::Database& db, WorkflowId id) {
  SQLite::Statement s(db,
                      "SELECT command, cwd, host, user, git_commit, git_branch, patch_sha256,"
                      " hone_version, environment_sha256, hone_commit, name, version, description,"
                      " recorded_at FROM workflow WHERE id = ?");
  if (!sql::bind(s, id).executeStep())
    return refuse(Code::not_found, "there is no workflow " + text(id));
  sql::Columns c(s);
  WorkflowRow row;
  row.id = id;
  row.info.command = read_command(c.text());
  for (auto* field :
       {&row.info.cwd, &row.info.host, &row.info.user, &row.info.git_commit, &row.info.git_branch,
        &row.info.patch_sha256, &row.info.hone_version, &row.info.environment_sha256,
        &row.info.hone_commit, &row.info.name, &row.info.version, &row.info.description})
    *field = c.text();
  row.recorded_at = c.instant();
  return row;
}

Result<EvaluationRow> find_evaluation(SQLite::Database& db, EvaluationId id) {
  SQLite::Statement s(db,
                      "SELECT id, model, trial, replicate, sweep, metric, \"values\", environment,"
                      " seed, sample, author, mean, deviation, recorded_at FROM evaluation"
                      " WHERE id = ?");
  if (!sql::bind(s, id).executeStep())
    return refuse(Code::not_found, "there is no evaluation " + text(id));
  sql::Columns c(s);
  EvaluationRow row;
  row.id = c.id<EvaluationId>();
  row.model = c.id<ModelId>();
  row.run = c.run_id();
  row.sweep = c.id<SweepId>();
  row.info.metric = c.text();
  row.info.values = read_values(c.text());
  row.info.environment = c.text();
  row.info.seed = static_cast<std::uint64_t>(c.integer());
  row.info.sample = c.small() != 0;
  row.info.author = c.text();
  row.mean = c.real();
  row.deviation = c.real();
  row.recorded_at = c.instant();
  return row;
}

Result<DatasetRow> find_dataset(SQLite::Database& db, DatasetId id) {
  SQLite::Statement s(db,
                      "SELECT name, version, digest, location, recorded_at FROM dataset"
                      " WHERE id = ?");
  if (!sql::bind(s, id).executeStep())
    return refuse(Code::not_found, "there is no dataset " + text(id));
  sql::Columns c(s);
  DatasetRow row;
  row.id = id;
  row.info.name = c.text();
  row.info.version = c.text();
  row.info.digest = c.text();
  row.info.location = c.text();
  row.recorded_at = c.instant();
  return row;
}

Result<Page<WorkerRow>> list_workers(SQLite::Database& db, const PageQuery& page) {
  const auto after = integer_cursor(page, 0);
  if (!after) return after.error();
  SQLite::Statement s(db, select_workers() + "WHERE w.id > ? ORDER BY w.id LIMIT ?");
  sql::bind(s, *after, page.limit + 1);
  return read_page<WorkerRow>(s, page.limit,
                              [](const WorkerRow& row) { return std::to_string(row.id.value); });
}

std::vector<WorkerRow> workers_keeping_free(SQLite::Database& db, SweepId sweep) {
  SQLite::Statement s(db, select_workers() +
                              "WHERE w.kept_free <> '' AND w.kept_free ->> '$.sweep' = ?"
                              " ORDER BY w.id");
  sql::bind(s, text(sweep));
  std::vector<WorkerRow> rows;
  while (s.executeStep()) rows.push_back(row::read<WorkerRow>(s));
  return rows;
}

Result<WorkerRow> find_worker(SQLite::Database& db, WorkerId id) {
  SQLite::Statement s(db, select_workers() + "WHERE w.id = ?");
  if (!sql::bind(s, id).executeStep())
    return refuse(Code::not_found, "there is no worker " + text(id));
  return row::read<WorkerRow>(s);
}

}  // namespace hone
