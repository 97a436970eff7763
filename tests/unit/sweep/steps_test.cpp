// Pipelines: a lease covers one step of a run, and what its attempt left goes to the next step.
#include "server/sweep/lease/resource_demand.hpp"
#include "server/sweep/submit/past_fits.hpp"
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

const std::string digest_a(64, 'a');
const std::string digest_b(64, 'b');

SweepSpec pipeline(std::int64_t trials = 1, int phases = 3) {
  SweepSpec spec = small_spec(trials, phases);
  StepSpec prepare{"prepare", {{"prepare"}, ParamStyle::none, {}, WorkFolder::shared, {}, {}}};
  StepSpec train{"train", {{"train", "${x}"}}, ResourcesSpec{2, 1}};
  StepSpec evaluate{"evaluate", {{"evaluate"}}};
  spec.trainer = PipelineTrainer{{prepare, train, evaluate}};
  return spec;
}

class GivenSteps : public Given {
 public:
  WorkerId join_with(int cpus, int gpus) {
    const Command command =
        Join{{"join-" + std::to_string(++requests), "host", 1, cpus, gpus, "test"}};
    when(command);
    return std::get<JoinReply>(answer(book, command)).worker;
  }
  std::optional<LeaseGrant> offer(WorkerId worker, int cpus = 4, int gpus = 1, bool steps = true) {
    AcquireRequest request{"offer-" + std::to_string(++requests), worker, cpus, gpus, {}};
    request.steps = steps;
    when(Acquire{request});
    EXPECT_FALSE(error) << error->detail;
    return std::get<std::optional<LeaseGrant>>(answer(book, Acquire{request}));
  }
  Events keep(LeaseId lease, const std::string& name, const std::string& sha256) {
    return when(SaveArtifact{lease, {name, sha256, 12}});
  }
  Events end(LeaseId lease, EndReason reason = EndReason::no_report, int status = 0,
             Failure failure = Failure::none) {
    auto events = when(End{lease, {reason, status, "", "", failure}});
    EXPECT_FALSE(error) << error->detail;
    return events;
  }
  int requests = 0;
};

TEST(Steps, a_grant_names_its_step_with_its_command_resources_and_files) {
  GivenSteps given;
  const auto worker = given.join_with(4, 1);
  given.submit(pipeline());
  const auto prepare = given.offer(worker);
  EXPECT_EQ(prepare->step, (StepRef{"prepare", 0, 3}));
  EXPECT_EQ(prepare->resources, (ResourcesSpec{1, 0}));
  given.keep(prepare->lease, "prepare/data", digest_a);
  expect_kinds<StepFinished>(given.end(prepare->lease));
  const auto train = given.offer(worker);
  EXPECT_EQ(train->step, (StepRef{"train", 1, 3}));
  EXPECT_EQ(train->resources, (ResourcesSpec{2, 1}));
  EXPECT_EQ(std::get<CommandTrainer>(train->trainer).argv.front(), "train");
  EXPECT_EQ(train->inputs, (std::vector{FileRef{"prepare/data", digest_a, 12}}));
  EXPECT_EQ(given.book.workers.at(worker).leased, (ResourcesSpec{2, 1}));
}

TEST(Steps, a_step_gets_the_files_of_those_that_it_needs) {
  GivenSteps given;
  const auto worker = given.join_with(4, 1);
  SweepSpec spec = pipeline();
  std::get<PipelineTrainer>(spec.trainer).steps[2].needs = {"train"};
  given.submit(spec);
  for (const char* name : {"prepare/data", "train/model"}) {
    const auto grant = given.offer(worker);
    given.keep(grant->lease, name, digest_a);
    given.end(grant->lease);
  }
  EXPECT_EQ(given.offer(worker)->inputs, (std::vector{FileRef{"train/model", digest_a, 12}}));
}

TEST(Steps, only_the_files_of_the_attempt_that_finished_are_passed_on) {
  GivenSteps given;
  const auto worker = given.join_with(4, 1);
  given.submit(pipeline());
  const auto lost = given.offer(worker);
  given.keep(lost->lease, "prepare/data", digest_a);
  given.keep(lost->lease, "prepare/old", digest_a);
  given.end(lost->lease, EndReason::requeue_requested, 85);
  given.rest();
  const auto again = given.offer(worker);
  EXPECT_EQ(again->step->index, 0);
  given.keep(again->lease, "prepare/data", digest_b);
  given.end(again->lease);
  EXPECT_EQ(given.offer(worker)->inputs, (std::vector{FileRef{"prepare/data", digest_b, 12}}));
}

