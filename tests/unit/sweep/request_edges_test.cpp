// The last request that is accepted and the first that is not.
#include "server/sweep/state/rules.hpp"
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

TEST(RequestEdges, a_checkpoint_may_be_of_step_zero) {
  Given given;
  given.submit(small_spec());
  const auto grant = given.acquire(given.join(), "a");
  expect_kinds<ModelSaved>(given.when(SaveModel{grant->lease, {"aa", 1, 0, 0}}));
  given.when(SaveModel{grant->lease, {"bb", 1, -1, 0}});
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->at, "/step");
}

TEST(RequestEdges, a_replicate_that_a_trial_does_not_have_is_not_found) {
  Given given;
  given.submit(small_spec());
  const RunId run = given.acquire(given.join(), "a")->attempt.run;
  EXPECT_NE(find_run(given.book, run), nullptr);
  EXPECT_EQ(find_run(given.book, {run.trial, 1}), nullptr);
  EXPECT_EQ(find_run(given.book, {run.trial, -1}), nullptr);
}

TEST(RequestEdges, a_note_is_added_to_the_newest_attempt_and_not_to_the_next) {
  Given given;
  given.submit(small_spec());
  const RunId run = given.acquire(given.join(), "a")->attempt.run;
  given.when(AddNote{{"newest", AttemptId{run, 1}, "text"}});
  EXPECT_FALSE(given.error);
  given.when(AddNote{{"next", AttemptId{run, 2}, "text"}});
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->code, Code::not_found);
}

// The phases are those of the sweep unless a step of a pipeline has its own.
TEST(RequestEdges, a_report_beyond_the_last_phase_names_the_phases_of_the_sweep) {
  Given given;
  given.submit(small_spec(1, 3));
  const auto grant = given.acquire(given.join(), "a");
  given.when(Report{grant->lease, {3, 10, Score::of(1)}});
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->detail, "the sweep has phases 0 to 2");
}

TEST(RequestEdges, a_note_is_added_to_the_newest_workflow_and_not_to_the_next) {
  Given given;
  given.submit(small_spec());
  given.when(AddNote{{"newest", WorkflowId{1}, "text"}});
  EXPECT_FALSE(given.error);
  given.when(AddNote{{"next", WorkflowId{2}, "text"}});
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->code, Code::not_found);
}

TEST(RequestEdges, a_sweep_is_archived_once_and_an_unknown_one_is_not_found) {
  Given given;
  const SweepId id = given.submit(small_spec());
  expect_kinds<SweepArchived>(given.when(Archive{id, {true}}));
  EXPECT_TRUE(given.when(Archive{id, {true}}).empty());
  EXPECT_FALSE(given.error);
  given.when(Archive{SweepId{9}, {true}});
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->code, Code::not_found);
}

TEST(RequestEdges, an_environment_whose_actions_the_trainer_cannot_choose_is_refused) {
  Given given;
  SweepSpec spec = small_spec();
  spec.trainer = BuiltinTrainer{"dqn", {{"env", std::string("Pendulum-v1")}}};
  spec.parameters = {{"gamma", FloatDomain{0.9, 0.99, Scale::linear, {}}, ""}};
  spec.budget = {"frames", 1'000'000, 10};
  spec.objective.metric = "return";
  given.when(Submit{{"submit", spec, {}}});
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->at, "/spec/trainer/env");
}

TEST(RequestEdges, a_seed_that_was_applied_stays_known_when_a_later_report_lacks_it) {
  Given given;
  given.submit(small_spec());
  const auto grant = given.acquire(given.join(), "a");
  const auto report = [&](int phase, std::optional<bool> applied) {
    given.when(
        Report{grant->lease,
               {.phase = phase, .step = 10, .score = Score::of(1), .seed_applied = applied}});
    return given.run(grant->attempt.run).seed_applied;
  };
  EXPECT_EQ(report(0, std::nullopt), std::nullopt);
  EXPECT_EQ(report(1, true), true);
  EXPECT_EQ(report(2, std::nullopt), true);
}

TEST(RequestEdges, a_lease_whose_predecessors_are_missing_has_its_own_run_and_worker) {
  Given given;  // a repaired ledger lacks the leases of a sweep that was left out
  given.submit(small_spec());
  const WorkerId worker = given.join(), other = given.join("join-2");
  given.acquire(worker, "a");
  LeaseGranted granted{};
  granted.lease = LeaseId{given.book.last_lease.value + 4};
  granted.attempt = {{TrialId{1}, 0}, 2};
  granted.worker = other;
  note_lease(given.book, granted);
  const auto index = lease_index(given.book, granted.lease);
  ASSERT_TRUE(index);
  EXPECT_EQ(given.book.worker_of_lease.at(*index), other);
  EXPECT_EQ(given.book.run_of_lease.at(*index), granted.attempt.run);
}

TEST(RequestEdges, values_of_several_seeds_are_in_units_since_rules_3) {
  Given given;
  const SweepId id = given.submit(small_spec());
  for (const int rules : {2, 3, 4}) {
    given.book.sweeps.at(id).rules = rules;
    EXPECT_EQ(replication_of(given.sweep(id)).in_units, rules >= 3) << rules;
  }
}

TEST(RequestEdges, a_sweep_of_a_command_gets_another_one) {
  Given given;
  const SweepId id = given.submit(small_spec());
  EditRequest request{"edit"};
  request.command = CommandTrainer{{"other", "${x}"}};
  given.when(Edit{id, request});
  EXPECT_FALSE(given.error) << given.error->detail;
  EXPECT_EQ(std::get<CommandTrainer>(given.sweep(id).spec.trainer).argv.front(), "other");
}

TEST(RequestEdges, an_asker_is_no_worker_that_could_take_a_run) {
  Given given;
  const SweepId id = given.submit(small_spec());
  const WorkerId worker = given.join();
  given.when(Ask{id, {"me"}, {}});
  ASSERT_FALSE(given.error) << given.error->detail;
  ASSERT_EQ(given.book.workers.size(), 2U);
  EXPECT_FALSE(others_there(given.book, worker, given.now));
  given.join("join-2");
  EXPECT_TRUE(others_there(given.book, worker, given.now));
}

TEST(RequestEdges, a_worker_that_asks_in_vain_was_seen) {
  Given given;
  const WorkerId worker = given.join();
  given.now = given.now + seconds(3600);
  ASSERT_FALSE(is_present(given.book.workers.at(worker), given.now));
  given.acquire(worker, "a");
  EXPECT_TRUE(is_present(given.book.workers.at(worker), given.now));
}

TEST(RequestEdges, a_heartbeat_that_names_a_lease_often_starts_its_run_once) {
  Given given;
  given.submit(small_spec());
  const WorkerId worker = given.join();
  const LeaseId lease = given.acquire(worker, "a")->lease;
  given.now = given.now + seconds(14);
  expect_kinds<RunStarted, LeaseRenewed>(
      given.when(Beat{worker, {std::vector<LeaseId>(1000, lease)}}));
}

}  // namespace
}  // namespace hone
