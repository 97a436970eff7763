#include "db/projection.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "db/event_facts.hpp"
#include "db/further.hpp"
#include "db/knowledge_rows.hpp"
#include "db/mean_cost.hpp"
#include "db/recent.hpp"
#include "db/sql.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/types/expect.hpp"

namespace hone {

namespace {

// A report whose verdict is about to follow: they are written as one row.
struct HeldReport {
  ReportRecorded event;
  Instant at;
};

}  // namespace

struct Projection::Statements {
  explicit Statements(SQLite::Database& database) : db(database) {}
  SQLite::Database& db;

  // Held back until flush(), so that a batch writes a sweep's row once.
  std::map<std::int64_t, std::int64_t> reports_of_sweep;
  std::optional<HeldReport> report;
  Recent trial_sweeps, lease_sweeps, sweep_goals;
  KnowledgeRows knowledge{db};

  SQLite::Statement sweep_of_trial{db, "SELECT sweep FROM trial WHERE id = ?"};
  SQLite::Statement sweep_of_lease{db, "SELECT sweep FROM attempt WHERE lease = ?"};
  SQLite::Statement add_workflow{
      db,
      "INSERT INTO workflow (id, command, cwd, host, user, git_commit, git_branch, patch_sha256,"
      " hone_version, recorded_at, environment_sha256)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"};
  SQLite::Statement add_dataset{
      db, "INSERT INTO dataset (id, name, version, digest, recorded_at) VALUES (?, ?, ?, ?, ?)"};
  SQLite::Statement add_worker{
      db,
      "INSERT INTO worker (id, host, pid, cpus, gpus, hone_version, joined_at, last_seen_at, token)"
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8)"};
  SQLite::Statement add_token{
      db,
      "INSERT INTO token (id, name, scopes, sha256, created_at, created_by, expires_at)"
      " VALUES (?, ?, ?, ?, ?, ?, ?)"};
  SQLite::Statement revoke_token{db,
                                 "UPDATE token SET revoked_at = ?2, revoked_by = ?3 WHERE id = ?1"};
  SQLite::Statement see_worker{db, "UPDATE worker SET last_seen_at = ?2 WHERE id = ?1"};
  SQLite::Statement see_worker_of{db,
                                  "UPDATE worker SET last_seen_at = ?2 WHERE id = (SELECT worker "
                                  "FROM attempt WHERE lease = ?1)"};
  SQLite::Statement add_sweep{
      db,
      "INSERT INTO sweep (id, name, project, state, submitted_at, metric, goal, seed, trials, "
      "seeds,"
      " phases, spec, workflow, dataset, confirms, instances)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"};
  SQLite::Statement steer_sweep{db, "UPDATE sweep SET state = ?2, reason = ?3 WHERE id = ?1"};
  SQLite::Statement end_sweep{
      db, "UPDATE sweep SET state = ?2, reason = ?3, ended_at = ?4 WHERE id = ?1"};
  SQLite::Statement propose{
      db, "UPDATE sweep SET proposed = proposed + 1 WHERE id = ? RETURNING seeds"};
  SQLite::Statement add_trial{
      db,
      "INSERT INTO trial (id, sweep, number, params, runs, proposed_at) VALUES (?, ?, ?, ?, ?, ?)"};
  SQLite::Statement add_run{db, "INSERT INTO run (trial, replicate, sweep) VALUES (?, ?, ?)"};
  SQLite::Statement add_attempt{
      db,
      "INSERT INTO attempt (lease, trial, replicate, number, sweep, worker, granted_at, resume)"
      " SELECT ?1, ?2, ?3, ?4, sweep, ?5, ?6, ?7 FROM trial WHERE id = ?2"};
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
      "INSERT INTO report (trial, replicate, phase, step, value, at, lease, further, verdict)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"};
  SQLite::Statement count_reports{db, "UPDATE sweep SET reports = reports + ?2 WHERE id = ?1"};
  SQLite::Statement report_run{
      db,
      "UPDATE run SET reports = ?3 + 1, step = ?4, cost = ?5,"
      " best_phase = iif(?5 < best_cost, ?3, best_phase),"
      " best_step = iif(?5 < best_cost, ?4, best_step), best_cost = min(best_cost, ?5)"
      " WHERE trial = ?1 AND replicate = ?2"};
  SQLite::Statement apply_seed{
      db, "UPDATE run SET seed_applied = ?3 WHERE trial = ?1 AND replicate = ?2"};
  SQLite::Statement rank_single{
      db,
      "UPDATE trial SET cost = min(cost, ?2), phase = max(phase, ?3) WHERE id = ?1 AND runs = 1"};
  SQLite::Statement best_costs{db, "SELECT best_cost FROM run WHERE trial = ?"};
  SQLite::Statement rank_trial{db,
                               "UPDATE trial SET cost = ?2, phase = max(phase, ?3) WHERE id = ?1"};
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

namespace {

// The first column of the one row that a statement finds or returns; nullopt where there is none.
std::optional<std::int64_t> first_integer(SQLite::Statement& s) {
  std::optional<std::int64_t> found;
  if (s.executeStep()) found = s.getColumn(0).getInt64();
  s.reset();
  return found;
}

template <class S>
std::optional<std::int64_t> sweep_of_trial(S& s, TrialId trial) {
  return s.trial_sweeps.get(trial.value,
                            [&] { return first_integer(sql::bind(s.sweep_of_trial, trial)); });
}

template <class S>
Goal goal_of(S& s, std::int64_t sweep) {
  const auto goal = s.sweep_goals.get(sweep, [&]() -> std::optional<std::int64_t> {
    sql::bind(s.goal_of_sweep, SweepId{sweep});
    std::optional<std::int64_t> found;
    if (s.goal_of_sweep.executeStep())
      found = static_cast<int>(sql::Columns(s.goal_of_sweep).word(parse_goal));
    s.goal_of_sweep.reset();
    return found;
  });
  return goal ? static_cast<Goal>(*goal) : Goal::maximize;
}

template <class S>
void write_report(S& s, const std::optional<std::string>& verdict) {
  const auto& [e, at] = *s.report;
  std::optional<double> value;
  if (!e.score.is_diverged()) value = e.score.value();
  std::optional<std::string> further;
  if (!e.further.empty()) further = further_text(e.further);
  sql::run(s.add_report, e.run.trial, e.run.replicate, e.phase, e.step, value, at, e.lease, further,
           verdict);
  s.report.reset();
}

// One overload for each event. S is Projection::Statements, which only Projection may name.
template <class S>
struct Fold {
  S& s;
  Instant at;
  bool elsewhere = false;  // of an imported sweep's past

