// A run's life: leases, reports, verdicts, ends.
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

TEST(Submit, is_recorded_once_whatever_the_number_of_requests) {
  Given given;
  const Command command = Submit{{"r1", small_spec(), {}}};
  expect_kinds<WorkflowRecorded, SweepSubmitted>(given.when(command));
  EXPECT_TRUE(given.when(command).empty());
  EXPECT_EQ(std::get<Submitted>(answer(given.book, command)).sweep, SweepId{1});
}

TEST(Submit, records_an_equal_workflow_once) {
  Given given;
  given.submit(small_spec(), "a");
  expect_kinds<SweepSubmitted>(given.when(Submit{{"b", small_spec(), {}}}));
}

TEST(Acquire, proposes_and_leases_in_one_decision) {
  Given given;
  given.submit(small_spec());
  const WorkerId worker = given.join();
  const auto events = given.when(Acquire{{"a1", worker, 1, 0, {}}});
  expect_kinds<TrialProposed, LeaseGranted>(events);
  EXPECT_EQ(given.run({TrialId{1}, 0}).state, RunState::leased);
}

TEST(Acquire, the_same_request_gets_the_same_lease) {
  Given given;
  given.submit(small_spec());
  const WorkerId worker = given.join();
  const auto first = given.acquire(worker, "a1");
  EXPECT_TRUE(given.when(Acquire{{"a1", worker, 1, 0, {}}}).empty());
  EXPECT_EQ(given.acquire(worker, "a1")->lease, first->lease);
  EXPECT_NE(given.acquire(worker, "a2")->lease, first->lease);
}

TEST(Acquire, serves_sweeps_fairly_and_resources_that_fit) {
  Given given;
  auto greedy = small_spec();
  greedy.resources = {2, 0};
  const SweepId big = given.submit(greedy, "big");
  const SweepId one = given.submit(small_spec(), "one");
  const SweepId two = given.submit(small_spec(), "two");
  const WorkerId worker = given.join();
  EXPECT_EQ(given.acquire(worker, "a1")->sweep, one);  // `big` needs two cpus
  EXPECT_EQ(given.acquire(worker, "a2")->sweep, two);
  EXPECT_EQ(given.acquire(worker, "a3")->sweep, one);
  EXPECT_TRUE(given.sweep(big).trials.empty());
}

TEST(Acquire, refuses_a_worker_that_never_joined) {
  Given given;
  given.acquire(WorkerId{9}, "a1");
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->code, Code::not_found);
}

TEST(Report, runs_to_the_end_of_its_budget_and_ends_the_sweep) {
  Given given;
  const SweepId sweep = given.submit(small_spec(1, 2));
  const auto grant = given.acquire(given.join(), "a1");
  EXPECT_EQ(given.report(grant->lease, 0, Score::of(1)).action, Action::go_on);
  const auto events = given.when(Report{grant->lease, {1, 20, Score::of(2)}});
  expect_kinds<ReportRecorded, VerdictGiven, RunEnded, SweepEnded>(events);
  EXPECT_EQ(given.run(grant->attempt.run).state, RunState::completed);
  EXPECT_EQ(given.sweep(sweep).state, SweepState::completed);
}

TEST(Report, repeated_is_answered_with_the_recorded_verdict_even_after_the_end) {
  Given given;
  given.submit(small_spec(1, 1));
  const auto grant = given.acquire(given.join(), "a1");
  const Verdict first = given.report(grant->lease, 0, Score::of(1));
  EXPECT_TRUE(given.when(Report{grant->lease, {0, 10, Score::of(99)}}).empty());
  EXPECT_EQ(given.report(grant->lease, 0, Score::of(99)), first);
  EXPECT_EQ(given.run(grant->attempt.run).reports[0].score, Score::of(1));
}

