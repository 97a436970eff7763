#include "db/projection/projection.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "base/expect.hpp"
#include "db/projection/event_facts.hpp"
#include "db/projection/further.hpp"
#include "db/projection/learned.hpp"
#include "db/projection/spread.hpp"
#include "db/projection/statements.hpp"
#include "db/sql.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/types/event.hpp"

namespace hone {
namespace {

// The first column of the single row of a statement; nullopt if it has none.
std::optional<std::int64_t> first_integer(SQLite::Statement& s) {
  std::optional<std::int64_t> found;
  if (s.executeStep()) found = s.getColumn(0).getInt64();
  s.reset();
  return found;
}

std::optional<std::int64_t> sweep_of_trial(ProjectionStatements& s, TrialId trial) {
  return s.trial_sweeps.get(trial.value,
                            [&] { return first_integer(sql::bind(s.sweep_of_trial, trial)); });
}

std::optional<std::int64_t> seeds_of_sweep(ProjectionStatements& s, SweepId sweep) {
  return s.sweep_seeds.get(sweep.value,
                           [&] { return first_integer(sql::bind(s.seeds_of_sweep, sweep)); });
}

// Precondition: the run's row is not written yet.
void move(ProjectionStatements& s, RunId run, RunState to, EndReason reason) {
  s.counts.moved(run, SweepId{sweep_of_trial(s, run.trial).value_or(0)}, to, reason);
}

Goal goal_of(ProjectionStatements& s, std::int64_t sweep) {
  const auto goal = s.sweep_goals.get(sweep, [&]() -> std::optional<std::int64_t> {
    sql::bind(s.goal_of_sweep, SweepId{sweep});
    std::optional<std::int64_t> found;
    if (s.goal_of_sweep.executeStep())
      found = static_cast<int>(sql::Columns(s.goal_of_sweep).word<Goal>());
    s.goal_of_sweep.reset();
    return found;
  });
  return goal ? static_cast<Goal>(*goal) : Goal::maximize;
}

void write_report(ProjectionStatements& s, const std::optional<std::string>& verdict) {
  const auto& [e, at] = *s.report;
  std::optional<double> value;
  if (!e.score.is_diverged()) value = e.score.value();
  std::optional<std::string> further;
  if (!e.further.empty()) further = further_text(e.further);
  if (further) s.further.add(e.run, e.step, at, *further);
  sql::run(s.add_report, e.run.trial, e.run.replicate, e.phase, e.step, value, at, e.lease, further,
           verdict, e.spent);
  s.report.reset();
}

std::string schedule_text(const std::vector<ScheduleStage>& schedule) {
  Json stages = Json::array();
  for (const ScheduleStage& stage : schedule)
    stages.push_back({{"phase", stage.phase}, {"params", encode(stage.params)}});
  return to_text(stages);
}

// A fork has the reports of its origin, up to the phase after which it continues.
void take_over_reports(ProjectionStatements& s, const TrialProposed& e, const Origin& origin) {
  if (s.report) write_report(s, std::nullopt);
  std::optional<TrialId> replaced;
  if (origin.replaces) replaced = origin.replaces->trial;
  std::optional<std::int64_t> place, rivals;
  if (origin.rank) place = origin.rank->place, rivals = origin.rank->rivals;
  sql::run(s.fork_trial, e.trial, origin.run.trial, origin.run.replicate, origin.model,
           origin.phase, origin.step, replaced, place, rivals);
  struct Row {
    int phase = 0;
    std::int64_t step = 0;
    std::optional<double> value;
    Instant at;
    LeaseId lease;
    std::optional<double> spent;
    std::optional<std::string> further;
  };
  std::vector<Row> rows;
  sql::bind(s.reports_until, origin.run.trial, origin.run.replicate, origin.phase);
  while (s.reports_until.executeStep()) {
    sql::Columns c(s.reports_until);
    Row row;
    row.phase = c.small();
    row.step = c.integer();
    row.value = c.maybe(&sql::Columns::real);
    row.at = c.instant();
    row.lease = c.id<LeaseId>();
    row.spent = c.maybe(&sql::Columns::real);
    row.further = c.maybe(&sql::Columns::text);
    rows.push_back(row);
  }
  s.reports_until.reset();
  const Goal goal = goal_of(s, e.sweep.value);
  for (const Row& row : rows) {
    const Score value = row.value ? Score::of(*row.value) : Score::diverged();
    const double cost = sql::cost_of(s.values.counted(e.sweep, value, row.step, row.spent), goal);
    sql::run(s.add_report, e.trial, 0, row.phase, row.step, row.value, row.at, row.lease,
             row.further, std::optional<std::string>(), row.spent);
    if (row.further) s.further.add({e.trial, 0}, row.step, row.at, *row.further);
    // The seconds are those of the origin.
    sql::run(s.report_run, e.trial, 0, row.phase, row.step, cost, std::optional<double>());
    s.values.reported(e.sweep, RunId{e.trial, 0}, row.phase, cost);
  }
}

// Writes one event to the tables: one overload for each event.
struct Fold {
  ProjectionStatements& s;
  Instant at;
  bool elsewhere = false;             // the event is of an imported sweep's past
  std::optional<SweepId> confirms{};  // the sweep of this server that the imported one confirms

