// hone's own rule against numbers worked out by hand, and the promises of docs/hone.md.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/rng.hpp"
#include "server/search/history/history.hpp"
#include "server/search/terminators/hone/smoothed_curves.hpp"
#include "server/search/terminators/rule_helpers.hpp"
#include "server/search/terminators/terminator.hpp"
#include "tests/unit/search/play.hpp"

namespace hone {
namespace {

using Curves = std::vector<std::vector<double>>;

// One trial with one run for each curve; every run waits, paused.
History paused_history(const Curves& curves) {
  History history(Goal::maximize, 0);
  for (const auto& curve : curves) {
    const auto run = history.add_run(history.add_trial({}));
    int phase = 0;
    for (const double value : curve) history.add_report(run, phase++, Score::of(value));
    if (!curve.empty()) history.set_state(run, RunRecord::State::paused);
  }
  return history;
}

std::unique_ptr<Terminator> rule(std::int64_t trials, int phases, bool use_time = false) {
  TerminatorSpec spec;
  spec.rule = "hone";
  if (use_time) spec.settings = {{"use_time", 1}};
  return std::move(make_terminator(spec, {trials, 1, phases, true})).value();
}

TEST(SmoothedCurves, scores_are_exponential_means_with_a_memory_of_a_fifth_of_a_run) {
  const SmoothedCurves smoothed(paused_history({{1, 4}}), 1, 2, 10);
  const double keep = std::exp(-0.5);
  EXPECT_DOUBLE_EQ(smoothed.curves()[0].scores[0], 1);
  EXPECT_NEAR(smoothed.curves()[0].scores[1], (4 + keep) / (1 + keep), 1e-12);
}

TEST(SmoothedCurves, equal_reports_tie_exactly) {
  const SmoothedCurves smoothed(paused_history({{0.1, 0.1, 0.1}, {0.1}}), 1, 1.4, 7);
  EXPECT_EQ(smoothed.curves()[0].scores[2], 0.1);
  EXPECT_EQ(smoothed.curves()[0].scores[2], smoothed.curves()[1].scores[0]);
}

TEST(SmoothedCurves, efficiency_is_what_the_best_runs_kept_of_their_moves) {
  // Grain 1 of 10 phases; three runs, all of them among the best: gains 3, 2, -1 of moves 3, 4, 3.
  const SmoothedCurves smoothed(paused_history({{0, 3}, {0, 3, 2}, {0, -2, -1}}), 1, 2, 10);
  const double kept = (3.0 + 2 - 1) / (3 + 4 + 3);
  EXPECT_NEAR(smoothed.efficiency(), (3 * kept + 4 * 0.6) / 7, 1e-12);
}

TEST(SmoothedCurves, without_three_runs_to_look_at_efficiency_is_what_most_curves_have) {
  EXPECT_DOUBLE_EQ(SmoothedCurves(paused_history({{0, 1}, {0, 1}, {0}}), 1, 2, 10).efficiency(),
                   0.6);
  EXPECT_DOUBLE_EQ(SmoothedCurves(paused_history({{1, 1}, {1, 1}, {1, 1}}), 1, 2, 10).efficiency(),
                   0.6);
}

TEST(SmoothedCurves, doubt_prefers_the_proven_trial_to_the_short_miracle) {
  // Trial 1 shines after one of ten phases; trial 0 trained to the end; the others make the middle.
  Curves curves{
      std::vector<double>(10, 8), {9}, std::vector<double>(6, 2), std::vector<double>(6, 1)};
  const SmoothedCurves smoothed(paused_history(curves), 1, 2, 10);
  EXPECT_EQ(smoothed.leader(0)->trial, 1U);
  // mu is the upper median of {8, 2, 1}: 2. (8 + d 2) / (1 + d) against (0.9 + d 2) / (0.1 + d)
  EXPECT_EQ(smoothed.leader(0.5)->trial, 0U);
}

TEST(SmoothedCurves, a_trial_with_a_diverged_run_is_no_leader) {
  History history = paused_history({{1, 2}, {5, 6}});
  history.add_report(1, 2, Score::diverged());
  EXPECT_EQ(SmoothedCurves(history, 1, 2, 10).leader(0.1)->trial, 0U);
}

TEST(HoneRule, a_report_goes_on_exactly_when_a_free_worker_would_take_its_run) {
  History history = paused_history({{1}, {2}, {3}, {4}});
  const auto run = history.add_run(history.add_trial({}));
  const auto hone = rule(100, 10);
  for (const double value : {0.5, 1.5, 3.5, 4.5}) {
    const Verdict verdict = hone->judge(history, run, 0, Score::of(value));
    History after = history;
    after.add_report(run, 0, Score::of(value));
    after.set_state(run, RunRecord::State::paused);
    const NextAction move = hone->next(after, true);
    const bool taken = move.kind == NextAction::Kind::promote && move.index == run;
    EXPECT_EQ(verdict.action == Action::go_on, taken) << value;
  }
}

TEST(HoneRule, promotes_the_best_share_of_a_phase_from_the_highest_phase_down) {
  // e = 0.6, a = 1.4: of four runs with one report, 4 * (1/2)^1.4 = 1.5: the best continues.
  const auto hone = rule(100, 10);
  NextAction move = hone->next(paused_history({{1}, {4}, {2}, {3}}), true);
  EXPECT_EQ(move.kind, NextAction::Kind::promote);
  EXPECT_EQ(move.index, 1U);
  // Once it has continued, no other run may: a new trial.
  move = hone->next(paused_history({{1}, {4, 4}, {2}, {3}}), true);
  EXPECT_EQ(move.kind, NextAction::Kind::propose);
}

TEST(HoneRule, where_nothing_separates_the_upper_half_all_of_it_goes_on) {
  const auto hone = rule(100, 10);
  History history = paused_history({{9, 9}, {9, 9}, {9}, {8}});
  for (const std::size_t run : {0U, 1U}) history.set_state(run, RunRecord::State::active);
  const NextAction move = hone->next(history, true);
  EXPECT_EQ(move.kind, NextAction::Kind::promote);
  EXPECT_EQ(move.index, 2U);
}

TEST(HoneRule, looks_a_second_time_at_a_leader_of_jumpy_curves) {
  Curves curves(12, {0, 5, 0, 5, 0, 5});
  curves[0] = {9, 1, 9, 1, 9, 9, 1, 9, 9, 9};
  const NextAction move = rule(100, 10)->next(paused_history(curves), true);
  EXPECT_EQ(move.kind, NextAction::Kind::replicate);
  EXPECT_EQ(move.index, 0U);
}

TEST(HoneRule, when_all_is_started_the_sweep_ends_unless_its_time_is_to_be_used) {
  History history = paused_history({{4, 4, 4}, {1}});
  history.end_run(0, true, true);
  EXPECT_EQ(rule(2, 3, false)->next(history, false).kind, NextAction::Kind::wait);
  const NextAction move = rule(2, 3, true)->next(history, false);
  EXPECT_EQ(move.kind, NextAction::Kind::promote);
  EXPECT_EQ(move.index, 1U);
}

TEST(HoneRule, of_many_phases_only_every_tenth_of_a_run_is_judged) {
  History history(Goal::maximize, 0);
  const auto run = history.add_run(history.add_trial({}));
  const auto hone = rule(10, 40);
  EXPECT_EQ(hone->judge(history, run, 0, Score::of(1)).reason, VerdictReason::between_rungs);
  for (int phase = 0; phase < 3; ++phase) history.add_report(run, phase, Score::of(1));
  EXPECT_NE(hone->judge(history, run, 3, Score::of(1)).reason, VerdictReason::between_rungs);
}

TEST(SmoothedCurves, leaders_are_expected_to_lose_what_others_lost_from_there) {
  // Of the runs that passed one report, the better half changed by -6 and -2; another one by 0.
  const Curves passed{{9, 3}, {8, 6}, {4, 4}, {3, 7}, {7.5}};
  const SmoothedCurves smoothed(paused_history(passed), 1, 1e-3, 2);
  EXPECT_NEAR(smoothed.change_after(1), -2, 1e-12);
  EXPECT_EQ(smoothed.leader(0, false)->trial, 4U);
  EXPECT_EQ(smoothed.leader(0, true)->trial, 3U) << "of 7.5 only 5.5 is expected to be left";
}

TEST(SmoothedCurves, curves_that_climb_are_not_expected_to_gain) {
  EXPECT_EQ(SmoothedCurves(paused_history({{1, 3}, {2, 6}, {1}}), 1, 1e-3, 2).change_after(1), 0);
}

TEST(SmoothedCurves, an_exploded_run_that_trained_longest_is_not_named) {
  // Alone in its length, its score was the middle: no other difference counted next to it.
  const SmoothedCurves smoothed(
      paused_history({{1, 1, 1, 1, 1, 1, 1, 1, 1, -1e34}, {1, 2}, {1, 3}, {1, 1}, {0}, {0}}), 1, 1,
      10);
  EXPECT_EQ(smoothed.leader(0.16, true)->trial, 2U);
}

std::unique_ptr<Terminator> newest(std::int64_t trials, int phases) {
  const TerminatorSpec spec{"hone", {{"version", 2}}};
  return std::move(make_terminator(spec, {trials, 1, phases, true})).value();
}

TEST(HoneRule, every_33rd_trial_trains_to_its_end_whatever_it_reports) {
  const auto hone = newest(100, 10);
  History history(Goal::maximize, 0);
  for (std::size_t trial = 0; trial < 70; ++trial) {
    const auto run = history.add_run(history.add_trial({}));
    // Each is worse than all before it.
    const Score score = Score::of(-static_cast<double>(trial));
    const Verdict verdict = hone->judge(history, run, 0, score);
    const bool hedged = trial % 33 == 0;
    EXPECT_EQ(find_input(verdict.inputs, "hedge").has_value(), hedged) << trial;
    const Action expected = hedged || trial == 1 ? verdict.action : Action::pause;
    EXPECT_EQ(verdict.action, hedged ? Action::go_on : expected) << trial;
    EXPECT_EQ(hone->recompute(verdict.inputs), verdict.action);
    EXPECT_FALSE(hone->explain(verdict).empty());
    history.add_report(run, 0, score);
    history.set_state(run, RunRecord::State::paused);
  }
  const NextAction next = hone->next(history, true);
  EXPECT_EQ(next.kind, NextAction::Kind::promote) << "a hedged run that waits is continued first";
  EXPECT_EQ(next.index, 0U);
}

TEST(HoneRule, a_recorded_sweep_without_a_version_is_judged_as_it_was) {
  // Trial 0 is hedged since version 2.
  History history = paused_history({{1}, {4}, {2}, {3}});
  EXPECT_EQ(rule(100, 10)->next(history, true).index, 1U);
  EXPECT_EQ(newest(100, 10)->next(history, true).index, 0U);
}

// Phases of a sweep whose sets have fixed qualities that a saturating climb shows, with noise.
int phases_trained(const Terminator& rule, const SweepShape& shape, std::uint64_t seed) {
  Rng rng(seed, Purpose::simulation, 0);
  std::vector<double> qualities(static_cast<std::size_t>(2 * shape.trials));
  for (double& quality : qualities) quality = rng.uniform();
  const double noise = 0.01 * std::pow(30.0, rng.uniform());
  Play play(rule, shape, 2, [&](std::size_t run, int phase) {
    const double climb = 1 - std::exp(-3.0 * (phase + 1) / shape.phases);
    return Score::of(qualities.at(run) * climb + noise * rng.normal());
  });
  play.run();
  return play.phases();
}

// 76 phases were planned for 32 trials of 10 phases; tests/bench/plan_bench.py trained 97 to 170.
// With 100 phases 360 were planned for 64 trials, although no run is judged before its tenth.
TEST(HoneRule, expects_the_phases_that_its_sweeps_train) {
  for (const std::int64_t trials : {16, 64})
    for (const int phases : {5, 10, 25, 100}) {
      const SweepShape shape{trials, 1, phases};
      for (const double version : {4, 5}) {
        const auto rule = made({"hone", {{"version", version}}}, shape);
        constexpr int sweeps = 20;
        double sum = 0;
        for (std::uint64_t seed = 0; seed < sweeps; ++seed)
          sum += phases_trained(*rule, shape, seed);
        const double expected = rule->expected_phases() * static_cast<double>(trials);
        EXPECT_NEAR(expected, sum / sweeps, 0.25 * sum / sweeps)
            << trials << " trials, " << phases << " phases, version " << version;
      }
    }
}

TEST(HoneRule, expects_more_of_second_looks_and_hedged_trials) {
  const auto expected = [](const char* setting, double value) {
    const TerminatorSpec spec{"hone", {{"efficiency", 0.5}, {setting, value}}};
    return made(spec, {64, 1, 10})->expected_phases();
  };
  const double plain = expected("second_looks", 0);
  // A doubt of 1 / 4: a third of the sweep's own phases, less half a run.
  EXPECT_NEAR(expected("second_looks", 1), plain + (64 * plain / 3 - 5) / 64, 1e-9);
  const double looked = expected("ties", 1);
  EXPECT_GT(expected("hedge", 0.5), looked + 0.4 * (10 - looked));
}

TEST(HoneRule, refuses_settings_that_make_no_sense) {
  for (const auto& [name, value] :
       {std::pair{"efficiency", 1.5}, std::pair{"memory", 0.0}, std::pair{"ties", 2.0},
        std::pair{"hedge", 1.5}, std::pair{"version", 6.0}}) {
    const auto made = make_terminator({"hone", {{name, value}}}, {10, 1, 10});
    ASSERT_FALSE(made.ok()) << name;
    EXPECT_EQ(made.error().at, std::string("/terminator/") + name);
  }
}

}  // namespace
}  // namespace hone