TEST(Report, of_a_phase_ahead_or_beyond_or_with_a_step_backwards_is_refused) {
  Given given;
  given.submit(small_spec(1, 3));
  const auto grant = given.acquire(given.join(), "a1");
  given.when(Report{grant->lease, {1, 10, Score::of(1)}});
  EXPECT_EQ(given.error->code, Code::conflict);
  given.when(Report{grant->lease, {3, 10, Score::of(1)}});
  EXPECT_EQ(given.error->at, "/phase");
  given.when(Report{grant->lease, {-1, 10, Score::of(1)}});
  EXPECT_EQ(given.error->at, "/phase");
  given.report(grant->lease, 0, Score::of(1));
  given.when(Report{grant->lease, {1, 5, Score::of(1)}});
  EXPECT_EQ(given.error->at, "/step");
}

TEST(Report, that_diverged_ends_the_run_as_a_result) {
  Given given;
  given.submit(small_spec(2, 3));
  const auto grant = given.acquire(given.join(), "a1");
  EXPECT_EQ(given.report(grant->lease, 0, Score::diverged()).reason, VerdictReason::diverged);
  EXPECT_EQ(given.run(grant->attempt.run).state, RunState::stopped);
  EXPECT_EQ(given.run(grant->attempt.run).reason, EndReason::diverged);
}

TEST(Report, of_a_lease_that_expired_is_stale) {
  Given given;
  given.submit(small_spec());
  const WorkerId worker = given.join();
  const auto lost = given.acquire(worker, "a1");
  given.report(lost->lease, 0, Score::of(1));
  given.now = given.now + seconds(16);
  expect_kinds<RunReturned>(given.tick());
  given.when(Report{lost->lease, {1, 20, Score::of(2)}});
  EXPECT_EQ(given.error->code, Code::stale_lease);
  given.rest();
  const auto again = given.acquire(worker, "a2");
  EXPECT_EQ(again->attempt, (AttemptId{lost->attempt.run, 2}));  // returned runs come first
  EXPECT_EQ(again->next_phase, 1);
  given.when(Report{lost->lease, {1, 20, Score::of(2)}});
  EXPECT_EQ(given.error->code, Code::stale_lease);
  given.report(again->lease, 1, Score::of(3));
  EXPECT_EQ(given.run(again->attempt.run).reports.size(), 2U);
}

TEST(Beat, keeps_a_lease_alive_and_writes_only_renewals_that_matter) {
  Given given;
  given.submit(small_spec());
  const WorkerId worker = given.join();
  const auto grant = given.acquire(worker, "a1");
  expect_kinds<RunStarted>(given.when(Beat{worker, {{grant->lease}}}));
  given.now = given.now + seconds(3);
  EXPECT_TRUE(given.when(Beat{worker, {{grant->lease}}}).empty());
  given.now = given.now + seconds(5);
  expect_kinds<LeaseRenewed>(given.when(Beat{worker, {{grant->lease}}}));
  given.now = given.now + seconds(14);
  EXPECT_TRUE(given.tick().empty());
}

TEST(Beat, tells_a_stranger_that_the_lease_is_gone) {
  Given given;
  given.submit(small_spec());
  const auto grant = given.acquire(given.join("a"), "a1");
  const Command beat = Beat{given.join("b"), {{grant->lease, LeaseId{77}}}};
  EXPECT_TRUE(given.when(beat).empty());
  const auto reply = std::get<BeatReply>(answer(given.book, beat));
  EXPECT_EQ(reply.leases[0].order, Order::gone);
  EXPECT_EQ(reply.leases[1].order, Order::gone);
}

TEST(Restart, extends_live_leases_because_workers_kept_training) {
  Given given;
  given.submit(small_spec());
  given.acquire(given.join(), "a1");
  given.now = given.now + seconds(600);
  given.when(Start{"test", seconds(15)});
  EXPECT_TRUE(given.tick().empty());
  given.now = given.now + seconds(16);
  expect_kinds<RunReturned>(given.tick());
}

