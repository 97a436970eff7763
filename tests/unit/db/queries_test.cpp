// Each read of the API except lineage, over a small history.
#include <algorithm>

#include "db/queries/replicates.hpp"
#include "tests/unit/db/queries_given.hpp"

namespace hone {
namespace {

template <class T>
void expect_bad_cursor(const Result<T>& result) {
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, Code::invalid);
  EXPECT_EQ(result.error().at, "/after");
}

TEST_F(Queries, ASweepCarriesItsCountersAndItsBest) {
  const auto sweep = find_sweep(*db, {1});
  ASSERT_TRUE(sweep.ok());
  EXPECT_EQ(sweep->name, "first");
  EXPECT_EQ(sweep->project, "demo");
  EXPECT_EQ(sweep->state, SweepState::running);
  EXPECT_EQ(sweep->submitted_at, Instant{1'700'000'002'000'000});
  EXPECT_EQ(sweep->objective, (Objective{"return", Goal::maximize}));
  EXPECT_EQ(sweep->trials_total, 5);
  EXPECT_EQ(sweep->trials_proposed, 3);
  EXPECT_EQ(sweep->seeds, 2);
  EXPECT_EQ(sweep->phases_per_run, 3);
  EXPECT_EQ(sweep->phases_done, 4);
  RunCounts counts;
  counts.running = 1;
  counts.leased = 2;
  counts.queued = 1;
  counts.failed = 1;
  counts.stopped = 1;
  EXPECT_EQ(sweep->runs, counts);
  EXPECT_EQ(sweep->dataset, DatasetId{1});
  EXPECT_NE(sweep->spec.find("\"CartPole-v1\""), std::string::npos);
  ASSERT_TRUE(sweep->best.has_value());
  EXPECT_EQ(sweep->best->trial, TrialId{1});
  EXPECT_EQ(sweep->best->run, run_a);
  EXPECT_EQ(sweep->best->value, Score::diverged()) << "one of its seeds failed";
  EXPECT_EQ(sweep->best->report, Score::of(40));
  EXPECT_EQ(sweep->best->phase, 1);
  EXPECT_EQ(sweep->best->step, 20);
  expect_not_found(find_sweep(*db, {9}));
}

TEST_F(Queries, SweepsAreListedNewestFirstPageByPage) {
  submit("second", small_spec());
  submit("third", small_spec());
  const auto first = list_sweeps(*db, {2, ""});
  ASSERT_TRUE(first.ok());
  ASSERT_EQ(first->items.size(), 2U);
  EXPECT_EQ(first->items[0].id, SweepId{3});
  EXPECT_FALSE(first->items[0].best.has_value());
  EXPECT_FALSE(first->items[0].dataset.has_value());
  const auto second = list_sweeps(*db, {2, first->next.value()});
  ASSERT_TRUE(second.ok());
  ASSERT_EQ(second->items.size(), 1U);
  EXPECT_EQ(second->items[0].id, SweepId{1});
  EXPECT_FALSE(second->next.has_value());
  expect_bad_cursor(list_sweeps(*db, {2, "1x"}));
}

TEST_F(Queries, TrialsCarryTheirValueAndTheStateOfTheRunThatMatters) {
  const auto trials = list_trials(*db, {1}, TrialSort::number, {});
  ASSERT_TRUE(trials.ok());
  ASSERT_EQ(trials->items.size(), 3U);
  const auto& one = trials->items[0];
  EXPECT_EQ(one.value, Score::diverged()) << "one of its seeds failed";
  EXPECT_EQ(one.best_report, Score::of(40));
  EXPECT_EQ(one.state, RunState::running);
  EXPECT_EQ(one.phase, 2);
  EXPECT_EQ(one.runs, 2);
  EXPECT_EQ(one.params.find("{\"learning_rate\":0.0"), 0U) << one.params;
  EXPECT_FALSE(trials->items[1].value) << "its other seed has not reported yet";
  EXPECT_EQ(trials->items[1].state, RunState::leased);
  EXPECT_FALSE(trials->items[2].value.has_value());
  expect_not_found(list_trials(*db, {9}, TrialSort::number, {}));
  expect_not_found(find_trial(*db, {9}));
  expect_bad_cursor(list_trials(*db, {1}, TrialSort::value, {10, "3"}));
  expect_bad_cursor(list_trials(*db, {1}, TrialSort::number, {10, "1/2"}));
}

TEST_F(Queries, TrialsAreRankedBestThenDivergedThenWithoutReport) {
  const auto first = list_trials(*db, {1}, TrialSort::value, {2, ""});
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->items.at(0).id, TrialId{1});
  EXPECT_EQ(first->items.at(1).id, TrialId{2});
  const auto second = list_trials(*db, {1}, TrialSort::value, {2, first->next.value()});
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->items.at(0).id, TrialId{3});
  EXPECT_FALSE(second->next.has_value());
}

TEST_F(Queries, TheBestNameTheCheckpointOfTheirBestPhase) {
  const auto best = best_of_trial(*db, {1}, Goal::maximize);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->run, run_a);
  EXPECT_EQ(best->phase, 1);
  EXPECT_EQ(best->model, ModelId{3}) << "the latest of that phase";
}