TEST(Steps, equal_bytes_of_a_second_attempt_are_its_own) {
  GivenSteps given;
  const auto worker = given.join_with(4, 1);
  given.submit(pipeline());
  const auto lost = given.offer(worker);
  given.keep(lost->lease, "prepare/data", digest_a);
  given.end(lost->lease, EndReason::requeue_requested, 85);
  given.rest();
  const auto again = given.offer(worker);
  expect_kinds<ArtifactSaved>(given.keep(again->lease, "prepare/data", digest_a));
  EXPECT_TRUE(given.keep(again->lease, "prepare/data", digest_a).empty());
  given.end(again->lease);
  EXPECT_EQ(given.offer(worker)->inputs.size(), 1U);
}

TEST(Steps, a_file_is_in_the_folder_of_its_step) {
  GivenSteps given;
  given.submit(pipeline());
  const auto prepare = given.offer(given.join_with(4, 1));
  given.keep(prepare->lease, "train/data", digest_a);
  EXPECT_EQ(given.error->at, "/name");
}

TEST(Steps, reports_of_all_steps_are_one_curve_and_the_last_step_ends_the_run) {
  GivenSteps given;
  const auto worker = given.join_with(4, 1);
  const auto sweep = given.submit(pipeline());
  given.end(given.offer(worker)->lease);
  const auto train = given.offer(worker);
  given.report(train->lease, 0, Score::of(1));
  given.report(train->lease, 1, Score::of(2));
  given.end(train->lease, EndReason::exited_early);
  const auto evaluate = given.offer(worker);
  EXPECT_EQ(evaluate->next_phase, 2);
  given.when(Report{evaluate->lease, {2, 0, Score::of(9)}});
  const auto& run = given.run(evaluate->attempt.run);
  EXPECT_EQ(run.reports.back().step, 20) << "counted from where the step before ended";
  EXPECT_EQ(run.state, RunState::completed);
  EXPECT_EQ(given.sweep(sweep).state, SweepState::completed);
}

TEST(Steps, the_last_phase_of_an_earlier_step_does_not_end_the_run) {
  GivenSteps given;
  const auto worker = given.join_with(4, 1);
  given.submit(pipeline(1, 1));
  const auto prepare = given.offer(worker);
  EXPECT_EQ(given.report(prepare->lease, 0, Score::of(1)),
            (Verdict{Action::go_on, VerdictReason::step_follows, {}}));
  given.end(prepare->lease, EndReason::budget_reached);
  given.end(given.offer(worker)->lease);
  const auto last = given.offer(worker);
  given.end(last->lease);
  EXPECT_EQ(given.run(last->attempt.run).state, RunState::completed);
  EXPECT_EQ(given.run(last->attempt.run).reason, EndReason::budget_reached);
}

TEST(Steps, the_budget_of_a_step_ends_with_its_phases) {
  GivenSteps given;
  const auto worker = given.join_with(4, 1);
  SweepSpec spec = pipeline(1, 3);
  std::get<PipelineTrainer>(spec.trainer).steps[1].phases = 2;
  given.submit(spec);
  const auto prepare = given.offer(worker);
  EXPECT_EQ(prepare->budget, spec.budget);
  given.end(prepare->lease);
  const auto train = given.offer(worker);
  EXPECT_EQ(train->budget, (BudgetSpec{"steps", 20, 2}));
  given.report(train->lease, 0, Score::of(1));
  given.end(train->lease, EndReason::requeue_requested, 85);
  given.rest();
  const auto again = given.offer(worker);
  EXPECT_EQ(again->budget, (BudgetSpec{"steps", 20, 2}));
  EXPECT_EQ(again->next_phase, 1);
  given.report(again->lease, 1, Score::of(2));
  given.when(Report{again->lease, {2, 30, Score::of(3)}});
  EXPECT_EQ(given.error->at, "/phase");
}

TEST(Steps, a_run_whose_steps_report_nothing_fails) {
  GivenSteps given;
  const auto worker = given.join_with(4, 1);
  given.submit(pipeline());
  given.end(given.offer(worker)->lease);
  given.end(given.offer(worker)->lease);
  const auto last = given.offer(worker);
  given.end(last->lease);
  EXPECT_EQ(given.run(last->attempt.run).reason, EndReason::no_report);
}