TEST(End, process_failures_fail_the_run_and_lost_processes_give_it_back) {
  struct Case {
    EndReason reason;
    RunState state;
    EndReason recorded;
  };
  for (const Case& c : {Case{EndReason::exit_code, RunState::failed, EndReason::exit_code},
                        Case{EndReason::cannot_start, RunState::failed, EndReason::cannot_start},
                        Case{EndReason::infeasible, RunState::failed, EndReason::infeasible},
                        Case{EndReason::no_report, RunState::failed, EndReason::no_report},
                        Case{EndReason::signal, RunState::queued, EndReason::none},
                        Case{EndReason::requeue_requested, RunState::queued, EndReason::none}}) {
    Given given;
    given.submit(small_spec());
    const auto grant = given.acquire(given.join(), "a1");
    given.when(End{grant->lease, {c.reason, 1, "detail", "tail"}});
    EXPECT_EQ(given.run(grant->attempt.run).state, c.state) << static_cast<int>(c.reason);
    EXPECT_EQ(given.run(grant->attempt.run).reason, c.recorded);
    EXPECT_TRUE(given.when(End{grant->lease, {c.reason, 1, "", ""}})
                    .empty());  // again: nothing more happens
    EXPECT_FALSE(given.error);
  }
}

TEST(End, early_with_a_report_completes_the_run) {
  Given given;
  given.submit(small_spec());
  const auto grant = given.acquire(given.join(), "a1");
  given.report(grant->lease, 0, Score::of(1));
  given.when(End{grant->lease, {EndReason::exited_early, 0, "", ""}});
  EXPECT_EQ(given.run(grant->attempt.run).state, RunState::completed);
  EXPECT_EQ(given.run(grant->attempt.run).reason, EndReason::exited_early);
}

TEST(End, retries_are_capped) {
  Given given;
  auto spec = small_spec(1);
  spec.limits.max_retries = 2;
  const SweepId sweep = given.submit(spec);
  const WorkerId worker = given.join();
  for (int attempt = 1; attempt <= 3; ++attempt) {
    const auto grant = given.acquire(worker, "a" + std::to_string(attempt));
    ASSERT_TRUE(grant) << attempt;
    given.when(End{grant->lease, {EndReason::signal, 9, "", ""}});
    given.rest();
  }
  EXPECT_EQ(given.run({TrialId{1}, 0}).reason, EndReason::retries_exhausted);
  EXPECT_EQ(given.sweep(sweep).state, SweepState::failed);  // no run ever reported
}

TEST(End, asking_to_be_requeued_uses_up_no_retries) {
  Given given;
  auto spec = small_spec(1);
  spec.limits.max_retries = 0;
  given.submit(spec);
  const WorkerId worker = given.join();
  for (int attempt = 1; attempt <= 5; ++attempt) {
    const auto grant = given.acquire(worker, "a" + std::to_string(attempt));
    ASSERT_TRUE(grant) << attempt;
    given.when(End{grant->lease, {EndReason::requeue_requested, 85, "", ""}});
    given.rest();
  }
  EXPECT_EQ(given.run({TrialId{1}, 0}).state, RunState::queued);
}

TEST(Models, a_lost_run_continues_from_its_latest_checkpoint_with_its_parent_recorded) {
  Given given;
  given.submit(small_spec());
  const WorkerId worker = given.join();
  const auto first = given.acquire(worker, "a1");
  const Command save = SaveModel{first->lease, {"aa", 100, 10, 0}};
  given.when(save);
  EXPECT_TRUE(given.when(save).empty());  // the same bytes at the same step: the same model
  EXPECT_EQ(std::get<SaveModelReply>(answer(given.book, save)).model, ModelId{1});
  given.report(first->lease, 0, Score::of(1));
  given.when(End{first->lease, {EndReason::signal, 9, "", ""}});
  given.rest();
  const auto second = given.acquire(worker, "a2");
  ASSERT_TRUE(second->resume);
  EXPECT_EQ(second->resume->id, ModelId{1});
  const auto events = given.when(SaveModel{second->lease, {"bb", 100, 20, 1}});
  EXPECT_EQ(std::get<ModelSaved>(events.at(0)).parent, ModelId{1});
}