TEST_F(Queries, TrialsWithAFailedOrDivergedSeedHaveNoRank) {
  const auto best = best_trials(*db, {1}, 10);
  ASSERT_TRUE(best.ok());
  EXPECT_TRUE(best->empty());
  expect_not_found(best_trials(*db, {9}, 1));
}

// A run that reported 500 and ended at 266 is worth 266, however good it was for a moment.
TEST_F(Queries, ATrialIsNotRankedByItsBestReport) {
  auto spec = small_spec(3, 3);
  spec.objective.goal = Goal::maximize;
  fed.must<Steered>(Steer{{1}, {Verb::pause}}, now);
  const auto sweep = submit("collapse", spec);
  const LeaseId collapsed = grant("c1"), steady = grant("c2"), brief = grant("c3");
  for (const auto& [phase, value] : {std::pair{0, 490.0}, {1, 500.0}, {2, 266.0}})
    report(collapsed, phase, Score::of(value));
  for (int phase = 0; phase < 3; ++phase) report(steady, phase, Score::of(300));
  report(brief, 0, Score::of(499));  // less than half as long: not comparable
  const auto best = best_trials(*db, sweep, 10);
  ASSERT_TRUE(best.ok());
  ASSERT_EQ(best->size(), 3U);
  EXPECT_EQ(best->at(0).trial.value, Score::of(300));
  EXPECT_EQ(best->at(1).trial.value, Score::of(266));
  EXPECT_EQ(best->at(1).trial.best_report, Score::of(500));
  EXPECT_EQ(best->at(2).trial.value, Score::of(499));
  EXPECT_EQ(find_sweep(*db, sweep)->best->trial, best->at(0).trial.id);
}

TEST_F(Queries, AFailedTrialDoesNotLead) {
  auto spec = small_spec(2, 2);
  spec.objective.goal = Goal::maximize;
  fed.must<Steered>(Steer{{1}, {Verb::pause}}, now);
  const auto sweep = submit("failing", spec);
  const LeaseId failing = grant("f1"), sound = grant("f2");
  report(failing, 0, Score::of(900));
  fed.must(End{failing, {EndReason::exit_code, 1, "it failed", ""}}, now);
  report(sound, 0, Score::of(1));
  const auto all = list_trials(*db, sweep, TrialSort::value, {10, ""});
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->items.at(0).value, Score::of(1));
  EXPECT_EQ(all->items.at(1).value, Score::of(900));
  EXPECT_TRUE(all->items.at(1).failed);
  EXPECT_EQ(best_trials(*db, sweep, 10)->size(), 1U);
  EXPECT_EQ(find_sweep(*db, sweep)->best->value, Score::of(1));
}

TEST_F(Queries, ForMinimizedObjectivesSmallerIsBetter) {
  auto spec = small_spec(2, 2);
  spec.objective.goal = Goal::minimize;
  fed.must<Steered>(Steer{{1}, {Verb::pause}}, now);
  const auto sweep = submit("minimize", spec);
  const LeaseId worse = grant("m1");
  const LeaseId better = grant("m2");
  report(worse, 0, Score::of(-5));
  report(better, 0, Score::of(-9));
  report(better, 1, Score::of(-7));
  const auto best = best_trials(*db, sweep, 10);
  ASSERT_TRUE(best.ok());
  EXPECT_EQ(best->at(0).trial.number, 1);
  EXPECT_EQ(best->at(0).trial.value, Score::of(-7));
  EXPECT_EQ(best->at(0).phase, 0);
  EXPECT_EQ(find_run(*db, best->at(0).run)->value, Score::of(-7));
  EXPECT_EQ(find_run(*db, best->at(0).run)->best, Score::of(-9));
}

