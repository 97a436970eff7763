// The last request that is accepted and the first that is not.
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

}  // namespace
}  // namespace hone