TEST(Models, the_last_checkpoint_of_an_ended_run_is_still_taken_but_not_of_a_lost_lease) {
  Given given;
  given.submit(small_spec(2, 1));
  const WorkerId worker = given.join();
  const auto done = given.acquire(worker, "a1");
  given.report(done->lease, 0, Score::of(1));
  expect_kinds<ModelSaved>(given.when(SaveModel{done->lease, {"aa", 1, 10, 0}}));
  const auto lost = given.acquire(worker, "a2");
  given.now = given.now + seconds(16);
  given.tick();
  given.when(SaveModel{lost->lease, {"bb", 1, 10, 0}});
  EXPECT_EQ(given.error->code, Code::stale_lease);
}

TEST(Artifacts, are_kept_once_by_name_until_there_are_many_also_of_a_run_that_has_ended) {
  Given given;
  given.submit(small_spec(2, 1));
  const auto grant = given.acquire(given.join(), "a1");
  given.report(grant->lease, 0, Score::of(1));
  const auto keep = [&](const std::string& name, const std::string& digest) {
    return given.when(SaveArtifact{grant->lease, {name, digest, 10}});
  };
  expect_kinds<ArtifactSaved>(keep("loss.png", "aa"));
  EXPECT_TRUE(keep("loss.png", "aa").empty());
  expect_kinds<ArtifactSaved>(keep("loss.png", "bb"));
  for (int i = 1; i < 100; ++i) keep("file" + std::to_string(i), "aa");
  keep("one too many", "aa");
  EXPECT_EQ(given.error->code, Code::conflict);
  expect_kinds<ArtifactSaved>(keep("loss.png", "cc"));
  given.when(SaveArtifact{LeaseId{99}, {"x", "aa", 1}});
  EXPECT_EQ(given.error->code, Code::stale_epoch);
}

TEST(Checkpoints, name_the_one_before_them_across_attempts) {
  Given given;
  given.submit(small_spec(1));
  const WorkerId worker = given.join();
  const auto first = given.acquire(worker, "a1");
  const auto parent_of = [&](LeaseId lease, const std::string& digest, std::int64_t step) {
    const auto events = given.when(SaveModel{lease, {digest, 1, step, 0}});
    return std::get<ModelSaved>(events.at(0)).parent;
  };
  EXPECT_EQ(parent_of(first->lease, "aa", 10), std::nullopt);
  given.report(first->lease, 0, Score::of(1));
  EXPECT_EQ(parent_of(first->lease, "bb", 20), ModelId{1});
  given.report(first->lease, 1, Score::of(2));
  given.when(End{first->lease, {EndReason::requeue_requested, 85, "", ""}});
  const auto second = given.acquire(worker, "a2");
  EXPECT_EQ(parent_of(second->lease, "cc", 30), ModelId{2}) << "that it continued from";
  EXPECT_EQ(parent_of(second->lease, "dd", 40), ModelId{3});
}

TEST(Code, is_recorded_once_for_each_attempt_and_shared_by_content) {
  Given given;
  given.submit(small_spec(3));
  const WorkerId worker = given.join();
  WorkflowInfo code;
  code.git_commit = "c0ffee";
  const auto record = [&](LeaseId lease) { return given.when(RecordCode{lease, {code}}); };
  const auto first = given.acquire(worker, "a1");
  expect_kinds<WorkflowRecorded, CodeRecorded>(record(first->lease));
  EXPECT_TRUE(record(first->lease).empty()) << "a repeated request";
  const auto second = given.acquire(worker, "a2");
  const auto same = record(second->lease);
  expect_kinds<CodeRecorded>(same);
  EXPECT_EQ(std::get<CodeRecorded>(same[0]).workflow, WorkflowId{2});
  code.git_commit = "decade";
  expect_kinds<WorkflowRecorded, CodeRecorded>(record(given.acquire(worker, "a3")->lease));
  given.when(End{second->lease, {EndReason::requeue_requested, 85, "", ""}});
  record(second->lease);
  EXPECT_EQ(given.error->code, Code::stale_lease);
  record(LeaseId{9});
  EXPECT_EQ(given.error->code, Code::stale_epoch) << "a lease that was never granted here";
}