TEST(Steps, a_diverged_report_ends_the_pipeline_also_at_the_last_phase) {
  GivenSteps given;
  const auto worker = given.join_with(4, 1);
  given.submit(pipeline(1, 1));
  const auto prepare = given.offer(worker);
  EXPECT_EQ(given.report(prepare->lease, 0, Score::diverged()).reason, VerdictReason::diverged);
  EXPECT_EQ(given.run(prepare->attempt.run).state, RunState::stopped);
  EXPECT_FALSE(given.offer(worker));
}

TEST(Steps, retries_are_of_a_step_and_of_every_failure) {
  GivenSteps given;
  const auto worker = given.join_with(4, 1);
  SweepSpec spec = pipeline();
  std::get<PipelineTrainer>(spec.trainer).steps[1].retries = 2;
  given.submit(spec);
  given.end(given.offer(worker)->lease);
  RunId run;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const auto train = given.offer(worker);
    ASSERT_TRUE(train);
    EXPECT_EQ(train->step->index, 1) << "the finished step is not repeated";
    run = train->attempt.run;
    given.end(train->lease, EndReason::exit_code, 1);
    given.rest();
  }
  EXPECT_EQ(given.run(run).state, RunState::failed);
  EXPECT_EQ(given.run(run).reason, EndReason::retries_exhausted);
}

TEST(Steps, the_losses_of_one_step_do_not_count_for_the_next) {
  GivenSteps given;
  const auto worker = given.join_with(4, 1);
  SweepSpec spec = pipeline();
  spec.limits.max_retries = 1;
  given.submit(spec);
  given.end(given.offer(worker)->lease, EndReason::signal, 9);
  given.rest();
  given.end(given.offer(worker)->lease);
  given.end(given.offer(worker)->lease, EndReason::signal, 9);
  given.rest();
  EXPECT_EQ(given.offer(worker)->step->index, 1);
}

TEST(Steps, a_checkpoint_is_of_its_step) {
  GivenSteps given;
  const auto worker = given.join_with(4, 1);
  given.submit(pipeline());
  const auto prepare = given.offer(worker);
  given.when(SaveModel{prepare->lease, {digest_a, 12, 5, 0}});
  given.end(prepare->lease, EndReason::requeue_requested, 85);
  given.rest();
  const auto resumed = given.offer(worker);
  ASSERT_TRUE(resumed->resume);
  given.end(resumed->lease);
  const auto train = given.offer(worker);
  EXPECT_FALSE(train->resume) << "train starts from its own start";
  given.when(SaveModel{train->lease, {digest_b, 12, 1, 0}});  // prepare had saved at step 5
  given.end(train->lease, EndReason::requeue_requested, 85);
  given.rest();
  const auto again = given.offer(worker);
  ASSERT_TRUE(again->resume);
  EXPECT_EQ(again->resume->sha256, digest_b);
}

TEST(Steps, a_waiting_step_keeps_its_worker_from_new_trials) {
  GivenSteps given;
  const auto small = given.join_with(1, 0), large = given.join_with(2, 1);
  given.submit(pipeline(9));
  const auto first = given.offer(large, 2, 1), second = given.offer(large, 1, 1);
  given.end(first->lease);
  EXPECT_FALSE(given.offer(large, 1, 1)) << "train needs both slots, one is in use";
  EXPECT_EQ(given.offer(small, 1, 0)->step->index, 0) << "which could never run train";
  given.end(second->lease);
  EXPECT_EQ(given.offer(large, 2, 1)->step->index, 1);
}

TEST(Steps, an_older_worker_gets_no_step) {
  GivenSteps given;
  const auto worker = given.join_with(4, 1);
  given.submit(pipeline());
  EXPECT_FALSE(given.offer(worker, 4, 1, false));
  EXPECT_TRUE(given.offer(worker, 4, 1, true));
}

TEST(Steps, a_cancel_ends_runs_between_two_steps) {
  GivenSteps given;
  const auto worker = given.join_with(4, 1);
  const auto sweep = given.submit(pipeline());
  const auto prepare = given.offer(worker);
  given.end(prepare->lease);
  given.when(Steer{sweep, {Verb::cancel}});
  EXPECT_EQ(given.run(prepare->attempt.run).state, RunState::canceled);
  EXPECT_EQ(given.sweep(sweep).state, SweepState::canceled);
}

