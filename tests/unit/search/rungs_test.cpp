// Rules that pause and promote: asha, sha, hyperband, and the arithmetic of rungs. The acceptance
// figures are those of the published tables.
#include "server/search/terminators/halving/rungs.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.hpp"
#include "server/search/statistics/brackets.hpp"
#include "tests/unit/search/play.hpp"

namespace hone {
namespace {

using Lengths = std::vector<int>;

Play::Metric by_quality(std::vector<double> quality) {
  return [quality = std::move(quality)](std::size_t run, int) { return Score::of(quality[run]); };
}

std::vector<double> shuffled(std::size_t n, std::uint64_t seed) {
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<double>(i);
  Rng rng(seed, Purpose::simulation, 0);
  for (std::size_t i = n; i > 1; --i) std::swap(values[i - 1], values[rng.below(i)]);
  return values;
}

std::vector<double> falling(std::size_t n) {
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = -static_cast<double>(i);
  return values;
}

// Phases when every rung starts again from nothing.
int restarted(const Play& play, const std::function<const Lengths&(std::size_t run)>& rungs) {
  int sum = 0;
  for (std::size_t run = 0; run < play.history().runs().size(); ++run)
    for (const int length : rungs(run))
      if (static_cast<int>(play.history().runs()[run].merits.size()) >= length) sum += length;
  return sum;
}

TEST(Rungs, grow_by_eta_and_end_with_the_budget) {
  EXPECT_EQ(rungs_of({3, 1}, 27), (Lengths{1, 3, 9, 27}));
  EXPECT_EQ(rungs_of({3, 1}, 10), (Lengths{1, 3, 9, 10}));
  EXPECT_EQ(rungs_of({2, 3}, 20), (Lengths{3, 6, 12, 20}));
  EXPECT_EQ(rungs_of({3, 1}, 1), (Lengths{1}));
  EXPECT_EQ(rungs_of({3, 5}, 5), (Lengths{5}));
  EXPECT_EQ(rung_after({1, 3, 9}, 0), 0U);
  EXPECT_EQ(rung_after({1, 3, 9}, 2), 1U);
  EXPECT_EQ(rung_after({1, 3, 9}, 1), std::nullopt);
  EXPECT_EQ(rung_after({1, 3, 9}, 8), std::nullopt);  // complete: no run is compared
  EXPECT_DOUBLE_EQ(expected_phases({1, 3, 9}, 3), 1 + 2.0 / 3 + 6.0 / 9);
}

// Nine idle workers, eta = 3, R = 9, r = 1: rungs start again from nothing, and the first full
// training is done after 1 + 3 + 9 phases, 13/9 of the time that it takes alone.
TEST(Asha, nine_workers_have_their_first_full_training_at_13_9_of_its_time) {
  const auto rule = made({"asha", {}}, {100, 1, 9});
  Play play(*rule, {100, 1, 9}, 9, by_quality(shuffled(100, 1)));
  play.took = [](std::size_t, int phase) { return phase == 1 ? 2.0 : phase == 3 ? 4.0 : 1.0; };
  play.run();
  EXPECT_DOUBLE_EQ(*play.first_completed(), 13.0);
}

TEST(Asha, continues_from_checkpoints_and_so_needs_the_time_of_one_training) {
  const auto rule = made({"asha", {}}, {100, 1, 9});
  Play play(*rule, {100, 1, 9}, 9, by_quality(shuffled(100, 1)));
  play.run();
  EXPECT_DOUBLE_EQ(*play.first_completed(), 9.0);
}

// Promoted by a verdict or by a free worker, once a rung, and then among the best third of it.
TEST(Asha, promotes_once_and_only_the_best_third_of_a_rung) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const SweepShape plan{60, 1, 9};
    const auto rule = made({"asha", {}}, plan);
    const auto quality = shuffled(60, seed);
    Play play(*rule, plan, 7, by_quality(quality));
    play.took = [seed](std::size_t run, int phase) {
      return 0.5 + Rng(seed, Purpose::rule, run * 10 + static_cast<std::size_t>(phase)).uniform();
    };
    std::set<std::pair<std::size_t, std::size_t>> promoted;
    const auto check = [&](std::size_t run, std::size_t length, std::size_t reports) {
      EXPECT_TRUE(promoted.insert({run, length}).second) << "promoted twice";
      std::size_t better = 0;
      for (const RunRecord& other : play.history().runs())
        if (other.merits.size() >= length && other.merits[length - 1] > quality[run]) ++better;
      EXPECT_LT(better, reports / 3);
    };
    const auto reports = [&](std::size_t length) {
      return static_cast<std::size_t>(play.history().reports(static_cast<int>(length) - 1));
    };
    play.on_verdict = [&](std::size_t run, int phase, Score, const Verdict& verdict) {
      const auto length = static_cast<std::size_t>(phase) + 1;
      if (verdict.reason == VerdictReason::promoted) check(run, length, reports(length) + 1);
    };
    play.on_promotion = [&](std::size_t run) {
      const std::size_t length = play.history().runs()[run].merits.size();
      check(run, length, reports(length));
    };
    play.run();
    EXPECT_GE(play.reached(3), 20);
    EXPECT_GE(play.reached(9), play.reached(3) / 3);
  }
}