  void operator()(const ServerStarted&) const {}

  void operator()(const WorkflowRecorded& e) const {
    const WorkflowInfo& i = *e.info;
    sql::run(s.add_workflow, e.workflow, to_text(Json(i.command)), i.cwd, i.host, i.user,
             i.git_commit, i.git_branch, i.patch_sha256, i.hone_version, at, i.environment_sha256,
             i.hone_commit, i.name, i.version, i.description);
  }

  void operator()(const DatasetRecorded& e) const {
    sql::run(s.add_dataset, e.dataset, e.info.name, e.info.version, e.info.digest, at,
             e.info.location);
  }

  void operator()(const SweepSubmitted& e) const {
    const SweepSpec& spec = *e.spec;
    sql::run(s.add_sweep, e.sweep, spec.name, spec.project, word(SweepState::running), at,
             spec.objective.metric, word(spec.objective.goal), static_cast<std::int64_t>(spec.seed),
             spec.search.trials, first_runs(spec), spec.budget.phases, to_text(encode(spec)),
             e.workflow, e.dataset, elsewhere ? confirms : or_none(spec.confirms),
             instances_of(spec), elsewhere ? std::string() : learned_text(e.learned));
    if (e.dataset) sql::run(s.train_on, e.sweep, *e.dataset);
    for (const DatasetSpec& one : spec.datasets)
      sql::run(s.use_dataset, e.sweep, word(one.role), one.name, one.version, one.digest);
    s.knowledge.add(e, elsewhere);
  }

  void operator()(const SweepSteered& e) const {
    sql::run(s.steer_sweep, e.sweep, word(state_after(e.verb)), word(e.reason));
  }

  void operator()(const SweepEnded& e) const {
    sql::run(s.end_sweep, e.sweep, word(e.state), word(e.reason), at, e.detail);
    s.values.confirmed(e.sweep);
  }

  void operator()(const WorkerJoined& e) const {
    sql::run(s.add_worker, e.worker, e.host, e.pid, e.cpus, e.gpus, e.hone_version, at,
             or_none(e.token), e.memory, to_text(Json(e.labels)), to_text(Json(e.gpu_memory)));
    if (e.pilot) s.fleets.joined(e.pilot, e.worker, at);
  }

  void operator()(const TrialProposed& e) const {
    const auto seeds = static_cast<int>(seeds_of_sweep(s, e.sweep).value_or(0));
    s.counts.proposed(e.sweep);
    sql::run(s.add_trial, e.trial, e.sweep, e.number, to_text(encode(e.params)), seeds, at,
             schedule_text(e.schedule));
    for (int replicate = 0; replicate < seeds; ++replicate) {
      sql::run(s.add_run, e.trial, replicate, e.sweep);
      s.counts.added({e.trial, replicate}, e.sweep);
    }
    s.knowledge.add(e);
    if (e.origin) take_over_reports(s, e, *e.origin);
  }