TEST(Steps, a_repeated_end_changes_nothing) {
  GivenSteps given;
  const auto worker = given.join_with(4, 1);
  given.submit(pipeline());
  const auto prepare = given.offer(worker);
  given.end(prepare->lease);
  EXPECT_TRUE(given.end(prepare->lease).empty());
  EXPECT_EQ(given.run(prepare->attempt.run).step, 1);
}

TEST(Steps, an_imported_past_finishes_steps_in_order) {
  GivenSteps given;
  const auto worker = given.join_with(4, 1);
  given.submit(pipeline());
  const auto prepare = given.offer(worker);
  const RunId run = prepare->attempt.run;
  EXPECT_TRUE(fits(given.book, StepFinished{prepare->lease, run, 0, {}}));
  EXPECT_FALSE(fits(given.book, StepFinished{prepare->lease, run, 1, {}}));
  EXPECT_FALSE(fits(given.book, StepFinished{LeaseId{7}, run, 0, {}}));
  given.end(prepare->lease);
  const LeaseGranted granted{LeaseId{2}, {run, 2}, worker, "r", std::nullopt, {}, 0};
  EXPECT_FALSE(fits(given.book, granted)) << "the first step is over";
}

TEST(Steps, a_lease_holds_the_slots_and_memory_of_its_step) {
  constexpr std::int64_t memory = 4LL << 30;
  GivenSteps given;
  given.join_with(4, 1);
  const Command join = Join{{"here", "host", 1, 4, 1, "test", {}, memory, {"zone=a"}}};
  given.when(join);
  const auto here = std::get<JoinReply>(answer(given.book, join)).worker;
  SweepSpec spec = pipeline();
  std::get<PipelineTrainer>(spec.trainer).steps[1].resources =
      ResourcesSpec{2, 1, memory, {"zone=a"}};
  const auto id = given.submit(spec);
  const auto prepare = given.offer(WorkerId{1});
  EXPECT_EQ(given.sweep(id).service.held, 1);
  given.end(prepare->lease);
  EXPECT_FALSE(given.offer(WorkerId{1})) << "neither memory nor label";
  const auto train = given.offer(here);
  EXPECT_EQ(train->resources.memory, memory);
  EXPECT_EQ(given.sweep(id).service.held, 2);
  EXPECT_EQ(given.book.workers.at(here).leased, (ResourcesSpec{2, 1, memory, {}}));
  given.end(train->lease);
  EXPECT_EQ(given.sweep(id).service.held, 0);
  EXPECT_EQ(given.book.workers.at(here).leased, (ResourcesSpec{0, 0}));
}

TEST(Steps, slots_max_holds_for_each_step) {
  GivenSteps given;
  const auto worker = given.join_with(8, 4);
  SweepSpec spec = pipeline(5);
  spec.slots = {0, 2};
  given.submit(spec);
  const auto first = given.offer(worker, 8, 4), second = given.offer(worker, 8, 4);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(given.offer(worker, 8, 4));
  given.end(first->lease);
  EXPECT_FALSE(given.offer(worker, 8, 4)) << "a train step needs two slots, and goes first";
  given.end(second->lease);
  const auto train = given.offer(worker, 8, 4);
  ASSERT_TRUE(train);
  EXPECT_EQ(train->step->index, 1);
  EXPECT_FALSE(given.offer(worker, 8, 4));
  EXPECT_TRUE(resources_wanted(given.book).empty());
  given.end(train->lease);
  EXPECT_FALSE(resources_wanted(given.book).empty());
  EXPECT_TRUE(given.offer(worker, 8, 4));
}

// Its process ends by itself then: to start it again would cost more than it frees.
TEST(Steps, a_run_keeps_its_slots_after_the_last_phase_of_its_step) {
  for (const std::optional<int> phases : {std::optional<int>(), std::optional(1)}) {
    GivenSteps given;
    const auto worker = given.join_with(1, 0);
    SweepSpec spec = pipeline();
    auto& steps = std::get<PipelineTrainer>(spec.trainer).steps;
    steps[0].phases = phases;
    steps[1].resources.reset();
    given.submit(spec);
    const auto lease = given.offer(worker, 1, 0)->lease;
    given.submit(small_spec(1), "other");
    given.now = given.now + seconds(5);
    given.when(SaveModel{lease, {digest_a, 1, 10, 0}});
    const Verdict verdict = given.report(lease, 0, Score::of(1));
    EXPECT_EQ(verdict.reason, phases ? VerdictReason::no_rule : VerdictReason::yields);
  }
}

}  // namespace
}  // namespace hone