TEST_F(Queries, ARunTellsWhereItStands) {
  const auto a = find_run(*db, run_a);
  ASSERT_TRUE(a.ok());
  EXPECT_EQ(a->sweep, SweepId{1});
  EXPECT_EQ(a->sweep_seed, 17U);
  EXPECT_EQ(a->trial_number, 0);
  EXPECT_EQ(a->state, RunState::running);
  EXPECT_EQ(a->reason, EndReason::none);
  EXPECT_EQ(a->attempts, 2);
  EXPECT_EQ(a->worker, WorkerId{1});
  EXPECT_EQ(a->reports, 2);
  EXPECT_EQ(a->value, Score::of(40));
  EXPECT_EQ(a->best_phase, 1);
  EXPECT_EQ(a->step, 20);
  EXPECT_TRUE(a->started_at.has_value());
  EXPECT_FALSE(a->ended_at.has_value());
  EXPECT_FALSE(a->exit_code.has_value());
  const auto b = find_run(*db, run_b);
  ASSERT_TRUE(b.ok());
  EXPECT_EQ(b->state, RunState::failed);
  EXPECT_EQ(b->reason, EndReason::exit_code);
  EXPECT_EQ(b->exit_code, 3);
  EXPECT_EQ(b->detail, "it failed");
  EXPECT_EQ(b->log_tail, "last words");
  EXPECT_TRUE(b->ended_at.has_value());
  expect_not_found(find_run(*db, {{1}, 2}));
}

TEST_F(Queries, RunsAndAttemptsAreListedInOrder) {
  const auto runs = list_runs(*db, {1}, {1, ""});
  ASSERT_TRUE(runs.ok());
  EXPECT_EQ(runs->items.at(0).id, run_a);
  const auto rest = list_runs(*db, {1}, {1, runs->next.value()});
  EXPECT_EQ(rest->items.at(0).id, run_b);
  EXPECT_FALSE(rest->next.has_value());
  const auto attempts = list_attempts(*db, run_a, {});
  ASSERT_TRUE(attempts.ok());
  ASSERT_EQ(attempts->items.size(), 2U);
  EXPECT_EQ(attempts->items[0].id, (AttemptId{run_a, 1}));
  EXPECT_EQ(attempts->items[0].host, "host-1");
  EXPECT_EQ(attempts->items[0].end_reason, EndReason::requeue_requested);
  EXPECT_EQ(attempts->items[0].detail, "please");
  EXPECT_FALSE(attempts->items[0].resume.has_value());
  EXPECT_EQ(attempts->items[1].resume, ModelId{1});
  EXPECT_FALSE(attempts->items[1].ended_at.has_value());
  EXPECT_FALSE(attempts->items[1].end_reason.has_value());
  expect_not_found(list_attempts(*db, {{1}, 7}, {}));
  expect_not_found(list_runs(*db, {9}, {}));
}

TEST_F(Queries, ACurveHasItsVerdicts) {
  const auto curve = read_curve(*db, run_a);
  ASSERT_TRUE(curve.ok());
  ASSERT_EQ(curve->size(), 2U);
  EXPECT_EQ(curve->at(0).value, Score::of(10));
  EXPECT_EQ(curve->at(1).step, 20);
  ASSERT_TRUE(curve->at(0).verdict.has_value());
  EXPECT_EQ(curve->at(0).verdict->action, Action::go_on);
  EXPECT_EQ(read_curve(*db, {{2}, 0})->at(0).verdict->reason, VerdictReason::diverged);
  expect_not_found(read_curve(*db, {{9}, 0}));
}

