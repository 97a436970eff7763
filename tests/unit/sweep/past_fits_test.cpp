// Events of an imported past: each is refused where it does not fit the book before it, so that
// evolve() never sees it.
#include "server/sweep/submit/past_fits.hpp"

#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

constexpr SweepId sweep_id{1};
constexpr RunId run_id{TrialId{1}, 0};
constexpr LeaseId lease_id{1};
constexpr WorkerId worker_id{1};

// A sweep of two phases whose first run is leased and has reported once.
struct Reported : Given {
  explicit Reported(const SweepSpec& spec = small_spec(2, 2)) {
    submit(spec);
    acquire(join(), "a");
    report(lease_id, 0, Score::of(1));
  }
  // Empty if the event fits.
  [[nodiscard]] std::string refusal(const EventBody& body) const {
    const auto fit = fits(book, body);
    return fit ? "" : fit.error().detail;
  }
};

TEST(PastFits, the_next_report_of_a_leased_run_and_no_other) {
  const Reported given;
  EXPECT_EQ(given.refusal(ReportRecorded{lease_id, run_id, 1, 30, Score::of(2)}), "");
  for (const int phase : {-1, 0, 2, 7})
    EXPECT_EQ(given.refusal(ReportRecorded{lease_id, run_id, phase, 30, Score::of(2)}),
              "reports a phase out of order")
        << phase;
  EXPECT_EQ(given.refusal(ReportRecorded{LeaseId{2}, run_id, 1, 30, Score::of(2)}),
            "reports without a lease");
  EXPECT_EQ(given.refusal(ReportRecorded{lease_id, RunId{TrialId{1}, 1}, 1, 30, Score::of(2)}),
            "reports without a lease");
}

TEST(PastFits, a_report_with_a_value_for_each_further_objective) {
  SweepSpec spec = small_spec(2, 2);
  spec.further_objectives = {{"seconds", Goal::minimize}};
  Given given;
  given.submit(spec);
  given.acquire(given.join(), "a");
  ReportRecorded report{lease_id, run_id, 0, 10, Score::of(1)};
  EXPECT_FALSE(fits(given.book, report));
  report.further = {Score::of(2)};
  EXPECT_TRUE(fits(given.book, report));
}

TEST(PastFits, a_report_with_the_time_of_its_clock) {
  const auto refusal = [](std::optional<RunClock> clock, std::optional<double> spent) {
    SweepSpec spec = small_spec(2, 2);
    if (clock) spec.objective = {"score", Goal::soonest, Reach{100, false, *clock}};
    Given given;
    given.submit(spec);
    given.acquire(given.join(), "a");
    ReportRecorded report{lease_id, run_id, 0, 10, Score::of(1)};
    report.spent = spent;
    return fits(given.book, report) ? "" : "refused";
  };
  EXPECT_STREQ(refusal(std::nullopt, std::nullopt), "");
  EXPECT_STREQ(refusal(std::nullopt, 1), "refused");
  EXPECT_STREQ(refusal(RunClock::steps, std::nullopt), "");
  EXPECT_STREQ(refusal(RunClock::steps, 1), "refused");
  for (const RunClock clock : {RunClock::seconds, RunClock::cpu_seconds}) {
    EXPECT_STREQ(refusal(clock, 0), "");
    EXPECT_STREQ(refusal(clock, std::nullopt), "refused");
    EXPECT_STREQ(refusal(clock, -1), "refused");
    EXPECT_STREQ(refusal(clock, 1e12), "refused");
  }
}

TEST(PastFits, a_schedule_whose_phases_ascend) {
  const Reported given;  // of two phases
  const auto refusal = [&](std::vector<ScheduleStage> stages) {
    TrialEnqueued enqueued{sweep_id, "r", {}};
    TrialProposed proposed{TrialId{2}, sweep_id, 1, {}};
    enqueued.schedule = proposed.schedule = std::move(stages);
    EXPECT_EQ(given.refusal(enqueued), given.refusal(proposed));
    return given.refusal(proposed);
  };
  const std::string refused =
      "changes parameters at phases out of order, or of a fork or a pipeline";
  EXPECT_EQ(refusal({{1, {}}}), "");
  EXPECT_EQ(refusal({{0, {}}}), refused);
  EXPECT_EQ(refusal({{2, {}}}), refused);
  EXPECT_EQ(refusal({{1, {}}, {1, {}}}), refused);
}

