// The prepared statements of the projection, and the rows that it holds back. Internal to
// db/projection.
#pragma once

#include <SQLiteCpp/Statement.h>

#include <optional>

#include "db/projection/counts.hpp"
#include "db/projection/curve_rows.hpp"
#include "db/projection/fleet_rows.hpp"
#include "db/projection/further.hpp"
#include "db/projection/knowledge_rows.hpp"
#include "db/projection/projection.hpp"
#include "db/projection/recent.hpp"
#include "db/projection/trial_value.hpp"

namespace hone {

// A report that waits for its verdict, so that both are written as one row.
struct HeldReport {
  ReportRecorded event;
  Instant at;
};

struct ProjectionStatements {
  explicit ProjectionStatements(SQLite::Database& database) : db(database) {}
  SQLite::Database& db;

  // Held back until flush().
  BatchCounts counts{db};
  std::optional<HeldReport> report;
  Recent trial_sweeps, lease_sweeps, sweep_goals, sweep_seeds;
  KnowledgeRows knowledge{db};
  TrialValues values{db};
  FleetRows fleets{db};
  CurveRows curves{db};
  FurtherMetrics further{db};

  SQLite::Statement sweep_of_trial{db, "SELECT sweep FROM trial WHERE id = ?"};
  SQLite::Statement sweep_of_lease{db, "SELECT sweep FROM attempt WHERE lease = ?"};
  SQLite::Statement add_workflow{
      db,
      "INSERT INTO workflow (id, command, cwd, host, user, git_commit, git_branch, patch_sha256,"
      " hone_version, recorded_at, environment_sha256, hone_commit, name, version, description)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"};
  SQLite::Statement add_dataset{
      db,
      "INSERT INTO dataset (id, name, version, digest, recorded_at, location)"
      " VALUES (?, ?, ?, ?, ?, ?)"};
  SQLite::Statement add_worker{
      db,
      "INSERT INTO worker (id, host, pid, cpus, gpus, hone_version, joined_at, last_seen_at, token,"
      " memory, labels, gpu_memory)"
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, ?9, ?10, ?11)"};
  SQLite::Statement add_token{
      db,
      "INSERT INTO token (id, name, scopes, sha256, created_at, created_by, expires_at)"
      " VALUES (?, ?, ?, ?, ?, ?, ?)"};
  SQLite::Statement revoke_token{db,
                                 "UPDATE token SET revoked_at = ?2, revoked_by = ?3 WHERE id = ?1"};
  SQLite::Statement keep_slot{db, "UPDATE worker SET kept_free = ?2 WHERE id = ?1"};
  SQLite::Statement see_worker{db, "UPDATE worker SET last_seen_at = ?2 WHERE id = ?1"};
  SQLite::Statement see_worker_of{db,
                                  "UPDATE worker SET last_seen_at = ?2 WHERE id = (SELECT worker "
                                  "FROM attempt WHERE lease = ?1)"};
  SQLite::Statement add_sweep{
      db,
      "INSERT INTO sweep (id, name, project, state, submitted_at, metric, goal, seed, trials, "
      "seeds,"
      " phases, spec, workflow, dataset, confirms, instances, learned)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"};
  SQLite::Statement train_on{
      db, "INSERT INTO sweep_dataset (sweep, dataset, role) VALUES (?, ?, 'train')"};
  SQLite::Statement use_dataset{
      db,
      "INSERT INTO sweep_dataset (sweep, dataset, role) SELECT ?1, id, ?2 FROM dataset"
      " WHERE name = ?3 AND version = ?4 AND digest = ?5 ON CONFLICT DO NOTHING"};
  SQLite::Statement steer_sweep{db, "UPDATE sweep SET state = ?2, reason = ?3 WHERE id = ?1"};
  SQLite::Statement end_sweep{
      db, "UPDATE sweep SET state = ?2, reason = ?3, ended_at = ?4, detail = ?5 WHERE id = ?1"};
  SQLite::Statement reopen_sweep{db,
                                 "UPDATE sweep SET state = ?2, reason = ?3, ended_at = NULL,"
                                 " detail = '' WHERE id = ?1 AND ended_at IS NOT NULL"};
  SQLite::Statement repeat_phases{
      db,
      "UPDATE sweep SET repeated = repeated + (SELECT max(0, reports - coalesce((SELECT phase + 1"
      " FROM model WHERE id = ?3), 0)) FROM run WHERE trial = ?1 AND replicate = ?2)"
      " WHERE id = (SELECT sweep FROM trial WHERE id = ?1)"};
  // Only the reports of the same step of a pipeline.
  SQLite::Statement repeat_step{
      db,
      "UPDATE sweep SET repeated = repeated + (SELECT COUNT(*) FROM report p JOIN attempt a ON"
      " a.lease = p.lease WHERE p.trial = ?1 AND p.replicate = ?2 AND a.step = ?4"
      " AND p.phase > coalesce((SELECT phase FROM model WHERE id = ?3), -1))"
      " WHERE id = (SELECT sweep FROM trial WHERE id = ?1)"};
  SQLite::Statement seeds_of_sweep{db, "SELECT seeds FROM sweep WHERE id = ?"};
  SQLite::Statement add_trial{
      db,
      "INSERT INTO trial (id, sweep, number, params, runs, proposed_at, schedule)"
      " VALUES (?, ?, ?, ?, ?, ?, ?)"};
  SQLite::Statement fork_trial{
      db,
      "UPDATE trial SET fork_trial = ?2, fork_replicate = ?3, fork_model = ?4, fork_phase = ?5,"
      " fork_step = ?6, replaces = ?7, fork_place = ?8, fork_rivals = ?9 WHERE id = ?1"};
  SQLite::Statement reports_until{db,
                                  "SELECT phase, step, value, at, lease, spent, further FROM"
                                  " report WHERE trial = ? AND replicate = ? AND phase <= ?"
                                  " ORDER BY phase"};
  SQLite::Statement add_run{db, "INSERT INTO run (trial, replicate, sweep) VALUES (?, ?, ?)"};
  SQLite::Statement add_attempt{
      db,
      "INSERT INTO attempt (lease, trial, replicate, number, sweep, worker, granted_at, resume,"
      " step, turn, width, neighbours, step_name)"
      " SELECT ?1, ?2, ?3, ?4, t.sweep, ?5, ?6, ?7, ?8, ?9, ?10, ?11,"
      " coalesce(s.spec ->> ('$.steps[' || ?8 || '].name'), '')"
      " FROM trial t JOIN sweep s ON s.id = t.sweep WHERE t.id = ?2"};
  SQLite::Statement finish_step{db, "UPDATE attempt SET finished = 1 WHERE lease = ?1"};
  SQLite::Statement finish_last_step{
      db,
      "UPDATE attempt SET finished = 1 WHERE trial = ?1 AND replicate = ?2 AND ended_at IS NULL"
      " AND step_name <> ''"};
  SQLite::Statement record_code{
      db,
      "UPDATE attempt SET workflow = coalesce(workflow, ?2), workflow_at_end ="
      " iif(workflow <> ?2, ?2, workflow_at_end) WHERE lease = ?1"};
  SQLite::Statement add_evaluation{
      db,
      "INSERT INTO evaluation (id, model, trial, replicate, sweep, metric, episodes, mean,"
      " deviation, \"values\", environment, seed, sample, author, recorded_at)"
      " SELECT ?1, id, trial, replicate, sweep, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12"
      " FROM model WHERE id = ?2"};
  SQLite::Statement lease_run{
      db,
      "UPDATE run SET state = 'leased', reason = 'none', detail = '', failure = 'none',"
      " attempts = ?3, worker = ?4"
      " WHERE trial = ?1 AND replicate = ?2"};
  SQLite::Statement start_attempt{
      db, "UPDATE attempt SET started_at = ?2 WHERE lease = ?1 RETURNING trial, replicate"};
  SQLite::Statement start_run{
      db,
      "UPDATE run SET state = 'running', started_at = coalesce(started_at, ?3)"
      " WHERE trial = ?1 AND replicate = ?2"};
  SQLite::Statement goal_of_sweep{db, "SELECT goal FROM sweep WHERE id = ?"};
  SQLite::Statement add_report{
      db,
      "INSERT INTO report (trial, replicate, phase, step, value, at, lease, further, verdict,"
      " spent) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"};
  SQLite::Statement report_run{
      db,
      "UPDATE run SET reports = ?3 + 1, step = ?4, cost = ?5,"
      " seconds = seconds + coalesce(?6, 0), timed = timed + (?6 IS NOT NULL),"
      " best_phase = iif(?5 < best_cost, ?3, best_phase),"
      " best_step = iif(?5 < best_cost, ?4, best_step), best_cost = min(best_cost, ?5)"
      " WHERE trial = ?1 AND replicate = ?2"};
  SQLite::Statement apply_seed{
      db, "UPDATE run SET seed_applied = ?3 WHERE trial = ?1 AND replicate = ?2"};
  SQLite::Statement give_verdict{
      db, "UPDATE report SET verdict = ?4 WHERE trial = ?1 AND replicate = ?2 AND phase = ?3"};
  SQLite::Statement drop_model{db, "UPDATE model SET dropped_at = ?2 WHERE id = ?1"};
  SQLite::Statement add_model{
      db,
      "INSERT INTO model (id, trial, replicate, sweep, lease, sha256, bytes, step, phase, parent,"
      " saved_at) SELECT ?1, ?2, ?3, sweep, ?4, ?5, ?6, ?7, ?8, ?9, ?10 FROM trial WHERE id = ?2"};
  SQLite::Statement add_artifact{
      db,
      "INSERT INTO artifact (trial, replicate, name, sha256, bytes, saved_at)"
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (trial, replicate, name) DO UPDATE"
      " SET sha256 = ?4, bytes = ?5, saved_at = ?6"};
  SQLite::Statement end_attempt{
      db,
      "UPDATE attempt SET ended_at = ?3, end_reason = ?4, detail = ?5, failure = ?6"
      " WHERE trial = ?1 AND replicate = ?2 AND ended_at IS NULL"};
  SQLite::Statement return_run{
      db,
      "UPDATE run SET state = 'queued', reason = ?3, detail = ?4, failure = ?5,"
      " rests_until = ?6"
      " WHERE trial = ?1 AND replicate = ?2"};
  SQLite::Statement count_run{db, "UPDATE trial SET runs = runs + 1 WHERE id = ?"};
  SQLite::Statement add_run_of{
      db,
      "INSERT INTO run (trial, replicate, sweep) SELECT ?1, ?2, sweep FROM trial WHERE id = ?1"};
  SQLite::Statement pause_run{
      db, "UPDATE run SET state = 'paused' WHERE trial = ?1 AND replicate = ?2"};
  SQLite::Statement end_run{
      db,
      "UPDATE run SET state = ?3, reason = ?4, exit_code = ?5, detail = ?6, log_tail = ?7,"
      " ended_at = ?8, failure = ?9, rests_until = NULL WHERE trial = ?1 AND replicate = ?2"};
  SQLite::Statement ready_run{
      db, "UPDATE run SET rests_until = NULL WHERE trial = ?1 AND replicate = ?2"};
  SQLite::Statement set_aside{db,
                              "UPDATE worker SET aside_until = ?2, aside_why = ?3 WHERE id = ?1"};
};

}  // namespace hone