  void operator()(const LeaseGranted& e) const {
    const RunId run = e.attempt.run;
    sql::run(s.add_attempt, e.lease, run.trial, run.replicate, e.attempt.number, e.worker, at,
             e.resume, e.step, e.turn ? to_text(encode(*e.turn)) : std::string(),
             e.width ? to_text(encode(*e.width)) : std::string(),
             e.neighbours ? to_text(encode(*e.neighbours)) : std::string());
    sql::run(s.keep_slot, e.worker, std::string());
    if (e.step > 0)
      sql::run(s.repeat_step, run.trial, run.replicate, e.resume, e.step);
    else if (e.attempt.number > 1)
      sql::run(s.repeat_phases, run.trial, run.replicate, e.resume);
    move(s, run, RunState::leased, EndReason::none);
    sql::run(s.lease_run, run.trial, run.replicate, e.attempt.number, e.worker);
    sql::run(s.see_worker, e.worker, at);
  }

  void operator()(const LeaseRenewed& e) const { sql::run(s.see_worker_of, e.lease, at); }

  void operator()(const RunStarted& e) const {
    sql::bind(s.start_attempt, e.lease, at);
    RunId run;
    if (s.start_attempt.executeStep()) run = sql::Columns(s.start_attempt).run_id();
    s.start_attempt.reset();
    move(s, run, RunState::running, EndReason::none);
    sql::run(s.start_run, run.trial, run.replicate, at);
  }

