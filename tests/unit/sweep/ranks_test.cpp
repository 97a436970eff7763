// Several problems compared by ranks: what a trial is worth where no value has a scale.
#include "server/search/history/seed_curves.hpp"
#include "server/search/seeds/leaders.hpp"
#include "server/sweep/state/shape.hpp"
#include "tests/unit/sweep/replicates_given.hpp"

namespace hone {
namespace {

// Games whose scores have nothing to do with one another, and no reference for either.
SweepSpec ranked(const std::string& rule, int seeds, int most = 0, std::int64_t trials = 6) {
  SweepSpec spec = replicated(rule, seeds, most, trials);
  spec.replicates.instances =
      InstancesSpec{"game", {std::string("a"), std::string("b")}, {}, {}, Normalize::ranks};
  return spec;
}

double of_two_games(std::int64_t trial, int replicate, int phase) {
  const double value = jumpy(trial, replicate, phase);
  return replicate % 2 == 0 ? 1e6 * value : 1e-6 * value;
}

TEST(Ranks, make_games_count_alike) {
  // On game a trial 2 is ahead by far, on game b trial 1 by little.
  const std::vector<std::vector<double>> value{{1, 1}, {2, 3}, {1000, 2}};
  Play play(ranked("none", 1, 0, 3), [&](std::int64_t trial, int replicate, int) {
    return value[static_cast<std::size_t>(trial)][static_cast<std::size_t>(replicate)];
  });
  play.run_to_end(play.id);
  const History& history = play.sweep(play.id).history;
  // First, second and third of three count 5/6, 3/6 and 1/6.
  EXPECT_NEAR(history.outcome(0).merit, 1.0 / 6, 1e-12);
  EXPECT_NEAR(history.outcome(1).merit, (3.0 / 6 + 5.0 / 6) / 2, 1e-12);
  EXPECT_NEAR(history.outcome(2).merit, (3.0 / 6 + 5.0 / 6) / 2, 1e-12);
}

TEST(Ranks, of_equal_values_are_equal_and_follow_the_goal) {
  SweepSpec spec = ranked("none", 1, 0, 4);
  spec.objective.goal = Goal::minimize;
  Play play(spec, [](std::int64_t trial, int, int) { return trial == 0 ? 1.0 : 7.0; });
  play.run_to_end(play.id);
  const History& history = play.sweep(play.id).history;
  EXPECT_EQ(history.outcome(0).merit, 3.5 / 4);
  for (std::size_t trial = 1; trial < 4; ++trial) EXPECT_EQ(history.outcome(trial).merit, 1.5 / 4);
}

TEST(Ranks, a_trial_that_was_stopped_stays_among_those_that_are_compared) {
  History history(Goal::maximize, 0, 1, replication_of(ranked("none", 1)));
  const std::vector<std::vector<double>> curves{{5}, {1, 2}, {4, 6}};
  for (std::size_t trial = 0; trial < 3; ++trial) {
    history.add_trial({});
    for (int game = 0; game < 2; ++game) add_curve(history, trial, curves[trial]);
  }
  EXPECT_EQ(history.outcome(0).merit, 2.5 / 3);  // at phase 0: ahead of 1 and 4
  EXPECT_EQ(history.outcome(1).merit, 0.5 / 3);  // at phase 1: still behind the 5
  EXPECT_EQ(history.outcome(2).merit, 2.5 / 3);
  const std::size_t further = history.add_run(2);
  EXPECT_EQ(history.rank_share(further, 1, 100), 3.5 / 4);  // not one of the three itself
}

// A seed that came later outlived the first ones, so that the last phase has none of its game.
TEST(Ranks, a_further_seed_alone_at_a_phase_is_compared_with_where_the_first_ended) {
  History history(Goal::maximize, 0, 1, replication_of(ranked("none", 1)));
  for (std::size_t trial = 0; trial < 2; ++trial) {
    history.add_trial({});
    for (int game = 0; game < 2; ++game) add_curve(history, trial, {5});
  }
  const std::size_t further = history.add_run(0);
  EXPECT_EQ(history.rank_share(further, 3, 9), 2.5 / 3);  // ahead of both
  EXPECT_EQ(history.rank_share(further, 3, 1), 0.5 / 3);
}

TEST(Ranks, are_the_same_in_whatever_order_reports_came) {
  History one(Goal::maximize, 0, 1, replication_of(ranked("none", 2))), other = one;
  for (std::size_t trial = 0; trial < 5; ++trial) {
    one.add_trial({}), other.add_trial({});
    for (int k = 0; k < 4; ++k) one.add_run(trial), other.add_run(trial);
  }
  const auto report = [](History& history, std::size_t run, int phase) {
    const auto trial = static_cast<std::int64_t>(run / 4);
    history.add_report(run, phase, Score::of(of_two_games(trial, int(run % 4), phase)));
  };
  for (std::size_t run = 0; run < 20; ++run)
    for (int phase = 0; phase < 3; ++phase) report(one, run, phase);
  for (int phase = 0; phase < 3; ++phase)
    for (std::size_t run = 20; run > 0; --run) report(other, run - 1, phase);
  EXPECT_TRUE(std::ranges::equal(one.ranked(), other.ranked()));
  for (std::size_t trial = 0; trial < 5; ++trial)
    EXPECT_EQ(one.outcome(trial).merit, other.outcome(trial).merit);
}

TEST(Ranks, every_rule_ends_and_its_verdicts_follow_from_their_inputs) {
  for (const TerminatorRow& row : terminator_table()) {
    if (row.rule == "pbt") continue;  // a member is one run
    Play play(ranked(std::string(row.rule), 1, 3), of_two_games);
    play.run_to_end(play.id);
    EXPECT_EQ(play.sweep(play.id).state, SweepState::completed) << row.rule;
    const Terminator& rule = *play.sweep(play.id).terminator;
    for (const auto& [run, verdicts] : play.verdicts)
      for (const Verdict& verdict : verdicts) {
        if (verdict.reason == VerdictReason::last_phase) continue;
        if (verdict.reason == VerdictReason::finishes) continue;  // its rule would pause it
        EXPECT_EQ(rule.recompute(verdict.inputs), verdict.action) << rule.explain(verdict);
      }
    const auto leaders = find_leaders(play.sweep(play.id).history, 1);
    ASSERT_FALSE(leaders.empty());
    EXPECT_GE(leaders[0], 4U) << row.rule << " names a set that is worth little in both games";
  }
}

TEST(Ranks, of_another_sweep_start_none) {
  SweepSpec spec = ranked("none", 1, 0, 2);
  Play play(spec, of_two_games);
  play.run_to_end(play.id);
  spec.search.warm_start = {play.id};
  play.when(Submit{{"again", spec, {}}});
  ASSERT_TRUE(play.error);
  EXPECT_NE(play.error->detail.find("ranks"), std::string::npos);
}

}  // namespace
}  // namespace hone