TEST_F(Queries, CurvesOfASweepCountTrainingTimeOverAttemptsButNotBetweenThem) {
  const auto curves = list_curves(*db, {1}, {}, 1000);
  ASSERT_TRUE(curves.ok());
  ASSERT_EQ(curves->items.size(), 6U);
  const auto& first = curves->items.at(0);
  EXPECT_EQ(first.id, run_a);
  EXPECT_EQ(first.state, RunState::running);
  ASSERT_EQ(first.curve.size(), 2U);
  EXPECT_EQ(first.curve.at(0).value, Score::of(10));
  EXPECT_EQ(first.curve.at(1).step, 20);
  // Granted at t, saved at t + 1, reported at t + 2; granted again and reported a second later.
  EXPECT_EQ(first.curve.at(0).trained, seconds(2));
  EXPECT_EQ(first.curve.at(1).trained, seconds(2) + seconds(1));
  EXPECT_TRUE(curves->items.at(2).curve.at(0).value.is_diverged());
  EXPECT_EQ(curves->items.at(2).reason, EndReason::diverged);
  EXPECT_TRUE(curves->items.at(4).curve.empty());
}

TEST_F(Queries, CurvesArePagedByRunAndByTheirPoints) {
  for (const auto& [limit, points_max] :
       std::initializer_list<std::pair<std::int64_t, std::size_t>>{{1, 1000}, {4, 1000}, {9, 2}}) {
    std::vector<RunId> seen;
    PageQuery page{limit, ""};
    int pages = 0;
    for (bool more = true; more; ++pages) {
      const auto part = list_curves(*db, {1}, page, points_max);
      ASSERT_TRUE(part.ok());
      for (const auto& row : part->items) seen.push_back(row.id);
      more = part->next.has_value();
      if (more) page.after = *part->next;
    }
    EXPECT_EQ(seen,
              (std::vector<RunId>{{{1}, 0}, {{1}, 1}, {{2}, 0}, {{2}, 1}, {{3}, 0}, {{3}, 1}}));
    EXPECT_GT(pages, 1);
  }
  expect_bad_cursor(list_curves(*db, {1}, {1, "rn_1.0"}, 1000));
  expect_not_found(list_curves(*db, {9}, {}, 1000));
}

TEST_F(Queries, MetricsArePagedByNameAndStep) {
  const LeaseId live{2};
  fed.must(LogMetrics{live, {{{"z", 1, 1}, {"a/b", 2, 2}, {"a/b", 10, 3}, {"a/b", -1, 4}}}}, now);
  std::vector<std::pair<std::string, std::int64_t>> seen;
  PageQuery page{1, ""};
  while (true) {
    const auto part = list_metrics(*db, run_a, "", page);
    ASSERT_TRUE(part.ok());
    for (const auto& row : part->items) seen.emplace_back(row.name, row.step);
    if (!part->next) break;
    page.after = *part->next;
  }
  EXPECT_EQ(seen, (std::vector<std::pair<std::string, std::int64_t>>{
                      {"a/b", -1}, {"a/b", 2}, {"a/b", 10}, {"z", 1}}));
  EXPECT_EQ(list_metrics(*db, run_a, "z", {})->items.size(), 1U);
  EXPECT_EQ(list_metrics(*db, run_a, "none", {})->items.size(), 0U);
  const auto filtered = list_metrics(*db, run_a, "a/b", {2, ""});
  EXPECT_EQ(filtered->items.at(1).step, 2);
  EXPECT_EQ(list_metrics(*db, run_a, "a/b", {2, filtered->next.value()})->items.at(0).step, 10);
  expect_bad_cursor(list_metrics(*db, run_a, "z", {2, filtered->next.value()}));
  expect_bad_cursor(list_metrics(*db, run_a, "", {1, "z"}));
  expect_not_found(list_metrics(*db, {{9}, 0}, "", {}));
}

