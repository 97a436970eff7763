#include "db/projection.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "db/further.hpp"
#include "db/sql.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/types/expect.hpp"

namespace hone {

struct Projection::Statements {
  explicit Statements(SQLite::Database& database) : db(database) {}
  SQLite::Database& db;

  SQLite::Statement sweep_of_trial{db, "SELECT sweep FROM trial WHERE id = ?"};
  SQLite::Statement sweep_of_lease{db, "SELECT sweep FROM attempt WHERE lease = ?"};
  SQLite::Statement add_workflow{
      db,
      "INSERT INTO workflow (id, command, cwd, host, user, git_commit, git_branch, patch_sha256,"
      " hone_version, recorded_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"};
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
      " phases, spec, workflow, dataset) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"};
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
      "UPDATE run SET state = 'leased', reason = 'none', detail = '', attempts = ?3, worker = ?4"
      " WHERE trial = ?1 AND replicate = ?2"};
  SQLite::Statement start_attempt{
      db, "UPDATE attempt SET started_at = ?2 WHERE lease = ?1 RETURNING trial, replicate"};
  SQLite::Statement start_run{
      db,
      "UPDATE run SET state = 'running', started_at = coalesce(started_at, ?3)"
      " WHERE trial = ?1 AND replicate = ?2"};
  SQLite::Statement add_report{
      db,
      "INSERT INTO report (trial, replicate, phase, step, value, at, lease, further)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"};
  SQLite::Statement count_report{
      db,
      "UPDATE sweep SET reports = reports + 1 WHERE id = (SELECT sweep FROM trial WHERE id = ?)"
      " RETURNING goal"};
  SQLite::Statement report_run{
      db,
      "UPDATE run SET reports = ?3 + 1, step = ?4, cost = ?5,"
      " best_phase = iif(?5 < best_cost, ?3, best_phase),"
      " best_step = iif(?5 < best_cost, ?4, best_step), best_cost = min(best_cost, ?5)"
      " WHERE trial = ?1 AND replicate = ?2"};
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
  SQLite::Statement end_attempt{db,
                                "UPDATE attempt SET ended_at = ?3, end_reason = ?4, detail = ?5"
                                " WHERE trial = ?1 AND replicate = ?2 AND ended_at IS NULL"};
  SQLite::Statement return_run{db,
                               "UPDATE run SET state = 'queued', reason = ?3, detail = ?4"
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
      " ended_at = ?8 WHERE trial = ?1 AND replicate = ?2"};
};

namespace {

// The first column of the one row that a statement finds or returns; nullopt where there is none.
std::optional<std::int64_t> first_integer(SQLite::Statement& s) {
  std::optional<std::int64_t> found;
  if (s.executeStep()) found = s.getColumn(0).getInt64();
  s.reset();
  return found;
}

// One diverged run makes the trial diverged; runs without a report do not count.
double mean_cost(SQLite::Statement& best_costs) {
  double sum = 0;
  int count = 0;
  bool diverged = false;
  while (best_costs.executeStep()) {
    const double cost = best_costs.getColumn(0).getDouble();
    if (cost == sql::cost_none) continue;
    diverged = diverged || cost == sql::cost_diverged;
    sum += cost;
    ++count;
  }
  best_costs.reset();
  if (count == 0) return sql::cost_none;
  if (diverged) return sql::cost_diverged;
  return std::clamp(sum / count, -sql::cost_diverged, sql::cost_diverged);  // a sum may overflow
}

SweepState state_after(Verb verb) {
  switch (verb) {
    case Verb::pause:
      return SweepState::paused;
    case Verb::resume:
      return SweepState::running;
    case Verb::stop:
    case Verb::cancel:
    case Verb::kill:
      return SweepState::stopping;
  }
  unreachable();
}

// The exit status that decided a run's end. A run that its verdict ended, or whose worker was lost,
// has none.
std::optional<int> deciding_exit_code(const RunEnded& e) {
  switch (e.reason) {
    case EndReason::exited_early:
    case EndReason::no_report:
    case EndReason::exit_code:
    case EndReason::signal:
    case EndReason::infeasible:
      return e.exit_code;
    case EndReason::none:
    case EndReason::budget_reached:
    case EndReason::evicted:
    case EndReason::not_promoted:
    case EndReason::diverged:
    case EndReason::told_failed:
    case EndReason::cannot_start:
    case EndReason::requeue_requested:
    case EndReason::worker_lost:
    case EndReason::retries_exhausted:
    case EndReason::user_stop:
    case EndReason::user_cancel:
    case EndReason::user_kill:
    case EndReason::time_limit:
      return std::nullopt;
  }
  unreachable();
}

std::optional<TokenId> or_none(TokenId id) { return id ? std::optional(id) : std::nullopt; }

// One overload for each event. S is Projection::Statements, which only Projection may name.
template <class S>
struct Fold {
  S& s;
  Instant at;

  void operator()(const ServerStarted&) const {}

  void operator()(const WorkflowRecorded& e) const {
    const WorkflowInfo& i = e.info;
    sql::run(s.add_workflow, e.workflow, to_text(Json(i.command)), i.cwd, i.host, i.user,
             i.git_commit, i.git_branch, i.patch_sha256, i.hone_version, at);
  }

  void operator()(const DatasetRecorded& e) const {
    sql::run(s.add_dataset, e.dataset, e.info.name, e.info.version, e.info.digest, at);
  }