// Which code a program had read was taken to be certain when it changed in the run's first second.
TEST(Code, that_changed_while_the_run_trained_is_recorded_at_its_end) {
  Given given;
  SweepSpec spec = small_spec(1);
  spec.budget.phases = 1;
  given.submit(spec);
  const auto lease = given.acquire(given.join(), "a1")->lease;
  WorkflowInfo code;
  code.git_commit = "c0ffee";
  given.when(RecordCode{lease, {code}});
  code.git_commit = "decade";
  expect_kinds<WorkflowRecorded, CodeRecorded>(given.when(RecordCode{lease, {code}}));
  EXPECT_TRUE(given.when(RecordCode{lease, {code}}).empty()) << "a repeated request";
  given.report(lease, 0, Score::of(1));
  code.git_commit = "facade";
  const auto closed = given.when(RecordCode{lease, {code}});
  expect_kinds<WorkflowRecorded, CodeRecorded>(closed);
  EXPECT_EQ(std::get<CodeRecorded>(closed[1]).lease, lease) << "a verdict had closed it";
}

TEST(Evaluations, belong_to_a_model_that_exists) {
  Given given;
  given.submit(small_spec(1));
  const auto grant = given.acquire(given.join(), "a1");
  given.when(SaveModel{grant->lease, {"aa", 1, 10, 0}});
  const Evaluate evaluate{ModelId{1}, {"request", {"return", {3, 5}}}};
  expect_kinds<ModelEvaluated>(given.when(evaluate));
  EXPECT_TRUE(given.when(evaluate).empty()) << "a repeated request";
  EXPECT_EQ(std::get<EvaluateReply>(answer(given.book, evaluate)).evaluation, EvaluationId{1});
  given.when(Evaluate{ModelId{2}, {"other", {"return", {3}}}});
  EXPECT_EQ(given.error->code, Code::not_found);
}

TEST(Replicates, are_runs_of_one_trial_that_differ_by_seed_alone) {
  Given given;
  auto spec = small_spec(2);
  spec.seeds = 2;
  given.submit(spec);
  const WorkerId worker = given.join();
  const auto a = given.acquire(worker, "a1");
  const auto b = given.acquire(worker, "a2");
  EXPECT_EQ(a->attempt.run, (RunId{TrialId{1}, 0}));
  EXPECT_EQ(b->attempt.run, (RunId{TrialId{1}, 1}));
  EXPECT_EQ(a->params, b->params);
  EXPECT_NE(a->seed, b->seed);
  EXPECT_LT(a->seed, 1ULL << 53);
}

// Which worker asks, in which order, with which interruptions, must not change what is proposed.
TEST(Proposals, are_the_same_for_every_number_of_workers) {
  const auto proposals = [](int workers) {
    Given given;
    const SweepId sweep = given.submit(small_spec(32));
    std::vector<WorkerId> joined;
    for (int i = 0; i < workers; ++i) joined.push_back(given.join("join-" + std::to_string(i)));
    std::vector<std::vector<LeaseGrant>> held(joined.size());
    for (int round = 0; given.sweep(sweep).state == SweepState::running; ++round) {
      const auto w = static_cast<std::size_t>(round) % joined.size();
      const auto grant = given.acquire(joined[w], "a" + std::to_string(round));
      if (!grant) continue;
      if (round % 7 == 3)
        given.when(End{grant->lease, {EndReason::requeue_requested, 85, "", ""}});
      else
        for (int phase = grant->next_phase; phase < 3; ++phase)
          given.report(grant->lease, phase, Score::of(round));
    }
    std::vector<Params> params;
    for (const TrialId id : given.sweep(sweep).trials)
      params.push_back(find_trial(given.book, id)->params);
    return params;
  };
  const auto one = proposals(1);
  EXPECT_EQ(one.size(), 32U);
  EXPECT_EQ(one, proposals(2));
  EXPECT_EQ(one, proposals(8));
}

}  // namespace
}  // namespace hone
