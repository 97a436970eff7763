#include "server/sweep/renumber.hpp"

namespace hone {
namespace {

class RenumberEvent {
 public:
  explicit RenumberEvent(Renumbering& ids) : ids_(ids) {}
  [[nodiscard]] bool complete() const { return complete_; }

  void operator()(SweepSubmitted& e) {
    e.sweep = ids_.sweep;
    e.workflow = ids_.workflow;
    e.dataset = ids_.dataset;
  }
  void operator()(SweepSteered& e) { e.sweep = ids_.sweep; }
  void operator()(SweepEnded& e) { e.sweep = ids_.sweep; }
  void operator()(SweepArchived& e) { e.sweep = ids_.sweep; }
  void operator()(SweepEdited& e) { e.sweep = ids_.sweep; }
  void operator()(TrialProposed& e) {
    e.sweep = ids_.sweep;
    e.trial = ids_.trial[e.trial] = TrialId{++ids_.trials};
    if (e.from) map_origin(e.from);
    if (e.origin) map_fork(*e.origin);
  }
  void operator()(TrialEnqueued& e) {
    e.sweep = ids_.sweep;
    if (e.from) map_origin(e.from);
    if (e.origin) map_fork(*e.origin);
  }
  void operator()(TrialPinned& e) { known(e.trial); }
  void operator()(RunAdded& e) { known(e.run.trial); }
  void operator()(LeaseGranted& e) {
    e.lease = ids_.lease[e.lease] = LeaseId{++ids_.leases};
    known(e.attempt.run.trial);
    known(e.worker);
    if (e.resume) known(*e.resume);
    e.turn.reset();  // it names a sweep of another server
  }
  void operator()(LeaseRenewed& e) { known(e.lease); }
  void operator()(RunStarted& e) { known(e.lease); }
  void operator()(ReportRecorded& e) {
    known(e.lease);
    known(e.run.trial);
  }
  void operator()(VerdictGiven& e) { known(e.run.trial); }
  void operator()(RunPaused& e) {
    known(e.lease);
    known(e.run.trial);
  }
  void operator()(ModelSaved& e) {
    e.model = ids_.model[e.model] = ModelId{++ids_.models};
    known(e.lease);
    known(e.run.trial);
    if (e.parent) known(*e.parent);
  }
  void operator()(ModelDropped& e) {
    known(e.model);
    known(e.run.trial);
  }
  void operator()(ArtifactSaved& e) {
    known(e.lease);
    known(e.run.trial);
  }
  void operator()(CodeRecorded& e) {
    known(e.lease);
    known(e.run.trial);
    map(e.workflow, ids_.executed);
  }
  void operator()(ModelEvaluated& e) {
    known(e.model);
    e.evaluation = ids_.evaluation[e.evaluation] = EvaluationId{++ids_.evaluations};
  }
  void operator()(StepFinished& e) {
    known(e.lease);
    known(e.run.trial);
  }
  void operator()(RunReturned& e) {
    known(e.lease);
    known(e.run.trial);
    if (e.avoid) known(*e.avoid);
    if (e.keep) known(e.keep->worker);
  }
  void operator()(RunEnded& e) { known(e.run.trial); }
  void operator()(RunReady& e) { known(e.run.trial); }
  void operator()(NoteAdded& e) { map_object(e.on); }
  void operator()(TagsChanged& e) { map_object(e.on); }

  // These do not belong to a single sweep.
  void operator()(ServerStarted&) { complete_ = false; }
  void operator()(WorkflowRecorded&) { complete_ = false; }
  void operator()(DatasetRecorded&) { complete_ = false; }
  void operator()(WorkerJoined&) { complete_ = false; }
  void operator()(WorkerSeen&) { complete_ = false; }
  void operator()(WorkerSetAside&) { complete_ = false; }
  void operator()(WorkerAllowed&) { complete_ = false; }
  void operator()(TokenCreated&) { complete_ = false; }
  void operator()(TokenRevoked&) { complete_ = false; }
  void operator()(SweepImported&) { complete_ = false; }
  void operator()(FleetSet&) { complete_ = false; }
  void operator()(FleetSteered&) { complete_ = false; }
  void operator()(FleetDecided&) { complete_ = false; }
  void operator()(PilotWanted&) { complete_ = false; }
  void operator()(PilotSeen&) { complete_ = false; }
  void operator()(PilotCanceled&) { complete_ = false; }
  void operator()(PilotEnded&) { complete_ = false; }

 private:
  template <class Id, class Map>
  void map(Id& id, const Map& ids) {
    const auto found = ids.find(id);
    if (found == ids.end())
      complete_ = false;
    else
      id = found->second;
  }
  void known(TrialId& id) { map(id, ids_.trial); }
  void known(LeaseId& id) { map(id, ids_.lease); }
  void known(ModelId& id) { map(id, ids_.model); }
  void known(WorkerId& id) { map(id, ids_.worker); }

  void map_fork(Origin& origin) {
    known(origin.run.trial);
    known(origin.model);
    if (origin.replaces) known(origin.replaces->trial);
  }

  // Clears the origin if it is a trial of another sweep.
  void map_origin(std::optional<TrialId>& id) {
    const auto found = ids_.trial.find(*id);
    id = found == ids_.trial.end() ? std::nullopt : std::optional(found->second);
  }

  void map_object(ObjectId& id) {
    if (auto* sweep = std::get_if<SweepId>(&id)) *sweep = ids_.sweep;
    if (auto* trial = std::get_if<TrialId>(&id)) known(*trial);
    if (auto* run = std::get_if<RunId>(&id)) known(run->trial);
    if (auto* attempt = std::get_if<AttemptId>(&id)) known(attempt->run.trial);
    if (auto* model = std::get_if<ModelId>(&id)) known(*model);
    if (auto* worker = std::get_if<WorkerId>(&id)) known(*worker);
    if (auto* workflow = std::get_if<WorkflowId>(&id)) map_workflow(*workflow);
    if (auto* evaluation = std::get_if<EvaluationId>(&id)) map(*evaluation, ids_.evaluation);
    if (auto* dataset = std::get_if<DatasetId>(&id)) *dataset = ids_.dataset.value_or(*dataset);
  }

  void map_workflow(WorkflowId& id) {
    const auto executed = ids_.executed.find(id);
    id = executed == ids_.executed.end() ? ids_.workflow : executed->second;
  }

  Renumbering& ids_;
  bool complete_ = true;
};

}  // namespace

bool renumber(EventBody& body, Renumbering& ids) {
  RenumberEvent visitor(ids);
  std::visit(visitor, body);
  return visitor.complete();
}

}  // namespace hone
