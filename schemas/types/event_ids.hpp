// Which ids an event names, each event once: what looks up its sweep, renumbers it or loads what it
// needs is a visitor.
//
//   v(id)          of the event's sweep, made by an earlier event; of an optional, if there is one.
//                  The first one finds the sweep
//   v.makes(id)    made by this event
//   v.reads(id)    a sweep that must be in memory
//   v.from(id)     the trial that this one repeats, maybe of another sweep
//   v.submitted(id), v.executed(id)   the workflow of a sweep, and of an attempt
//   v.drops(part)  names another sweep, and has no meaning elsewhere
//   v.of_server()  the event cannot be a part of a sweep's past
#pragma once

#include "base/of.hpp"
#include "schemas/types/event.hpp"

namespace hone::named {

template <class V>
void ids(V& v, Of<ServerStarted, WorkflowRecorded, DatasetRecorded, WorkerJoined, WorkerSeen,
                  WorkerSetAside, WorkerAllowed, TokenCreated, TokenRevoked, FleetSet, FleetSteered,
                  FleetDecided, PilotWanted, PilotSeen, PilotCanceled, PilotEnded> auto&) {
  v.of_server();
}
void ids(auto& v, Of<SweepSubmitted> auto& e) {
  v.makes(e.sweep), v.submitted(e.workflow), v(e.dataset);
  for (auto& earlier : e.spec->search.warm_start) v.reads(earlier);
  if (e.spec->confirms) v.reads(e.spec->confirms);
}
void ids(auto& v, Of<SweepImported> auto& e) {
  v.makes(e.sweep), v.of_server();
  if (e.confirms) v.reads(*e.confirms);
}
void ids(auto& v, Of<SweepSteered, SweepEnded, SweepArchived, SweepEdited> auto& e) { v(e.sweep); }

void ids(auto& v, Of<Origin> auto& origin) { v(origin.run), v(origin.model), v(origin.replaces); }
void ids(auto& v, Of<TrialProposed> auto& e) {
  v(e.sweep), v.makes(e.trial), v.from(e.from);
  if (e.origin) ids(v, *e.origin);
}
void ids(auto& v, Of<TrialEnqueued> auto& e) {
  v(e.sweep), v.from(e.from);
  if (e.origin) ids(v, *e.origin);
}
void ids(auto& v, Of<TrialsExpected> auto& e) {
  v(e.sweep);
  for (auto& one : e.trials) v(one.trial);
}
void ids(auto& v, Of<TrialPinned> auto& e) { v(e.trial); }

void ids(auto& v, Of<RunAdded, VerdictGiven, RunEnded, RunReady> auto& e) { v(e.run); }
void ids(auto& v, Of<LeaseGranted> auto& e) {
  v.makes(e.lease), v(e.attempt), v(e.worker), v(e.resume), v.drops(e.turn);
}
void ids(auto& v, Of<LeaseRenewed, RunStarted> auto& e) { v(e.lease); }
void ids(auto& v, Of<ReportRecorded, RunPaused, ArtifactSaved, StepFinished> auto& e) {
  v(e.run), v(e.lease);
}
void ids(auto& v, Of<CodeRecorded> auto& e) { v(e.run), v(e.lease), v.executed(e.workflow); }
void ids(auto& v, Of<RunReturned> auto& e) {
  v(e.run), v(e.lease), v(e.avoid);
  if (e.keep) v(e.keep->worker);
}
void ids(auto& v, Of<ModelSaved> auto& e) { v.makes(e.model), v(e.run), v(e.lease), v(e.parent); }
void ids(auto& v, Of<ModelDropped> auto& e) { v(e.run), v(e.model); }
void ids(auto& v, Of<ModelEvaluated> auto& e) { v(e.model), v.makes(e.evaluation); }
void ids(auto& v, Of<NoteAdded, TagsChanged> auto& e) { v(e.on); }

// Hands the ids of an event to a visitor.
void visit_ids(auto& visitor, auto& body) {
  std::visit([&](auto& event) { ids(visitor, event); }, body);
}

}  // namespace hone::named