  void operator()(const ServerStarted&) const {}

  void operator()(const WorkflowRecorded& e) const {
    const WorkflowInfo& i = e.info;
    sql::run(s.add_workflow, e.workflow, to_text(Json(i.command)), i.cwd, i.host, i.user,
             i.git_commit, i.git_branch, i.patch_sha256, i.hone_version, at, i.environment_sha256);
  }

  void operator()(const DatasetRecorded& e) const {
    sql::run(s.add_dataset, e.dataset, e.info.name, e.info.version, e.info.digest, at);
  }

  void operator()(const SweepSubmitted& e) const {
    const SweepSpec& spec = e.spec;
    sql::run(s.add_sweep, e.sweep, spec.name, spec.project, word(SweepState::running), at,
             spec.objective.metric, word(spec.objective.goal), static_cast<std::int64_t>(spec.seed),
             spec.search.trials, first_runs(spec), spec.budget.phases, to_text(encode(spec)),
             e.workflow, e.dataset, elsewhere ? std::nullopt : or_none(spec.confirms),
             instances_of(spec));
    s.knowledge.add(e, elsewhere);
  }

  void operator()(const SweepSteered& e) const {
    sql::run(s.steer_sweep, e.sweep, word(state_after(e.verb)), word(e.reason));
  }

