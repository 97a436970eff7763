// Objectives of time: the time until a run's metric first reached a bar.
#include "schemas/types/reach.hpp"

#include "server/search/terminators/terminator.hpp"
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

SweepSpec timed_spec(RunClock clock = RunClock::seconds, std::int64_t trials = 4, int phases = 3) {
  SweepSpec spec = small_spec(trials, phases);
  spec.objective = {"score", Goal::soonest, Reach{100, false, clock}};
  return spec;
}

// Reports that the attempt has trained for so many seconds.
Verdict report_after(Given& given, LeaseId lease, int phase, double score, double seconds,
                     std::optional<double> cpu_seconds = {}) {
  ReportRequest request{phase, 10 * (phase + 1), Score::of(score)};
  request.seconds = seconds;
  request.cpu_seconds = cpu_seconds;
  const Command command = Report{lease, request};
  given.when(command);
  EXPECT_FALSE(given.error) << given.error->detail;
  return std::get<ReportReply>(answer(given.book, command)).verdict;
}

const TrialOutcome& outcome(const Given& given, std::size_t trial) {
  return given.sweep(SweepId{1}).history.outcome(trial);
}

TEST(Counted, a_time_is_better_than_none_and_nearer_is_better_than_far) {
  const Objective objective{"score", Goal::soonest, Reach{100, false, RunClock::seconds}};
  const auto merit = [&](double value, double time) {
    return counted(objective, Score::of(value), time).merit(Goal::soonest);
  };
  EXPECT_GT(merit(100, 5), merit(250, 6)) << "the value beyond the bar does not count";
  EXPECT_GT(merit(100, 1e11), merit(99.999, 1));
  EXPECT_GT(merit(99, 1), merit(98, 1));
  EXPECT_GT(merit(-1e300, 1), counted(objective, Score::diverged(), 1).merit(Goal::soonest));
  EXPECT_EQ(merit(100, 12.3), -12.3);
}

TEST(Counted, a_falling_metric_reaches_its_bar_from_above) {
  const Objective objective{"loss", Goal::soonest, Reach{0.1, true, RunClock::steps}};
  EXPECT_TRUE(reaches(*objective.reach, Score::of(0.1)));
  EXPECT_FALSE(reaches(*objective.reach, Score::of(0.2)));
  EXPECT_GT(counted(objective, Score::of(0.2), 9).merit(Goal::soonest),
            counted(objective, Score::of(0.3), 9).merit(Goal::soonest));
}

TEST(Reach, a_run_ends_with_the_report_that_reaches_the_bar) {
  Given given;
  given.submit(timed_spec());
  const auto grant = given.acquire(given.join(), "a1");
  EXPECT_EQ(report_after(given, grant->lease, 0, 40, 1.5).action, Action::go_on);
  const Verdict verdict = report_after(given, grant->lease, 1, 120, 3.25);
  EXPECT_EQ(verdict.action, Action::stop);
  EXPECT_EQ(verdict.reason, VerdictReason::reached);
  const auto& run = given.run(grant->attempt.run);
  EXPECT_EQ(run.state, RunState::completed);
  EXPECT_EQ(run.reason, EndReason::bar_reached);
  EXPECT_EQ(outcome(given, 0).grade, TrialOutcome::Grade::finished);
  EXPECT_EQ(outcome(given, 0).merit, -3.25);
}

TEST(Reach, one_that_reached_early_ranks_before_one_that_trained_to_its_end) {
  Given given;
  given.submit(timed_spec());
  const WorkerId worker = given.join();
  const auto slow = given.acquire(worker, "a1"), fast = given.acquire(worker, "a2"),
             none = given.acquire(worker, "a3");
  for (int phase = 0; phase < 3; ++phase)
    report_after(given, none->lease, phase, 99, 1 + phase * 0.1);
  report_after(given, slow->lease, 0, 10, 5);
  report_after(given, slow->lease, 1, 10, 10);
  report_after(given, slow->lease, 2, 200, 15);
  report_after(given, fast->lease, 0, 100, 8);
  const auto ranked = given.sweep(SweepId{1}).history.ranked();
  EXPECT_EQ(std::vector(ranked.begin(), ranked.end()), (std::vector<std::uint32_t>{1, 0, 2}));
}

TEST(Reach, time_counts_up_to_the_checkpoint_that_a_further_attempt_continues) {
  Given given;
  given.submit(timed_spec());
  const WorkerId worker = given.join();
  const auto first = given.acquire(worker, "a1");
  given.when(SaveModel{first->lease, {std::string(64, 'a'), 1, 10, 0}});
  report_after(given, first->lease, 0, 10, 4);
  // Lost after 9 s: the 5 s after the checkpoint do not count.
  given.now = given.now + seconds(60);
  given.tick();
  given.rest();
  const auto second = given.acquire(worker, "a2");
  ASSERT_EQ(second->attempt.run, first->attempt.run);
  ASSERT_TRUE(second->resume);
  report_after(given, second->lease, 1, 100, 2.5);
  EXPECT_EQ(outcome(given, 0).merit, -6.5);
}

