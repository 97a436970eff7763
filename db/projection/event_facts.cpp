#include "db/projection/event_facts.hpp"

#include "base/expect.hpp"
#include "schemas/types/event.hpp"

namespace hone {

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
    case EndReason::bar_reached:
    case EndReason::evicted:
    case EndReason::not_promoted:
    case EndReason::diverged:
    case EndReason::told_failed:
    case EndReason::cannot_start:
    case EndReason::requeue_requested:
    case EndReason::worker_lost:
    case EndReason::retries_exhausted:
    case EndReason::disk_limit:
    case EndReason::user_stop:
    case EndReason::user_cancel:
    case EndReason::user_kill:
    case EndReason::time_limit:
    case EndReason::failure_limit:
      return std::nullopt;
  }
  unreachable();
}

namespace {

// Workflows, datasets and workers belong to no sweep.
SweepClue clue_of(const ObjectId& id) {
  if (const auto* sweep = std::get_if<SweepId>(&id)) return *sweep;
  if (const auto* trial = std::get_if<TrialId>(&id)) return *trial;
  if (const auto* run = std::get_if<RunId>(&id)) return run->trial;
  if (const auto* attempt = std::get_if<AttemptId>(&id)) return attempt->run.trial;
  if (const auto* model = std::get_if<ModelId>(&id)) return *model;
  return {};
}

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
  SweepClue operator()(const RunReady& e) const { return e.run.trial; }
  SweepClue operator()(const WorkerSeen&) const { return {}; }
  SweepClue operator()(const WorkerSetAside&) const { return {}; }
  SweepClue operator()(const WorkerAllowed&) const { return {}; }
  SweepClue operator()(const TokenCreated&) const { return {}; }
  SweepClue operator()(const TokenRevoked&) const { return {}; }
  SweepClue operator()(const ArtifactSaved& e) const { return e.run.trial; }
  SweepClue operator()(const NoteAdded& e) const { return clue_of(e.on); }
  SweepClue operator()(const TagsChanged& e) const { return clue_of(e.on); }
  SweepClue operator()(const SweepArchived& e) const { return e.sweep; }
  SweepClue operator()(const TrialPinned& e) const { return e.trial; }
  SweepClue operator()(const SweepEdited& e) const { return e.sweep; }
  SweepClue operator()(const SweepImported& e) const { return e.sweep; }
  SweepClue operator()(const FleetSet&) const { return {}; }
  SweepClue operator()(const FleetSteered&) const { return {}; }
  SweepClue operator()(const FleetDecided&) const { return {}; }
  SweepClue operator()(const PilotWanted&) const { return {}; }
  SweepClue operator()(const PilotSeen&) const { return {}; }
  SweepClue operator()(const PilotCanceled&) const { return {}; }
  SweepClue operator()(const PilotEnded&) const { return {}; }
  SweepClue operator()(const CodeRecorded& e) const { return e.run.trial; }
  SweepClue operator()(const ModelEvaluated& e) const { return e.model; }
  SweepClue operator()(const StepFinished& e) const { return e.run.trial; }
};

}  // namespace

SweepClue sweep_clue(const EventBody& body) { return std::visit(ClueOf{}, body); }

}  // namespace hone
