// The ids in the events of a sweep, mapped to those of another data folder.
#include "server/sweep/history/renumber.hpp"

#include <gtest/gtest.h>

namespace hone {
namespace {

// Of a sweep that arrives as sw_9, after trial 100, lease 50 and model 20, from worker 1 as 7.
struct Arriving {
  Arriving() {
    ids.sweep = SweepId{9};
    ids.trials = 100;
    ids.leases = 50;
    ids.models = 20;
    ids.workflow = WorkflowId{4};
    ids.dataset = DatasetId{5};
    ids.worker[WorkerId{1}] = WorkerId{7};
    ids.executed[WorkflowId{2}] = WorkflowId{6};
    ids.evaluations = 30;
    mapped(TrialProposed{TrialId{1}, SweepId{1}, 0, {}});
    mapped(LeaseGranted{LeaseId{1}, AttemptId{run, 1}, WorkerId{1}, "r", {}, {}});
    mapped(ModelSaved{ModelId{1}, LeaseId{1}, run, "digest", 1, 1, 0, {}});
  }
  template <class Body>
  Body mapped(Body body) {
    EventBody any = std::move(body);
    EXPECT_TRUE(renumber(any, ids));
    return std::get<Body>(any);
  }
  bool accepts(EventBody body) { return renumber(body, ids); }