TEST(PastFits, a_verdict_once_on_a_recorded_report) {
  const Reported given;
  EXPECT_EQ(given.refusal(VerdictGiven{run_id, 0, {}}), "judges what was not reported, or twice");
  EXPECT_EQ(given.refusal(VerdictGiven{run_id, 1, {}}), "judges what was not reported, or twice");
  EXPECT_EQ(given.refusal(VerdictGiven{run_id, -1, {}}), "judges what was not reported, or twice");
}

TEST(PastFits, trials_in_the_order_of_their_numbers) {
  const Reported given;
  EXPECT_EQ(given.refusal(TrialProposed{TrialId{2}, sweep_id, 1, {}}), "");
  EXPECT_EQ(given.refusal(TrialProposed{TrialId{2}, sweep_id, 2, {}}),
            "proposes trials out of order");
  EXPECT_EQ(given.refusal(TrialProposed{TrialId{2}, SweepId{7}, 0, {}}),
            "happens to a sweep that is over");
}

TEST(PastFits, a_further_run_of_a_known_trial_in_order) {
  const Reported given;
  EXPECT_EQ(given.refusal(RunAdded{RunId{TrialId{1}, 1}}), "");
  EXPECT_EQ(given.refusal(RunAdded{RunId{TrialId{1}, 2}}), "adds a run out of order");
  EXPECT_EQ(given.refusal(RunAdded{RunId{TrialId{9}, 0}}), "adds a run out of order");
}

TEST(PastFits, a_lease_on_a_run_that_waits) {
  Reported given;
  const LeaseGranted leased{LeaseId{2}, AttemptId{run_id, 2}, worker_id, "r", {}, given.now};
  EXPECT_EQ(given.refusal(leased), "leases a run that does not wait");
  given.when(End{lease_id, {EndReason::requeue_requested, 85, "", ""}});
  EXPECT_EQ(given.refusal(leased), "");
  LeaseGranted skips = leased;
  skips.attempt.number = 3;
  EXPECT_EQ(given.refusal(skips), "leases a run that does not wait");
  LeaseGranted resumes = leased;
  resumes.resume = ModelId{4};
  EXPECT_EQ(given.refusal(resumes), "resumes a checkpoint that is gone");
}

TEST(PastFits, what_needs_a_live_lease_only_while_it_lives) {
  Reported given;
  const std::vector<EventBody> bodies{LeaseRenewed{lease_id, given.now}, RunStarted{lease_id},
                                      RunPaused{lease_id, run_id},
                                      RunReturned{lease_id, run_id, EndReason::signal, "", {}}};
  for (const EventBody& body : bodies) EXPECT_EQ(given.refusal(body), "") << body.index();
  given.report(lease_id, 1, Score::of(2));
  for (const EventBody& body : bodies) EXPECT_NE(given.refusal(body), "") << body.index();
}

TEST(PastFits, the_end_of_a_run_once) {
  Reported given;
  const RunEnded end{.run = run_id, .state = RunState::completed};
  EXPECT_EQ(given.refusal(end), "");
  EXPECT_EQ(given.refusal(RunEnded{.run = run_id, .state = RunState::running}),
            "ends a run that is over");
  given.report(lease_id, 1, Score::of(2));
  EXPECT_EQ(given.refusal(end), "ends a run that is over");
}