  void operator()(const SweepEnded& e) const {
    sql::run(s.end_sweep, e.sweep, word(e.state), word(e.reason), at);
  }

  void operator()(const WorkerJoined& e) const {
    sql::run(s.add_worker, e.worker, e.host, e.pid, e.cpus, e.gpus, e.hone_version, at,
             or_none(e.token));
  }

  void operator()(const TrialProposed& e) const {
    const auto seeds = static_cast<int>(first_integer(sql::bind(s.propose, e.sweep)).value_or(0));
    sql::run(s.add_trial, e.trial, e.sweep, e.number, to_text(encode(e.params)), seeds, at);
    for (int replicate = 0; replicate < seeds; ++replicate)
      sql::run(s.add_run, e.trial, replicate, e.sweep);
    s.knowledge.add(e);
  }

  void operator()(const LeaseGranted& e) const {
    const RunId run = e.attempt.run;
    sql::run(s.add_attempt, e.lease, run.trial, run.replicate, e.attempt.number, e.worker, at,
             e.resume);
    sql::run(s.lease_run, run.trial, run.replicate, e.attempt.number, e.worker);
    sql::run(s.see_worker, e.worker, at);
  }

  void operator()(const LeaseRenewed& e) const { sql::run(s.see_worker_of, e.lease, at); }

  void operator()(const RunStarted& e) const {
    sql::bind(s.start_attempt, e.lease, at);
    RunId run;
    if (s.start_attempt.executeStep()) run = sql::Columns(s.start_attempt).run_id();
    s.start_attempt.reset();
    sql::run(s.start_run, run.trial, run.replicate, at);
  }

  void operator()(const ReportRecorded& e) const {
    if (s.report) write_report(s, std::nullopt);
    const TrialId trial = e.run.trial;
    const std::int64_t sweep = sweep_of_trial(s, trial).value_or(0);
    const double cost = sql::cost_of(e.score, goal_of(s, sweep));
    ++s.reports_of_sweep[sweep];
    sql::run(s.report_run, trial, e.run.replicate, e.phase, e.step, cost);
    if (e.seed_applied)
      sql::run(s.apply_seed, trial, e.run.replicate, static_cast<int>(*e.seed_applied));
    if (sql::run(s.rank_single, trial, cost, e.phase + 1) == 0)
      sql::run(s.rank_trial, trial, mean_cost(sql::bind(s.best_costs, trial)), e.phase + 1);
    s.report = HeldReport{e, at};
  }

  void operator()(const VerdictGiven& e) const {
    const std::string verdict = to_text(encode(e.verdict));
    if (s.report && s.report->event.run == e.run && s.report->event.phase == e.phase)
      return write_report(s, verdict);
    sql::run(s.give_verdict, e.run.trial, e.run.replicate, e.phase, verdict);
  }

  void operator()(const ModelSaved& e) const {
    sql::run(s.add_model, e.model, e.run.trial, e.run.replicate, e.lease, e.sha256, e.bytes, e.step,
             e.phase, e.parent, at);
  }

  void operator()(const ArtifactSaved& e) const {
    sql::run(s.add_artifact, e.run.trial, e.run.replicate, e.name, e.sha256, e.bytes, at);
  }

  void operator()(const ModelDropped& e) const { sql::run(s.drop_model, e.model, at); }

  void operator()(const RunReturned& e) const {
    sql::run(s.end_attempt, e.run.trial, e.run.replicate, at, word(e.reason), e.detail,
             word(e.failure));
    sql::run(s.return_run, e.run.trial, e.run.replicate, word(e.reason), e.detail, word(e.failure),
             e.not_before);
  }