TEST_F(Queries, ModelsAreFoundByWhatTheyBelongTo) {
  EXPECT_EQ(list_models(*db, {}, {})->items.size(), 3U);
  EXPECT_EQ(list_models(*db, SweepId{1}, {})->items.size(), 3U);
  EXPECT_EQ(list_models(*db, TrialId{2}, {})->items.size(), 0U);
  EXPECT_EQ(list_models(*db, run_a, {})->items.size(), 3U);
  EXPECT_EQ(list_models(*db, run_b, {})->items.size(), 0U);
  expect_not_found(list_models(*db, SweepId{9}, {}));
  const auto page = list_models(*db, SweepId{1}, {2, ""});
  EXPECT_EQ(list_models(*db, SweepId{1}, {2, page->next.value()})->items.at(0).id, ModelId{3});
  const auto model = find_model(*db, {2});
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model->run, run_a);
  EXPECT_EQ(model->sweep, SweepId{1});
  EXPECT_EQ(model->attempt, (AttemptId{run_a, 2}));
  EXPECT_EQ(model->sha256, std::string(64, '2'));
  EXPECT_EQ(model->bytes, 99);
  EXPECT_EQ(model->step, 20);
  EXPECT_EQ(model->value, Score::of(40));
  EXPECT_EQ(model->parent, ModelId{1});
  expect_not_found(find_model(*db, {9}));
}

TEST_F(Queries, ACheckpointFromWithinAPhaseIsNotWhatItsReportJudged) {
  const LeaseId lease{2};
  const auto within =
      fed.must<SaveModelReply>(SaveModel{lease, {std::string(64, 'a'), 99, 25, 2}}, now).model;
  const auto at_end = save(lease, 2, 'b');
  report(lease, 2, Score::of(90));
  EXPECT_FALSE(find_model(*db, within)->value.has_value());
  EXPECT_EQ(find_model(*db, at_end)->value, Score::of(90));
  EXPECT_EQ(best_of_trial(*db, {1}, Goal::maximize)->model, at_end);
}

TEST_F(Queries, AModelSavedBeforeItsReportHasNoValueYet) {
  const auto model = save({2}, 2, '9');
  EXPECT_FALSE(find_model(*db, model)->value.has_value());
}

TEST_F(Queries, WorkflowDatasetAndWorkersAreRead) {
  const auto workflow = find_workflow(*db, {1});
  ASSERT_TRUE(workflow.ok());
  EXPECT_EQ(workflow->info.command, (std::vector<std::string>{"hone", "submit", "it's.yaml"}));
  EXPECT_EQ(workflow->info.git_commit, std::string(40, 'c'));
  EXPECT_EQ(workflow->info.host, "desk");
  EXPECT_EQ(find_dataset(*db, {1})->info.name, "CartPole-v1");
  const auto worker = find_worker(*db, {1});
  ASSERT_TRUE(worker.ok());
  EXPECT_EQ(worker->pid, 4711);
  EXPECT_EQ(worker->running, 3);
  EXPECT_GT(worker->last_seen_at, worker->joined_at);
  EXPECT_EQ(list_workers(*db, {})->items.size(), 1U);
  expect_not_found(find_workflow(*db, {9}));
  expect_not_found(find_dataset(*db, {9}));
  expect_not_found(find_worker(*db, {9}));
}

TEST_F(Queries, CountsAddUp) {
  const auto counts = read_counts(*db);
  EXPECT_EQ(counts.seq, fed.seq);
  EXPECT_EQ(counts.sweeps_running, 1);
  EXPECT_EQ(counts.runs, find_sweep(*db, {1})->runs);
  EXPECT_EQ(counts.trials, 3);
  EXPECT_EQ(counts.reports, 4);
  EXPECT_EQ(counts.attempts, 6);
  EXPECT_EQ(counts.models, 3);
  EXPECT_EQ(counts.workers, 1);
}

TEST_F(Queries, ASnapshotHidesLaterCommits) {
  TemporaryFolder temporary;
  const auto writer = open_for_writing(temporary.file("hone.db"));
  const auto reader = open_for_reading(temporary.file("hone.db"));
  const auto add = [&](int seq) {
    (*writer)->exec("INSERT INTO event (seq, at, kind, body) VALUES (" + std::to_string(seq) +
                    ", 0, 'x', '{}')");
  };
  add(1);
  {
    Snapshot snapshot(**reader);
    EXPECT_EQ(last_seq(**reader), 1);
    add(2);
    Snapshot nested(**reader);
    EXPECT_EQ(last_seq(**reader), 1);
  }
  EXPECT_EQ(last_seq(**reader), 2);
}

}  // namespace
}  // namespace hone