TEST(Reach, a_run_that_starts_over_counts_its_new_attempt_alone) {
  Given given;
  given.submit(timed_spec());
  const WorkerId worker = given.join();
  const auto first = given.acquire(worker, "a1");
  report_after(given, first->lease, 0, 10, 4);
  given.now = given.now + seconds(60);
  given.tick();
  given.rest();
  const auto second = given.acquire(worker, "a2");
  report_after(given, second->lease, 1, 100, 7);
  EXPECT_EQ(outcome(given, 0).merit, -7);
}

TEST(Reach, processor_time_and_steps_are_other_clocks) {
  Given given;
  given.submit(timed_spec(RunClock::cpu_seconds), "cpu");
  const WorkerId worker = given.join();
  report_after(given, given.acquire(worker, "a1")->lease, 0, 100, 4, 31.5);
  EXPECT_EQ(outcome(given, 0).merit, -31.5);
  Given steps;
  steps.submit(timed_spec(RunClock::steps));
  report_after(steps, steps.acquire(steps.join(), "a1")->lease, 0, 100, 4);
  EXPECT_EQ(outcome(steps, 0).merit, -10);
}

TEST(Reach, the_time_of_the_lease_counts_where_nothing_else_is_reported) {
  Given given;
  given.submit(timed_spec());
  const auto grant = given.acquire(given.join(), "a1");
  given.now = given.now + milliseconds(2500);
  given.report(grant->lease, 0, Score::of(100));
  EXPECT_EQ(outcome(given, 0).merit, -2.5);
}

TEST(Reach, a_run_that_can_no_longer_be_the_first_is_stopped) {
  Given given;
  auto spec = timed_spec();
  spec.terminator = {"median", {}};
  given.submit(spec);
  const WorkerId worker = given.join();
  const auto fast = given.acquire(worker, "a1"), slow = given.acquire(worker, "a2");
  report_after(given, fast->lease, 0, 100, 3);
  EXPECT_EQ(report_after(given, slow->lease, 0, 60, 2.9).action, Action::go_on);
  const Verdict verdict = report_after(given, slow->lease, 1, 80, 3.1);
  EXPECT_EQ(verdict.reason, VerdictReason::too_late);
  EXPECT_EQ(verdict.inputs, (std::vector<VerdictInput>{{"time", 3.1}, {"best", 3}}));
  EXPECT_EQ(given.run(slow->attempt.run).state, RunState::stopped);
  EXPECT_EQ(given.run(slow->attempt.run).reason, EndReason::evicted);
}

TEST(Reach, without_a_rule_every_run_trains_to_its_bar) {
  Given given;
  given.submit(timed_spec());
  const WorkerId worker = given.join();
  const auto fast = given.acquire(worker, "a1"), slow = given.acquire(worker, "a2");
  report_after(given, fast->lease, 0, 100, 3);
  EXPECT_EQ(report_after(given, slow->lease, 0, 60, 30).action, Action::go_on);
}

TEST(Reach, among_runs_that_have_not_reached_the_bar_the_nearest_is_promoted) {
  Given given;
  auto spec = timed_spec(RunClock::seconds, 3, 9);
  spec.terminator = {"asha", {}};
  given.submit(spec);
  const WorkerId worker = given.join();
  std::vector<RunId> runs;
  const std::vector<double> scores{20, 60, 40};
  for (int i = 0; i < 3; ++i) {
    const auto grant = given.acquire(worker, "a" + std::to_string(i));
    runs.push_back(grant->attempt.run);
    given.when(SaveModel{grant->lease, {std::string(64, static_cast<char>('a' + i)), 1, 10, 0}});
    report_after(given, grant->lease, 0, scores[static_cast<std::size_t>(i)], 1);
  }
  const auto next = given.acquire(worker, "b");
  const RunId promoted = given.run(runs[1]).state == RunState::paused ? RunId{} : runs[1];
  EXPECT_EQ(promoted, runs[1]) << "paused, or overtaken by one that is further from the bar";
  if (next) {
    EXPECT_NE(next->attempt.run, runs[0]);
  }
}