TEST(PastFits, the_end_of_a_sweep_after_its_runs) {
  Reported given;
  const SweepEnded end{sweep_id, SweepState::completed, EndReason::budget_reached};
  EXPECT_EQ(given.refusal(end), "ends a sweep that still has runs");
  given.report(lease_id, 1, Score::of(2));
  EXPECT_EQ(given.refusal(end), "");
  EXPECT_EQ(given.refusal(SweepEnded{sweep_id, SweepState::running, EndReason::none}),
            "ends a sweep that still has runs");
}

TEST(PastFits, no_change_of_a_sweep_that_is_over) {
  Reported given;
  given.when(Steer{sweep_id, {Verb::kill}});
  given.when(End{lease_id, {EndReason::signal, 9, "", ""}});
  ASSERT_TRUE(is_end(given.sweep(sweep_id).state));
  for (const EventBody& body :
       std::vector<EventBody>{SweepSteered{sweep_id}, TrialEnqueued{sweep_id, "r", {}}})
    EXPECT_EQ(given.refusal(body), "happens to a sweep that is over") << body.index();
  EXPECT_EQ(given.refusal(SweepArchived{sweep_id}), "");
  EXPECT_EQ(given.refusal(SweepEdited{sweep_id, "r", 9}), "") << "more trials continue it";
}

TEST(PastFits, checkpoints_and_files_of_known_runs) {
  Reported given;
  const std::string digest(64, 'a');
  EXPECT_EQ(given.refusal(ModelSaved{ModelId{1}, lease_id, run_id, digest, 9, 10, 0, {}}), "");
  EXPECT_EQ(
      given.refusal(ModelSaved{ModelId{1}, lease_id, RunId{TrialId{8}, 0}, digest, 9, 1, 0, {}}),
      "saves a checkpoint of no run");
  EXPECT_EQ(given.refusal(ArtifactSaved{lease_id, RunId{TrialId{8}, 0}, "log", digest, 9}),
            "saves a file of no run");
  EXPECT_EQ(given.refusal(ModelDropped{ModelId{1}, run_id}),
            "drops a checkpoint that is not there");
}

TEST(PastFits, a_rest_that_began) {
  Reported given;
  EXPECT_EQ(given.refusal(RunReady{run_id, {}}), "readies a run that did not rest");
  given.when(End{lease_id, {EndReason::signal, 11, "", "", Failure::crash}});
  EXPECT_EQ(given.refusal(RunReady{run_id, {}}), "");
}

TEST(PastFits, an_edit_that_leaves_a_valid_sweep) {
  const Reported given;
  EXPECT_EQ(given.refusal(SweepEdited{sweep_id, "r", 9}), "");
  SweepEdited wider{sweep_id, "r"};
  wider.widened = {{"x", -1, 2, {}}};
  EXPECT_EQ(given.refusal(wider), "");
}

TEST(PastFits, no_event_of_the_server_itself) {
  const Reported given;
  for (const EventBody& body : std::vector<EventBody>{
           ServerStarted{"test", seconds(15)}, WorkflowRecorded{}, DatasetRecorded{},
           WorkerJoined{}, WorkerSeen{worker_id}, WorkerSetAside{}, WorkerAllowed{}, TokenCreated{},
           TokenRevoked{}, SweepImported{}, FleetSet{}, FleetSteered{}, FleetDecided{},
           PilotWanted{}, PilotSeen{}, PilotCanceled{}, PilotEnded{}})
    EXPECT_EQ(given.refusal(body), "is not of a sweep") << body.index();
}

TEST(PastFits, notes_tags_and_pins_of_what_exists) {
  const Reported given;
  EXPECT_EQ(given.refusal(NoteAdded{"r", sweep_id, "note", ""}), "");
  EXPECT_EQ(given.refusal(TagsChanged{sweep_id, {"tag"}, {}}), "");
  EXPECT_EQ(given.refusal(TrialPinned{TrialId{1}}), "");
  EXPECT_EQ(given.refusal(TrialPinned{TrialId{9}}), "pins no trial");
  EXPECT_EQ(given.refusal(SweepArchived{SweepId{9}}), "archives no sweep");
}

}  // namespace
}  // namespace hone