  void operator()(const TokenCreated& e) const {
    sql::run(s.add_token, e.token, e.name, words(e.scopes), e.sha256, at, or_none(e.by),
             e.expires_at);
  }
  void operator()(const TokenRevoked& e) const {
    sql::run(s.revoke_token, e.token, at, or_none(e.by));
  }

  void operator()(const NoteAdded& e) const { s.knowledge.add(e, at); }
  void operator()(const TagsChanged& e) const { s.knowledge.add(e, at); }
  void operator()(const SweepArchived& e) const { s.knowledge.add(e, at); }
  void operator()(const TrialPinned& e) const { s.knowledge.add(e, at); }
  void operator()(const SweepEdited& e) const { s.knowledge.add(e, at); }
  void operator()(const SweepImported& e) const {
    for (const Event& event : e.past) std::visit(Fold{s, event.at, true}, event.body);
    s.knowledge.add(e, at);
  }

  void operator()(const TrialEnqueued&) const {}  // a trial once it is proposed

  void operator()(const RunAdded& e) const {
    sql::run(s.count_run, e.run.trial);
    sql::run(s.add_run_of, e.run.trial, e.run.replicate);
  }

  void operator()(const RunPaused& e) const {
    sql::run(s.end_attempt, e.run.trial, e.run.replicate, at, word(EndReason::none),
             std::string("paused by its terminator"), word(Failure::none));
    sql::run(s.pause_run, e.run.trial, e.run.replicate);
  }

  void operator()(const RunEnded& e) const {
    sql::run(s.end_attempt, e.run.trial, e.run.replicate, at, word(e.reason), e.detail,
             word(e.failure));
    sql::run(s.end_run, e.run.trial, e.run.replicate, word(e.state), word(e.reason),
             deciding_exit_code(e), e.detail, e.log_tail, at, word(e.failure));
  }

  void operator()(const RunReady& e) const { sql::run(s.ready_run, e.run.trial, e.run.replicate); }

  void operator()(const WorkerSeen& e) const { sql::run(s.see_worker, e.worker, at); }

  void operator()(const WorkerSetAside& e) const {
    sql::run(s.set_aside, e.worker, std::optional(e.until), e.detail);
  }

  void operator()(const WorkerAllowed& e) const {
    sql::run(s.set_aside, e.worker, std::optional<Instant>(), std::string());
  }
};

}  // namespace

Projection::Projection(SQLite::Database& db) : statements_(std::make_unique<Statements>(db)) {}
Projection::~Projection() = default;

std::optional<SweepId> Projection::sweep_of(const EventBody& body) {
  const SweepClue clue = sweep_clue(body);
  if (const auto* sweep = std::get_if<SweepId>(&clue)) return *sweep;
  std::optional<std::int64_t> found;
  if (const auto* trial = std::get_if<TrialId>(&clue)) found = sweep_of_trial(*statements_, *trial);
  if (const auto* lease = std::get_if<LeaseId>(&clue))
    found = statements_->lease_sweeps.get(lease->value, [&] {
      return first_integer(sql::bind(statements_->sweep_of_lease, *lease));
    });
  if (const auto* model = std::get_if<ModelId>(&clue))
    found = statements_->knowledge.sweep_of(*model);
  if (!found) return std::nullopt;
  return SweepId{*found};
}

void Projection::fold(const Event& event) {
  std::visit(Fold<Statements>{*statements_, event.at}, event.body);
}

void Projection::flush() {
  Statements& s = *statements_;
  if (s.report) write_report(s, std::nullopt);
  for (const auto& [sweep, count] : std::exchange(s.reports_of_sweep, {}))
    sql::run(s.count_reports, SweepId{sweep}, count);
}

void Projection::forget() {
  Statements& s = *statements_;
  s.report.reset();
  s.reports_of_sweep.clear();
  for (Recent* recent : {&s.trial_sweeps, &s.lease_sweeps, &s.sweep_goals}) recent->clear();
}

}  // namespace hone
