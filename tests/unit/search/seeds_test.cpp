// Trials of several runs: their common curve, their ranking, and the leaders.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "server/search/history/seed_curves.hpp"
#include "server/search/seeds/collapse_seeds.hpp"
#include "server/search/seeds/leaders.hpp"
#include "server/search/seeds/race.hpp"
#include "server/search/statistics/tests.hpp"
#include "server/search/terminators/rule_helpers.hpp"
#include "tests/unit/search/play.hpp"

namespace hone {
namespace {

constexpr double failed = -std::numeric_limits<double>::infinity();

using Curves = std::vector<std::vector<double>>;

// One trial for each entry, with a run for each of its curves; `first` runs start every trial.
class Seeds {
 public:
  explicit Seeds(const std::vector<Curves>& trials, int first = 2)
      : history_(Goal::maximize, 0, 1, Replication{.first = first, .most = 9}) {
    for (const Curves& curves : trials) {
      const std::size_t trial = history_.add_trial({});
      for (const auto& curve : curves) {
        std::vector<Score> scores;
        for (const double value : curve) scores.push_back(Score::of(value));
        history_.add_curve(history_.add_run(trial), scores);
      }
    }
  }
  History* operator->() { return &history_; }
  [[nodiscard]] const History& history() const { return history_; }
  [[nodiscard]] SeedCurves curves(std::size_t trial = 0) const { return {history_, trial}; }