  RunId run{TrialId{1}, 2};
  Renumbering ids;
};

constexpr RunId new_run{TrialId{101}, 2};

TEST(Renumber, continues_the_numbers_of_trials_leases_and_models) {
  Arriving given;
  EXPECT_EQ(given.mapped(TrialProposed{TrialId{2}, SweepId{1}, 1, {}}).trial, TrialId{102});
  const auto lease =
      given.mapped(LeaseGranted{LeaseId{2}, AttemptId{given.run, 2}, WorkerId{1}, "r", {}, {}});
  EXPECT_EQ(lease.lease, LeaseId{52});
  EXPECT_EQ(lease.attempt, (AttemptId{new_run, 2}));
  EXPECT_EQ(lease.worker, WorkerId{7});
  const auto model =
      given.mapped(ModelSaved{ModelId{2}, LeaseId{1}, given.run, "d", 1, 1, 0, ModelId{1}});
  EXPECT_EQ(model.model, ModelId{22});
  EXPECT_EQ(model.parent, ModelId{21});
}

TEST(Renumber, gives_every_event_of_the_sweep_its_new_id) {
  Arriving given;
  EXPECT_EQ(given.mapped(SweepSteered{SweepId{1}}).sweep, SweepId{9});
  EXPECT_EQ(given.mapped(SweepEnded{SweepId{1}}).sweep, SweepId{9});
  EXPECT_EQ(given.mapped(SweepArchived{SweepId{1}}).sweep, SweepId{9});
  EXPECT_EQ(given.mapped(SweepEdited{SweepId{1}, "r"}).sweep, SweepId{9});
  EXPECT_EQ(given.mapped(TrialEnqueued{SweepId{1}, "r", {}}).sweep, SweepId{9});
  const auto submitted = given.mapped(SweepSubmitted{SweepId{1}, "r", {}, {}, {}});
  EXPECT_EQ(submitted.sweep, SweepId{9});
  EXPECT_EQ(submitted.workflow, WorkflowId{4});
  EXPECT_EQ(submitted.dataset, DatasetId{5});
}

TEST(Renumber, maps_runs_and_leases_wherever_they_are_named) {
  Arriving given;
  EXPECT_EQ(given.mapped(RunAdded{given.run}).run, new_run);
  EXPECT_EQ(given.mapped(LeaseRenewed{LeaseId{1}, {}}).lease, LeaseId{51});
  EXPECT_EQ(given.mapped(RunStarted{LeaseId{1}}).lease, LeaseId{51});
  const auto report = given.mapped(ReportRecorded{LeaseId{1}, given.run, 0, 1, Score::of(1)});
  EXPECT_EQ(report.lease, LeaseId{51});
  EXPECT_EQ(report.run, new_run);
  EXPECT_EQ(given.mapped(VerdictGiven{given.run, 0, {}}).run, new_run);
  EXPECT_EQ(given.mapped(RunPaused{LeaseId{1}, given.run}).run, new_run);
  EXPECT_EQ(given.mapped(RunEnded{.run = given.run}).run, new_run);
  EXPECT_EQ(given.mapped(RunReady{given.run, {}}).run, new_run);
  EXPECT_EQ(given.mapped(ArtifactSaved{LeaseId{1}, given.run, "f", "d", 1}).run, new_run);
  EXPECT_EQ(given.mapped(ModelDropped{ModelId{1}, given.run}).model, ModelId{21});
  const auto code = given.mapped(CodeRecorded{LeaseId{1}, given.run, WorkflowId{2}});
  EXPECT_EQ(code.lease, LeaseId{51});
  EXPECT_EQ(code.workflow, WorkflowId{6});
  RunReturned returned{LeaseId{1}, given.run, EndReason::signal, ""};
  returned.avoid = WorkerId{1};
  EXPECT_EQ(given.mapped(returned).avoid, WorkerId{7});
}

TEST(Renumber, maps_the_objects_of_notes_and_tags) {
  Arriving given;
  const auto on = [&](ObjectId id) { return given.mapped(NoteAdded{"r", id, "note", ""}).on; };
  EXPECT_EQ(on(SweepId{1}), ObjectId(SweepId{9}));
  EXPECT_EQ(on(TrialId{1}), ObjectId(TrialId{101}));
  EXPECT_EQ(on(given.run), ObjectId(new_run));
  EXPECT_EQ(on(AttemptId{given.run, 3}), ObjectId(AttemptId{new_run, 3}));
  EXPECT_EQ(on(ModelId{1}), ObjectId(ModelId{21}));
  EXPECT_EQ(on(WorkerId{1}), ObjectId(WorkerId{7}));
  EXPECT_EQ(on(WorkflowId{1}), ObjectId(WorkflowId{4}));
  EXPECT_EQ(on(WorkflowId{2}), ObjectId(WorkflowId{6}));
  EXPECT_EQ(on(DatasetId{1}), ObjectId(DatasetId{5}));
  const auto evaluated = given.mapped(ModelEvaluated{EvaluationId{1}, "r", ModelId{1}, {}});
  EXPECT_EQ(evaluated.model, ModelId{21});
  EXPECT_EQ(on(EvaluationId{1}), ObjectId(EvaluationId{31}));
  EXPECT_EQ(given.mapped(TagsChanged{TrialId{1}, {}, {}}).on, ObjectId(TrialId{101}));
}

TEST(Renumber, forgets_an_origin_in_another_sweep) {
  Arriving given;
  TrialProposed repeated{TrialId{2}, SweepId{1}, 1, {}};
  repeated.from = TrialId{1};
  EXPECT_EQ(given.mapped(repeated).from, TrialId{101});
  repeated.trial = TrialId{3};
  repeated.from = TrialId{77};
  EXPECT_EQ(given.mapped(repeated).from, std::nullopt);
}

TEST(Renumber, refuses_an_id_that_no_earlier_event_made) {
  Arriving given;
  EXPECT_FALSE(given.accepts(RunStarted{LeaseId{2}}));
  EXPECT_FALSE(given.accepts(RunEnded{.run = {TrialId{2}, 0}}));
  EXPECT_FALSE(given.accepts(ModelDropped{ModelId{2}, given.run}));
  EXPECT_FALSE(given.accepts(TrialPinned{TrialId{2}}));
  EXPECT_FALSE(given.accepts(CodeRecorded{LeaseId{1}, given.run, WorkflowId{9}}));
  EXPECT_FALSE(given.accepts(ModelEvaluated{EvaluationId{1}, "r", ModelId{2}, {}}));
  EXPECT_FALSE(given.accepts(NoteAdded{"r", TrialId{2}, "note", ""}));
  EXPECT_FALSE(
      given.accepts(LeaseGranted{LeaseId{2}, AttemptId{given.run, 2}, WorkerId{2}, "r", {}, {}}));
}

TEST(Renumber, refuses_events_that_belong_to_no_single_sweep) {
  Arriving given;
  for (const EventBody& body : std::vector<EventBody>{
           ServerStarted{}, WorkflowRecorded{}, DatasetRecorded{}, WorkerJoined{}, WorkerSeen{},
           WorkerSetAside{}, WorkerAllowed{}, TokenCreated{}, TokenRevoked{}, SweepImported{},
           FleetSet{}, FleetSteered{}, FleetDecided{}, PilotWanted{}, PilotSeen{}, PilotCanceled{},
           PilotEnded{}})
    EXPECT_FALSE(given.accepts(body)) << body.index();
}

}  // namespace
}  // namespace hone