  void operator()(const SweepSubmitted& e) const {
    const SweepSpec& spec = e.spec;
    sql::run(s.add_sweep, e.sweep, spec.name, spec.project, word(SweepState::running), at,
             spec.objective.metric, word(spec.objective.goal), static_cast<std::int64_t>(spec.seed),
             spec.search.trials, spec.seeds, spec.budget.phases, to_text(encode(spec)), e.workflow,
             e.dataset);
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
    const TrialId trial = e.run.trial;
    std::optional<double> value;
    if (!e.score.is_diverged()) value = e.score.value();
    std::optional<std::string> further;
    if (!e.further.empty()) further = further_text(e.further);
    sql::run(s.add_report, trial, e.run.replicate, e.phase, e.step, value, at, e.lease, further);
    sql::bind(s.count_report, trial);
    Goal goal = Goal::maximize;
    if (s.count_report.executeStep()) goal = sql::Columns(s.count_report).word(parse_goal);
    s.count_report.reset();
    sql::run(s.report_run, trial, e.run.replicate, e.phase, e.step, sql::cost_of(e.score, goal));
    const double cost = mean_cost(sql::bind(s.best_costs, trial));
    sql::run(s.rank_trial, trial, cost, e.phase + 1);
  }

  void operator()(const VerdictGiven& e) const {
    sql::run(s.give_verdict, e.run.trial, e.run.replicate, e.phase, to_text(encode(e.verdict)));
  }

  void operator()(const ModelSaved& e) const {
    sql::run(s.add_model, e.model, e.run.trial, e.run.replicate, e.lease, e.sha256, e.bytes, e.step,
             e.phase, e.parent, at);
  }

  void operator()(const ModelDropped& e) const { sql::run(s.drop_model, e.model, at); }

  void operator()(const RunReturned& e) const {
    sql::run(s.end_attempt, e.run.trial, e.run.replicate, at, word(e.reason), e.detail);
    sql::run(s.return_run, e.run.trial, e.run.replicate, word(e.reason), e.detail);
  }

  void operator()(const TokenCreated& e) const {
    sql::run(s.add_token, e.token, e.name, words(e.scopes), e.sha256, at, or_none(e.by),
             e.expires_at);
  }
  void operator()(const TokenRevoked& e) const {
    sql::run(s.revoke_token, e.token, at, or_none(e.by));
  }

  void operator()(const TrialEnqueued&) const {}  // a trial once it is proposed

  void operator()(const RunAdded& e) const {
    sql::run(s.count_run, e.run.trial);
    sql::run(s.add_run_of, e.run.trial, e.run.replicate);
  }

  void operator()(const RunPaused& e) const {
    sql::run(s.end_attempt, e.run.trial, e.run.replicate, at, word(EndReason::none),
             std::string("paused by its terminator"));
    sql::run(s.pause_run, e.run.trial, e.run.replicate);
  }

  void operator()(const RunEnded& e) const {
    sql::run(s.end_attempt, e.run.trial, e.run.replicate, at, word(e.reason), e.detail);
    sql::run(s.end_run, e.run.trial, e.run.replicate, word(e.state), word(e.reason),
             deciding_exit_code(e), e.detail, e.log_tail, at);
  }
};

// Where the id that leads to the sweep of an event is.
using SweepClue = std::variant<std::monostate, SweepId, TrialId, LeaseId>;

struct ClueOf {
  SweepClue operator()(const ServerStarted&) const { return {}; }
  SweepClue operator()(const WorkflowRecorded&) const { return {}; }
  SweepClue operator()(const DatasetRecorded&) const { return {}; }
  SweepClue operator()(const WorkerJoined&) const { return {}; }
  SweepClue operator()(const SweepSubmitted& e) const { return e.sweep; }
  SweepClue operator()(const SweepSteered& e) const { return e.sweep; }
  SweepClue operator()(const SweepEnded& e) const { return e.sweep; }
  SweepClue operator()(const TrialProposed& e) const { return e.sweep; }
  SweepClue operator()(const LeaseGranted& e) const { return e.attempt.run.trial; }
  SweepClue operator()(const LeaseRenewed& e) const { return e.lease; }
  SweepClue operator()(const RunStarted& e) const { return e.lease; }
  SweepClue operator()(const ReportRecorded& e) const { return e.run.trial; }
  SweepClue operator()(const VerdictGiven& e) const { return e.run.trial; }
  SweepClue operator()(const ModelSaved& e) const { return e.run.trial; }
  SweepClue operator()(const RunReturned& e) const { return e.run.trial; }
  SweepClue operator()(const RunEnded& e) const { return e.run.trial; }
  SweepClue operator()(const TrialEnqueued& e) const { return e.sweep; }
  SweepClue operator()(const RunAdded& e) const { return e.run.trial; }
  SweepClue operator()(const RunPaused& e) const { return e.run.trial; }
  SweepClue operator()(const ModelDropped& e) const { return e.run.trial; }
  SweepClue operator()(const TokenCreated&) const { return {}; }
  SweepClue operator()(const TokenRevoked&) const { return {}; }
};

}  // namespace

Projection::Projection(SQLite::Database& db) : statements_(std::make_unique<Statements>(db)) {}
Projection::~Projection() = default;

std::optional<SweepId> Projection::sweep_of(const EventBody& body) {
  const SweepClue clue = std::visit(ClueOf{}, body);
  if (const auto* sweep = std::get_if<SweepId>(&clue)) return *sweep;
  std::optional<std::int64_t> found;
  if (const auto* trial = std::get_if<TrialId>(&clue))
    found = first_integer(sql::bind(statements_->sweep_of_trial, *trial));
  if (const auto* lease = std::get_if<LeaseId>(&clue))
    found = first_integer(sql::bind(statements_->sweep_of_lease, *lease));
  if (!found) return std::nullopt;
  return SweepId{*found};
}

void Projection::fold(const Event& event) {
  std::visit(Fold<Statements>{*statements_, event.at}, event.body);
}

}  // namespace hone