 private:
  History history_;
};

TEST(SeedCurves, are_as_long_as_what_every_first_run_reported) {
  const Seeds seeds({{{1, 2, 3}, {4}}});
  EXPECT_EQ(seeds.curves().length(), 1);
  EXPECT_EQ(seeds.curves().furthest(), 3);
  EXPECT_EQ(seeds.curves().missing(0), 0);
  EXPECT_EQ(seeds.curves().missing(1), 1);
  EXPECT_EQ(seeds.curves().values(0), (std::vector<double>{1, 4}));
}

TEST(SeedCurves, count_a_new_report_as_the_next_one_of_its_run) {
  const Seeds seeds({{{1, 2, 3}, {4}}});
  const SeedCurves curves(seeds.history(), 0, NewReport{1, 7});
  EXPECT_EQ(curves.length(), 2);
  EXPECT_EQ(curves.values(1), (std::vector<double>{2, 7}));
}

TEST(SeedCurves, wait_for_no_further_seed) {
  const Seeds seeds({{{1, 2}, {3, 4}, {5}}});
  EXPECT_EQ(seeds.curves().length(), 2);
  EXPECT_EQ(seeds.curves().values(0).size(), 3U);
  EXPECT_EQ(seeds.curves().values(1).size(), 2U);
}

TEST(SeedCurves, of_a_failed_run_are_minus_infinity_from_its_end) {
  Seeds seeds({{{1, 2, 3}, {4}}});
  seeds->end_run(1, false, true);
  EXPECT_EQ(seeds.curves().length(), 3);
  EXPECT_EQ(seeds.curves().values(0), (std::vector<double>{1, 4}));
  EXPECT_EQ(seeds.curves().values(2), (std::vector<double>{3, failed}));
}

TEST(SeedCurves, of_a_run_that_completed_early_keep_its_last_value) {
  Seeds seeds({{{1, 2, 3}, {4}}});
  seeds->end_run(1, true, true);
  EXPECT_EQ(seeds.curves().values(2), (std::vector<double>{3, 4}));
}

TEST(SeedCurves, do_not_wait_for_a_canceled_run) {
  Seeds seeds({{{1, 2, 3}, {4}}});
  seeds->end_run(1, false, false);
  EXPECT_EQ(seeds.curves().length(), 3);
  EXPECT_EQ(seeds.curves().missing(2), 0);
  EXPECT_EQ(seeds.curves().values(2), (std::vector<double>{3}));
}

TEST(SeedCurves, of_an_evicted_run_end_where_it_was_stopped) {
  Seeds seeds({{{1, 2, 3}, {4}}});
  seeds->end_run(1, false, true, true);
  EXPECT_EQ(seeds.curves().length(), 1);
}

TEST(SeedCurves, smooth_equal_values_to_exactly_that_value) {
  const Seeds seeds({{{0.1, 0.1, 0.1}, {0.7, 0.7, 0.7}}});
  EXPECT_EQ(seeds.curves().smoothed(2, 1.3), (std::vector<double>{0.1, 0.7}));
}

TEST(SeedCurves, weigh_the_newest_value_most) {
  const Seeds seeds({{{0, 1}, {1, 0}}});
  const double keep = std::exp(-0.5);
  const auto smoothed = seeds.curves().smoothed(1, 2);
  EXPECT_NEAR(smoothed[0], 1 / (1 + keep), 1e-12);
  EXPECT_NEAR(smoothed[1], keep / (1 + keep), 1e-12);
}

// Collapsed ---------------------------------------------------------------------------------------

TEST(CollapsedSeeds, report_the_aggregate_of_every_common_phase) {
  const Seeds seeds({{{1, 2, 3}, {3, 6}}, {{5}, {7}}});
  const History collapsed = collapse_seeds(seeds.history());
  ASSERT_EQ(collapsed.runs().size(), 2U);
  EXPECT_EQ(collapsed.runs()[0].merits, (std::vector<double>{2, 4}));
  EXPECT_EQ(collapsed.runs()[1].merits, (std::vector<double>{6}));
}

TEST(CollapsedSeeds, of_an_early_trial_count_the_runs_that_have_a_value) {
  const Seeds seeds({{{1, 2, 9}, {3}}});
  const History collapsed = collapse_seeds(seeds.history(), EarlyTrial{0, 3});
  EXPECT_EQ(collapsed.runs()[0].merits, (std::vector<double>{2, 2, 9}));
}

TEST(CollapsedSeeds, are_paused_when_no_run_is_active_and_ended_when_all_have_ended) {
  Seeds seeds({{{1}, {2}}, {{3}, {4}}, {{5}, {6}}});
  seeds->set_state(2, RunRecord::State::paused);
  seeds->set_state(3, RunRecord::State::paused);
  seeds->end_run(4, false, true, true);
  seeds->end_run(5, false, true, true);
  const History collapsed = collapse_seeds(seeds.history());
  EXPECT_EQ(collapsed.runs()[0].state, RunRecord::State::active);
  EXPECT_EQ(collapsed.runs()[1].state, RunRecord::State::paused);
  EXPECT_EQ(collapsed.runs()[2].state, RunRecord::State::ended);
  EXPECT_TRUE(collapsed.runs()[2].evicted);
}

TEST(CollapsedSeeds, end_where_the_aggregate_diverges) {
  Seeds seeds({{{1, 2, 3}, {4}}});
  seeds->end_run(1, false, true);
  const History collapsed = collapse_seeds(seeds.history());
  EXPECT_EQ(collapsed.runs()[0].merits, (std::vector<double>{2.5, failed}));
}

TEST(CollapsedSeeds, keep_foreign_trials_in_front) {
  History history(Goal::maximize, 0, 1, Replication{.first = 2, .most = 2});
  history.add_foreign({}, {TrialOutcome::Grade::finished, 3, 8, {}});
  const std::size_t trial = history.add_trial({});
  for (int run = 0; run < 2; ++run) history.add_report(history.add_run(trial), 0, Score::of(run));
  const History collapsed = collapse_seeds(history);
  EXPECT_EQ(collapsed.foreign(), 1U);
  EXPECT_EQ(collapsed.outcome(0).merit, 8);
  EXPECT_EQ(collapsed.runs()[0].merits, (std::vector<double>{0.5}));
}

TEST(GoesBeyond, means_an_active_or_a_longer_first_run) {
  Seeds seeds({{{1, 2}, {3}}});
  EXPECT_TRUE(goes_beyond(seeds.history(), 0, 1));  // the first run has two phases
  EXPECT_TRUE(goes_beyond(seeds.history(), 0, 2));  // and is still active
  for (const std::size_t run : {0U, 1U}) seeds->set_state(run, RunRecord::State::paused);
  EXPECT_FALSE(goes_beyond(seeds.history(), 0, 2));
}

// Ranking -----------------------------------------------------------------------------------------

TEST(Race, ranks_by_expected_merit_and_leaves_short_and_failed_trials_out) {
  Seeds seeds({{{1, 1, 1, 1}, {1, 1, 1, 1}},
               {{5, 5, 5, 5}, {5, 5, 5, 5}},
               {{9}, {9}},
               {{7, 7, 7, 7}, {7, 7, 7}}});
  seeds->add_report(7, 3, Score::diverged());
  const Race race(seeds.history(), 0.4);
  ASSERT_EQ(race.ranking().size(), 2U);
  EXPECT_EQ(race.ranking()[0].trial, 1U);
  EXPECT_EQ(race.ranking()[1].trial, 0U);
}

TEST(Race, of_equal_trials_puts_more_seeds_and_then_the_lower_number_first) {
  const Seeds seeds({{{2, 2}, {2, 2}}, {{2, 2}, {2, 2}, {2, 2}}, {{2, 2}, {2, 2}}});
  const Race race(seeds.history(), 0.2);
  ASSERT_EQ(race.ranking().size(), 3U);
  EXPECT_EQ(race.ranking()[0].trial, 1U);
  EXPECT_EQ(race.ranking()[1].trial, 0U);
  EXPECT_EQ(race.ranking()[2].trial, 2U);
}

TEST(Race, without_noise_expects_what_it_saw) {
  const Seeds seeds({{{1}, {1}}, {{4}, {4}}});
  const Race race(seeds.history(), 0.1);
  EXPECT_EQ(race.noise().variance, 0);
  EXPECT_EQ(race.ranking()[0].expected, 4);
  EXPECT_EQ(race.reliability(), 1);
}

TEST(Race, shrinks_noisy_trials_towards_the_mean_of_all) {
  const Seeds seeds({{{0}, {4}}, {{3}, {7}}});  // means 2 and 5, variance 8 within each
  const Race race(seeds.history(), 0.1);
  ASSERT_EQ(race.ranking().size(), 2U);
  EXPECT_NEAR(race.noise().variance, 8, 1e-12);
  EXPECT_EQ(race.noise().degrees, 2);
  EXPECT_LT(race.ranking()[0].expected, 5);
  EXPECT_GT(race.ranking()[0].expected, 3.5);
  EXPECT_GT(race.ranking()[1].expected, 2);
  EXPECT_LT(race.reliability(), 0.5);
}

TEST(Race, of_no_trial_ranks_none) {
  const Seeds seeds({});
  EXPECT_TRUE(Race(seeds.history(), 1).ranking().empty());
}

TEST(PooledNoise, makes_single_values_comparable) {
  const std::vector<double> own{0}, other{3};
  EXPECT_DOUBLE_EQ(p_worse(own, other, {1, 10}), student_cdf(-3 / std::sqrt(2.0), 10));
  EXPECT_DOUBLE_EQ(p_worse(own, other, {1, 3}), 0.5);  // too few degrees of freedom
}

TEST(PooledNoise, of_zero_leaves_the_means_to_decide) {
  const std::vector<double> low{1}, high{2};
  EXPECT_EQ(p_worse(low, high, {0, 8}), 0);
  EXPECT_EQ(p_worse(high, low, {0, 8}), 1);
  EXPECT_EQ(p_worse(low, low, {0, 8}), 0.5);
}

// Times -------------------------------------------------------------------------------------------

constexpr double missed = 1.4e15;  // stands for a bar that is not reached

// Trials of a sweep whose values are times, with the same time in every phase.
History times_of(const std::vector<std::vector<double>>& trials, bool in_units = true) {
  History history(Goal::soonest, 0, 1, Replication{.first = 2, .most = 9, .in_units = in_units});
  for (const auto& seeds : trials) {
    const std::size_t trial = history.add_trial({});
    for (const double time : seeds) {
      const std::vector<Score> scores{Score::of(missed), Score::of(time), Score::of(time)};
      history.add_curve(history.add_run(trial), scores);
    }
  }
  return history;
}

// One seed below the bar made the noise of all trials 1e15, so that every difference was noise.
TEST(RaceOfTimes, counts_no_bar_that_is_not_reached_as_noise) {
  const History history = times_of({{10, 12}, {50, 54}, {30, missed}, {missed, missed}});
  const Race race(history, 0.3);
  EXPECT_DOUBLE_EQ(race.noise().variance, (2 + 8) / 2.0);
  EXPECT_EQ(race.noise().degrees, 2);
  EXPECT_DOUBLE_EQ(noise_at(history, 2, 0.3, true).variance, 5);
  EXPECT_EQ(noise_at(history, 2, 0.3, false).variance, 0)
      << "of the trial of which no seed reached it";
  ASSERT_EQ(race.ranking().size(), 4U);
  for (std::size_t place = 0; place < 4; ++place) EXPECT_EQ(race.ranking()[place].trial, place);
  EXPECT_GT(race.ranking()[0].expected, -13);
  EXPECT_LT(race.ranking()[1].expected, -50);
  const Race earlier(times_of({{10, 12}, {50, 54}, {30, missed}}, false), 0.3);
  EXPECT_GT(earlier.noise().variance, 1e28) << "a sweep of earlier rules is judged as it was";
}

// The mean over phases held 1.4e15 of the phases before the bar: how long ago it was reached, and
// not after what time, decided.
TEST(RaceOfTimes, takes_the_time_of_a_run_and_not_a_mean_over_its_phases) {
  const History history = times_of({{10, 20}});
  EXPECT_EQ(SeedCurves(history, 0).smoothed(1, 1.0), (std::vector<double>{-10, -20}));
}

TEST(RaceOfTimes, stops_a_slower_trial_and_none_for_a_seed_that_has_not_reached_the_bar) {
  const SweepShape shape{.trials = 8,
                         .seeds = 2,
                         .phases = 4,
                         .replication = {.first = 2, .most = 9, .race = true},
                         .until_bar = true};
  const auto rule = made({"none", {}}, shape);
  const auto verdict_on = [&](double seed, double last) {
    History history =
        times_of({{10, 11}, {11, 12}, {12, 10}, {11, 10}, {10, 12}, {30, missed}, {seed}});
    const std::size_t run = history.add_run(6);
    history.add_curve(run, std::vector<Score>{Score::of(missed), Score::of(missed)});
    return rule->judge(history, run, 2, Score::of(last));
  };
  const Verdict slow = verdict_on(90, 95);
  EXPECT_EQ(slow.action, Action::stop);
  EXPECT_EQ(find_input(slow.inputs, "mean"), 92.5);
  EXPECT_EQ(rule->explain(slow).find("not reached"), std::string::npos) << rule->explain(slow);
  EXPECT_EQ(verdict_on(90, missed).action, Action::go_on);
  EXPECT_EQ(verdict_on(missed, missed).action, Action::go_on);
}

// With several seeds the bar was compared with the negated value: every run was stopped.
TEST(MultiSeed, threshold_of_a_loss_keeps_what_is_below_it) {
  const SweepShape shape{
      .trials = 2, .seeds = 2, .phases = 4, .replication = {.first = 2, .most = 2}};
  const auto rule = made({"threshold", {{"value", 5}, {"phases", 1}}}, shape);
  for (const double loss : {4.0, 6.0}) {
    History history(Goal::minimize, 0, 1, shape.replication);
    const std::size_t trial = history.add_trial({});
    history.add_report(history.add_run(trial), 0, Score::of(loss));
    const std::size_t run = history.add_run(trial);
    const Verdict verdict = rule->judge(history, run, 0, Score::of(loss));
    EXPECT_EQ(verdict.action, loss < 5 ? Action::go_on : Action::stop);
    EXPECT_EQ(find_input(verdict.inputs, "aggregate"), loss);
  }
}

// Leaders -----------------------------------------------------------------------------------------

TEST(Leaders, are_sorted_by_their_value_and_are_no_more_than_asked_for) {
  const Seeds seeds({{{1, 1}, {1, 1}}, {{5, 5}, {5, 5}}, {{3, 3}, {3, 3}}});
  EXPECT_EQ(find_leaders(seeds.history(), 2), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(find_leaders(seeds.history(), 9), (std::vector<std::size_t>{1, 2, 0}));
  EXPECT_TRUE(find_leaders(seeds.history(), 0).empty());
}

TEST(Leaders, that_trained_less_than_half_as_long_follow) {
  const Seeds seeds({{{9}, {9}}, {{1, 1, 1}, {1, 1, 1}}, {{2, 2}, {2, 2}}});
  EXPECT_EQ(find_leaders(seeds.history(), 9), (std::vector<std::size_t>{2, 1, 0}));
}

TEST(Leaders, are_neither_failed_nor_pending_nor_of_an_earlier_sweep) {
  History history(Goal::maximize, 0);
  history.add_foreign({}, {TrialOutcome::Grade::finished, 1, 99, {}});
  const std::size_t failing = history.add_run(history.add_trial({}));
  const std::size_t good = history.add_run(history.add_trial({}));
  const std::size_t crashed = history.add_run(history.add_trial({}));
  history.add_run(history.add_trial({}));  // pending
  history.end_run(failing, false, true);
  history.add_report(good, 0, Score::of(1));
  history.add_report(crashed, 0, Score::of(900));
  history.end_run(crashed, false, true);
  EXPECT_EQ(find_leaders(history, 9), (std::vector<std::size_t>{2}));
}

// The noise of poor sets must not pull a good one, whose seeds agree, below all it reported.
TEST(Expectations, of_a_steady_set_stay_near_its_values) {
  const Seeds seeds({{{7.0}, {7.2}, {7.1}}, {{-9}, {5}, {1}}, {{-8}, {-2}, {4}}, {{0}, {6}, {-6}}});
  const auto expected = expectations_of(seeds.history());
  const Race race(seeds.history(), 0.1);
  ASSERT_EQ(race.ranking()[0].trial, 0U);
  EXPECT_GT(*expected[0], race.ranking()[0].expected + 0.3) << "by the noise of all trials alone";
  EXPECT_LT(*expected[0], 7.1);
}

TEST(Expectations, exist_for_trials_that_trained_long_enough) {
  const Seeds seeds({{{1, 1, 1}, {1, 1, 1}}, {{9}, {9}}});
  const auto expected = expectations_of(seeds.history());
  ASSERT_EQ(expected.size(), 2U);
  EXPECT_EQ(expected[0], 1);
  EXPECT_FALSE(expected[1]);
}

// Outcomes ----------------------------------------------------------------------------------------

TEST(Outcome, of_a_multi_seed_trial_is_the_aggregate_with_its_error) {
  const Seeds seeds({{{1, 2}, {3, 6}}});
  const TrialOutcome& outcome = seeds.history().outcome(0);
  EXPECT_EQ(outcome.phase, 1);
  EXPECT_EQ(outcome.merit, 4);
  EXPECT_EQ(outcome.values, 2);
  EXPECT_DOUBLE_EQ(outcome.error, 2);
  EXPECT_EQ(outcome.grade, TrialOutcome::Grade::stopped);
}

TEST(Outcome, of_a_single_seed_trial_ignores_a_second_look_that_is_behind) {
  History history(Goal::maximize, 0);
  const std::size_t trial = history.add_trial({});
  for (const std::vector<double>& curve : {std::vector<double>{1, 5}, std::vector<double>{9}}) {
    const std::size_t run = history.add_run(trial);
    for (std::size_t phase = 0; phase < curve.size(); ++phase)
      history.add_report(run, static_cast<int>(phase), Score::of(curve[phase]));
  }
  EXPECT_EQ(history.outcome(trial).merit, 5);
  EXPECT_EQ(history.outcome(trial).values, 1);
  EXPECT_EQ(history.outcome(trial).error, 0);
}

TEST(Outcome, of_a_trial_whose_only_run_failed_is_failed_and_of_a_canceled_one_is_none) {
  History history(Goal::maximize, 0);
  for (int i = 0; i < 2; ++i) history.add_run(history.add_trial({}));
  history.end_run(0, false, true);
  history.end_run(1, false, false);
  EXPECT_EQ(history.outcome(0).grade, TrialOutcome::Grade::failed);
  EXPECT_EQ(history.outcome(1).grade, TrialOutcome::Grade::pending);
  EXPECT_EQ(history.ranked().size(), 1U);
  EXPECT_TRUE(history.pending().empty());
}

TEST(Outcome, has_the_means_of_the_further_objectives_at_its_phase) {
  History history(Goal::maximize, 0, 2);
  const std::size_t trial = history.add_trial({});
  const std::size_t first = history.add_run(trial), second = history.add_run(trial);
  history.add_report(first, 0, Score::of(1), std::vector<double>{10});
  history.add_report(second, 0, Score::of(3), std::vector<double>{20});
  EXPECT_EQ(history.outcome(trial).further, (std::vector<double>{15}));
  history.add_report(first, 1, Score::of(1), std::vector<double>{12});
  EXPECT_EQ(history.outcome(trial).further, (std::vector<double>{12}));
}

}  // namespace
}  // namespace hone