TEST(Asha, of_equal_runs_the_first_ones_go_on_and_no_more_than_a_third) {
  const SweepShape plan{27, 1, 9};
  const auto rule = made({"asha", {}}, plan);
  Play play(*rule, plan, 4, [](auto, auto) { return Score::of(1); });
  play.run();
  EXPECT_EQ(play.reached(3), 9);
  EXPECT_EQ(play.reached(9), 3);
  for (std::size_t run = 0; run < 27; ++run)
    EXPECT_EQ(play.history().runs()[run].merits.size() >= 3, run < 9) << run;
}

TEST(Asha, explains_a_pause_and_a_promotion) {
  const auto rule = made({"asha", {}}, {9, 1, 9});
  const std::vector<VerdictInput> inputs{{"phases", 3}, {"reports", 9}, {"ahead", 5}, {"quota", 3}};
  EXPECT_EQ(
      rule->explain({Action::pause, VerdictReason::awaits_promotion, inputs}),
      "ASHA paused it: of the 9 runs that reported after 3 phases, 5 ranked before it, and the "
      "best 3 continue; it may still be promoted");
  EXPECT_EQ(rule->recompute(inputs), Action::pause);
  EXPECT_EQ(rule->recompute({{"reports", 9}, {"ahead", 2}, {"quota", 3}}), Action::go_on);
  EXPECT_EQ(rule->explain(
                {Action::go_on, VerdictReason::between_rungs, {{"phases", 2}, {"next_rung", 3}}}),
            "ASHA did not judge it: after 2 phases there is no rung, and the next one, or the end, "
            "comes after 3 phases");
}

TEST(Asha, gives_up_a_run_that_too_many_beat_already) {
  const auto rule = made({"asha", {}}, {9, 1, 3});  // 9 runs: the best 3 of the first rung
  History history(Goal::maximize, 0);
  for (int run = 0; run < 5; ++run) {
    const std::size_t index = history.add_run(history.add_trial({}));
    history.add_report(index, 0, Score::of(run));
    history.set_state(index, RunRecord::State::paused);
  }
  EXPECT_FALSE(rule->promotable(history, 1));  // three are better
  EXPECT_TRUE(rule->promotable(history, 2));
}

// Six runs paused after one phase, three of which resumed and paused after three: 5 is the best of
// the longer rung, 2 of the shorter.
TEST(Asha, promotes_from_the_longest_rung_first) {
  const auto rule = made({"asha", {}}, {9, 1, 9});
  History history(Goal::maximize, 0);
  for (int run = 0; run < 6; ++run) {
    const std::size_t index = history.add_run(history.add_trial({}));
    const int phases = run < 3 ? 1 : 3;
    for (int phase = 0; phase < phases; ++phase)
      history.add_report(index, phase, Score::of(phase == 0 ? 5 - run : run));
    history.set_state(index, RunRecord::State::paused);
  }
  const NextAction first = rule->next(history, true);
  EXPECT_EQ(first.kind, NextAction::Kind::promote);
  EXPECT_EQ(first.index, 5U);
  history.set_state(5, RunRecord::State::active);
  EXPECT_EQ(rule->next(history, true).index, 0U);
}

TEST(Hyperband, has_the_table_of_27_and_of_81) {
  const auto sizes = [](int phases) {
    std::vector<std::int64_t> trials;
    for (const BracketShape& shape : hyperband_shapes(phases, 3)) trials.push_back(shape.trials);
    return trials;
  };
  EXPECT_EQ(sizes(27), (std::vector<std::int64_t>{27, 9, 6, 4}));
  EXPECT_EQ(sizes(81), (std::vector<std::int64_t>{81, 27, 9, 6, 5}));  // 128
  EXPECT_EQ(hyperband_shapes(27, 3)[0].rungs, (Lengths{1, 3, 9, 27}));
  EXPECT_EQ(hyperband_shapes(27, 3)[2].rungs, (Lengths{9, 27}));
  EXPECT_EQ(hyperband_shapes(27, 3)[3].rungs, (Lengths{27}));
  EXPECT_EQ(hyperband_shapes(10, 3)[0].rungs, (Lengths{1, 3, 10}));
}

// Which bracket a trial is in shows in the phase that it is first compared after.
std::size_t bracket_of(const Terminator& rule, std::int64_t number) {
  History history(Goal::maximize, 0);
  for (std::int64_t trial = 0; trial <= number; ++trial) history.add_run(history.add_trial({}));
  std::size_t bracket = 0;
  for (const int phase : {0, 2, 8}) {
    const auto run = static_cast<std::size_t>(number);
    if (rule.judge(history, run, phase, Score::of(0)).reason != VerdictReason::between_rungs) break;
    ++bracket;
  }
  return bracket;
}