TEST(Reach, is_refused_where_it_means_nothing) {
  const auto refused = [](SweepSpec spec) {
    Given given;
    given.when(Submit{{"r", spec, {}}});
    return given.error ? given.error->at : std::string("accepted");
  };
  EXPECT_EQ(refused(timed_spec()), "accepted");
  auto several = timed_spec();
  several.further_objectives = {{"loss", Goal::minimize}};
  EXPECT_EQ(refused(several), "/spec/objectives");
  auto long_run = timed_spec(RunClock::steps);
  long_run.budget.per_run = 600'000'000'000;
  EXPECT_EQ(refused(long_run), "/spec/budget");
  long_run.objective.reach->clock = RunClock::seconds;
  EXPECT_EQ(refused(long_run), "accepted");
  auto patient = timed_spec();
  patient.terminator = {"patience", {{"phases", 2}}};
  EXPECT_EQ(refused(patient), "accepted");
  patient.terminator.settings.emplace_back("min_delta", 1.5);  // a time does not improve by steps
  EXPECT_EQ(refused(patient), "/spec/terminator/min_delta");
  auto asked = timed_spec(RunClock::cpu_seconds);
  asked.trainer = AskTrainer{};
  EXPECT_EQ(refused(asked), "/spec/objective/clock");
}

// Trains two phases, whose checkpoints stay, and forks the run after `phase`.
std::string fork_after(Given& given, RunClock clock, int phase, double second_score) {
  auto spec = timed_spec(clock);
  spec.trainer = CommandTrainer{.argv = {"train", "${x}"}, .may_change = {"x"}};
  spec.checkpoints.keep = Keep::all;
  given.submit(spec);
  const auto grant = given.acquire(given.join(), "a1");
  for (int i = 0; i < 2; ++i) {
    given.when(SaveModel{grant->lease,
                         {std::string(63, 'a') + static_cast<char>('a' + i), 1, 10 * (i + 1), i}});
    report_after(given, grant->lease, i, i == 0 ? 40 : second_score, 0);
  }
  given.when(Enqueue{SweepId{1},
                     {"fork", {{"x", 0.5}}, std::nullopt, ForkRequest{grant->attempt.run, phase}}});
  return given.error ? given.error->detail : std::string("accepted");
}

TEST(Reach, no_fork_continues_a_run_that_has_reached_its_bar) {
  Given reached, before;
  EXPECT_NE(fork_after(reached, RunClock::seconds, 1, 120).find("reached its bar in phase 2"),
            std::string::npos);
  EXPECT_EQ(fork_after(before, RunClock::seconds, 0, 120), "accepted");
}

// Every rule: 9 runs, of which some never reach the bar. The sweep ends with the fastest in front.
class ReachUnder : public testing::TestWithParam<TerminatorRow> {};

TEST_P(ReachUnder, the_sweep_ends_with_the_fastest_in_front) {
  if (GetParam().rule == "pbt") GTEST_SKIP() << "refused for populations";
  Given given;
  auto spec = timed_spec(RunClock::steps, 9, 6);
  spec.budget.per_run = 60;
  spec.terminator = {std::string(GetParam().rule), {}};
  if (GetParam().rule == "threshold")
    spec.terminator.settings = {{"value", 40.0}, {"phases", std::int64_t{5}}};
  const Command submit = Submit{{"r", spec, {}}};
  given.when(submit);
  if (given.error) GTEST_SKIP() << given.error->detail;
  const WorkerId worker = given.join();
  // Trial k reaches the bar at phase 2 + k % 3, or never where k % 2 == 1.
  int polls = 0;
  while (!is_end(given.sweep(SweepId{1}).state) && polls < 500) {
    const auto grant = given.acquire(worker, "a" + std::to_string(polls++));
    ASSERT_TRUE(grant);
    const auto number = static_cast<int>(grant->attempt.run.trial.value) - 1;
    for (int phase = grant->next_phase; phase < 6; ++phase) {
      const bool reached = number % 2 == 0 && phase >= 2 + number % 3;
      given.when(SaveModel{
          grant->lease,
          {std::string(63, 'a') + static_cast<char>('a' + phase), 1, 10 * (phase + 1), phase}});
      const double value = reached ? 100 : 10 * phase + number;
      if (given.report(grant->lease, phase, Score::of(value)).action != Action::go_on) break;
    }
  }
  EXPECT_TRUE(is_end(given.sweep(SweepId{1}).state));
  const History& history = given.sweep(SweepId{1}).history;
  double fastest = not_reached_from;
  for (const RunRecord& run : history.runs())
    if (run.completed) fastest = std::min(fastest, -run.merits.back());
  EXPECT_LT(fastest, some_not_reached_from) << "no run reached the bar";
  EXPECT_EQ(-history.outcome(history.ranked().front()).merit, fastest);
}

INSTANTIATE_TEST_SUITE_P(Rules, ReachUnder, testing::ValuesIn(terminator_table()),
                         [](const auto& row) { return std::string(row.param.rule); });

}  // namespace
}  // namespace hone