  void operator()(const ReportRecorded& e) const {
    if (s.report) write_report(s, std::nullopt);
    const TrialId trial = e.run.trial;
    const std::int64_t sweep = sweep_of_trial(s, trial).value_or(0);
    const Score value = s.values.counted(SweepId{sweep}, e.score, e.step, e.spent);
    const double cost = sql::cost_of(value, goal_of(s, sweep));
    s.counts.reported(e.run, SweepId{sweep}, e.resumable.value_or(true));
    sql::run(s.report_run, trial, e.run.replicate, e.phase, e.step, cost, e.phase_seconds);
    if (e.seed_applied)
      sql::run(s.apply_seed, trial, e.run.replicate, static_cast<int>(*e.seed_applied));
    s.values.reported(SweepId{sweep}, e.run, e.phase, cost);
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

  void operator()(const CodeRecorded& e) const { sql::run(s.record_code, e.lease, e.workflow); }
  void operator()(const TrialsExpected& e) const { s.values.expected(e); }
  void operator()(const ModelDropped& e) const { sql::run(s.drop_model, e.model, at); }

  void operator()(const ModelEvaluated& e) const {
    const EvaluationInfo& i = e.info;
    const Spread spread = spread_of(i.values);
    sql::run(s.add_evaluation, e.evaluation, e.model, i.metric,
             static_cast<std::int64_t>(i.values.size()), spread.mean, spread.deviation,
             to_text(Json(i.values)), i.environment, static_cast<std::int64_t>(i.seed),
             static_cast<int>(i.sample), i.author, at);
  }

  void operator()(const RunReturned& e) const {
    sql::run(s.end_attempt, e.run.trial, e.run.replicate, at, word(e.reason), e.detail,
             word(e.failure));
    move(s, e.run, RunState::queued, e.reason);
    sql::run(s.return_run, e.run.trial, e.run.replicate, word(e.reason), e.detail, word(e.failure),
             e.not_before);
  }

  // It is not one more attempt at its step: no phase is trained again.
  void operator()(const StepFinished& e) const {
    sql::run(s.end_attempt, e.run.trial, e.run.replicate, at, word(EndReason::none),
             "finished its step; " + std::to_string(e.files.size()) +
                 (e.files.size() == 1 ? " file" : " files") + " passed on",
             word(Failure::none));
    sql::run(s.finish_step, e.lease);
    move(s, e.run, RunState::queued, EndReason::none);
    sql::run(s.return_run, e.run.trial, e.run.replicate, word(EndReason::none), std::string(),
             word(Failure::none), std::optional<Instant>());
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
  void operator()(const SweepEdited& e) const {
    sql::run(s.reopen_sweep, e.sweep, word(SweepState::running), word(EndReason::none));
    s.knowledge.add(e, at);
  }
  void operator()(const SweepImported& e) const {
    for (const Event& event : e.past) std::visit(Fold{s, event.at, true, e.confirms}, event.body);
    s.knowledge.add(e, at);
  }

  void operator()(const FleetSet& e) const { s.fleets.add(e, at); }
  void operator()(const FleetSteered& e) const { s.fleets.add(e, at); }
  void operator()(const FleetDecided& e) const { s.fleets.add(e, at); }
  void operator()(const PilotWanted& e) const { s.fleets.add(e, at); }
  void operator()(const PilotSeen& e) const { s.fleets.add(e, at); }
  void operator()(const PilotCanceled& e) const { s.fleets.add(e); }
  void operator()(const PilotEnded& e) const { s.fleets.add(e, at); }

  void operator()(const TrialEnqueued&) const {}  // becomes a row when it is proposed

  void operator()(const RunAdded& e) const {
    sql::run(s.count_run, e.run.trial);
    sql::run(s.add_run_of, e.run.trial, e.run.replicate);
    const SweepId sweep{sweep_of_trial(s, e.run.trial).value_or(0)};
    s.counts.added(e.run, sweep);
    s.values.added(sweep, e.run.trial);
  }

  void operator()(const RunPaused& e) const {
    sql::run(s.end_attempt, e.run.trial, e.run.replicate, at, word(EndReason::none),
             std::string("paused by its terminator"), word(Failure::none));
    move(s, e.run, RunState::paused, EndReason::none);
    sql::run(s.pause_run, e.run.trial, e.run.replicate);
  }

  void operator()(const RunEnded& e) const {
    if (e.state == RunState::completed) sql::run(s.finish_last_step, e.run.trial, e.run.replicate);
    sql::run(s.end_attempt, e.run.trial, e.run.replicate, at, word(e.reason), e.detail,
             word(e.failure));
    move(s, e.run, e.state, e.reason);
    sql::run(s.end_run, e.run.trial, e.run.replicate, word(e.state), word(e.reason),
             deciding_exit_code(e), e.detail, e.log_tail, at, word(e.failure));
    s.values.ended(SweepId{sweep_of_trial(s, e.run.trial).value_or(0)}, e.run.trial,
                   e.state == RunState::failed);
    if (s.report) write_report(s, std::nullopt);
    s.curves.ended(e.run);
  }

  void operator()(const RunReady& e) const { sql::run(s.ready_run, e.run.trial, e.run.replicate); }

  void operator()(const WorkerSeen& e) const {
    sql::run(s.see_worker, e.worker, at);
    sql::run(s.keep_slot, e.worker, e.kept_free ? to_text(encode(*e.kept_free)) : std::string());
  }

  void operator()(const WorkerSetAside& e) const {
    sql::run(s.set_aside, e.worker, std::optional(e.until), e.detail);
  }

  void operator()(const WorkerAllowed& e) const {
    sql::run(s.set_aside, e.worker, std::optional<Instant>(), std::string());
  }
};

}  // namespace

Projection::Projection(SQLite::Database& db)
    : statements_(std::make_unique<ProjectionStatements>(db)) {}
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

void Projection::fold(const Event& event) { std::visit(Fold{*statements_, event.at}, event.body); }

void Projection::flush() {
  ProjectionStatements& s = *statements_;
  if (s.report) write_report(s, std::nullopt);
  s.counts.flush();
}

void Projection::forget() {
  ProjectionStatements& s = *statements_;
  s.report.reset();
  s.counts.forget();
  s.knowledge.forget();
  s.values.forget();
  for (Recent* recent : {&s.trial_sweeps, &s.lease_sweeps, &s.sweep_goals, &s.sweep_seeds})
    recent->clear();
}

}  // namespace hone