TEST(Hyperband, deals_46_trials_in_the_proportions_of_its_table_at_any_time) {
  const auto rule = made({"hyperband", {}}, {92, 1, 27});
  const double share[] = {27 / 46.0, 9 / 46.0, 6 / 46.0, 4 / 46.0};
  int dealt[4] = {};
  for (int number = 0; number < 92; ++number) {
    ++dealt[bracket_of(*rule, number)];
    for (int b = 0; b < 4; ++b) EXPECT_NEAR(dealt[b], share[b] * (number + 1), 1.0) << number;
    if (number == 45) {
      EXPECT_EQ(std::vector<int>(dealt, dealt + 4), (std::vector<int>{27, 9, 6, 4}));
    }
  }
}

// 46 trials, told apart at once: 342 phases from checkpoints, 405 when every rung starts again.
TEST(Hyperband, of_27_phases_spends_342_or_405) {
  const SweepShape plan{46, 1, 27};
  const auto rule = made({"hyperband", {}}, plan);
  const auto shapes = hyperband_shapes(27, 3);
  Play play(*rule, plan, 5, by_quality(falling(46)));
  play.run();
  EXPECT_EQ(play.history().trials().size(), 46U);
  EXPECT_EQ(play.phases(), 342);
  EXPECT_EQ(restarted(play,
                      [&](std::size_t run) -> const Lengths& {
                        return shapes[bracket_of(*rule, static_cast<std::int64_t>(run))].rungs;
                      }),
            405);
  EXPECT_NEAR(rule->expected_phases(), 342 / 46.0, 1e-12);
}

TEST(Sha, a_bracket_of_27_trains_27_9_3_and_1_whatever_the_order) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const SweepShape plan{27, 1, 27};
    const auto rule = made({"sha", {}}, plan);
    Play play(*rule, plan, static_cast<int>(1 + seed % 10), by_quality(shuffled(27, seed)));
    play.run();
    EXPECT_EQ(play.reached(1), 27);
    EXPECT_EQ(play.reached(3), 9);
    EXPECT_EQ(play.reached(9), 3);
    EXPECT_EQ(play.reached(27), 1);
    EXPECT_EQ(play.history().trials()[*rule->incumbent(play.history())].runs.size(), 1U);
    EXPECT_NEAR(rule->expected_phases(), (27 + 9 * 2 + 3 * 6 + 18) / 27.0, 1e-12);
  }
}

TEST(Sha, starts_another_bracket_while_a_rung_waits) {
  const SweepShape plan{18, 1, 9};  // two brackets of nine
  const auto rule = made({"sha", {}}, plan);
  Play play(*rule, plan, 3, by_quality(shuffled(18, 3)));
  play.took = [](std::size_t run, int phase) { return run == 0 && phase == 0 ? 8.0 : 1.0; };
  play.on_step = [&] { EXPECT_TRUE(!play.proposals_left() || play.training() == 3); };
  play.run();
  EXPECT_EQ(play.reached(3), 6);
  EXPECT_EQ(play.reached(9), 2);
}

TEST(Sha, what_fills_no_bracket_joins_the_last_and_the_best_is_always_trained) {
  for (const std::int64_t trials : {1, 2, 5, 13, 20}) {
    const SweepShape plan{trials, 1, 9};
    const auto rule = made({"sha", {}}, plan);
    Play play(*rule, plan, 4, by_quality(shuffled(static_cast<std::size_t>(trials), 5)));
    play.run();
    EXPECT_EQ(play.reached(9), trials == 20 ? 2 : 1) << trials;
  }
}

TEST(Sha, a_run_that_ended_before_a_rung_is_not_waited_for) {
  const auto rule = made({"sha", {{"bracket", 3}}}, {3, 1, 3});
  History history(Goal::maximize, 0);
  for (int trial = 0; trial < 3; ++trial) history.add_run(history.add_trial({}));
  history.add_report(0, 0, Score::of(5));
  history.set_state(0, RunRecord::State::paused);
  EXPECT_EQ(rule->next(history, false).kind, NextAction::Kind::propose);
  history.end_run(1, false, false);
  EXPECT_EQ(rule->next(history, false).kind, NextAction::Kind::propose);
  EXPECT_EQ(rule->judge(history, 2, 0, Score::of(6)).reason, VerdictReason::promoted);
  EXPECT_EQ(rule->judge(history, 2, 0, Score::of(4)).reason, VerdictReason::awaits_promotion);
  history.end_run(2, false, false);
  EXPECT_EQ(rule->next(history, false).kind, NextAction::Kind::promote);
}

}  // namespace
}  // namespace hone
