// How far early ranks foretell those at the end, against numbers worked out by hand.
#include "server/search/terminators/hone/rank_prior.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "server/search/terminators/terminator.hpp"
#include "tests/unit/search/play.hpp"

namespace hone {
namespace {

using Curves = std::vector<std::vector<double>>;

// One trial with one run for each curve; NaN stands for a report that diverged.
History ended_history(const Curves& curves) {
  History history(Goal::maximize, 0);
  for (const auto& curve : curves) {
    const auto run = history.add_run(history.add_trial({}));
    int phase = 0;
    for (const double value : curve)
      history.add_report(run, phase++, std::isnan(value) ? Score::diverged() : Score::of(value));
    history.end_run(run, phase == 10, true);
  }
  return history;
}

// `early` until phase `turn` of 10, then `late`. Smoothed over a tenth of a run, a large change
// shows at the next phase.
std::vector<double> turning(double early, double late, int turn) {
  std::vector<double> curve(10, late);
  std::fill_n(curve.begin(), turn, early);
  return curve;
}

std::optional<RankPrior> measured(const Curves& curves) {
  const History history = ended_history(curves);
  const EarlierSweep one{history, 10, 1};
  return measure_rank_prior(std::span(&one, 1));
}

constexpr double diverged = std::numeric_limits<double>::quiet_NaN();

TEST(RankPrior, is_one_where_ranks_never_change) {
  const auto prior = measured({turning(1, 1, 0), turning(2, 2, 0), turning(3, 3, 0)});
  ASSERT_TRUE(prior);
  EXPECT_EQ(prior->runs, 3);
  ASSERT_EQ(prior->tenths.size(), 9U);
  for (const RankAgreement& one : prior->tenths) {
    EXPECT_DOUBLE_EQ(one.tau, 1);
    EXPECT_DOUBLE_EQ(one.error, 0.5 / std::sqrt(3)) << "three runs prove little";
  }
}

TEST(RankPrior, counts_pairs_whose_better_run_is_in_the_better_third) {
  // At the end 9 > 8 > ... > 4: the better third are the first two. Early on the first one is last.
  const auto prior = measured({turning(0, 900, 5), turning(8, 800, 5), turning(7, 700, 5),
                               turning(6, 600, 5), turning(5, 500, 5), turning(4, 400, 5)});
  ASSERT_TRUE(prior);
  // Its five pairs disagree, the four of the second agree: (4 - 5) / 9.
  EXPECT_DOUBLE_EQ(prior->tenths[0].tau, -1.0 / 9);
  EXPECT_DOUBLE_EQ(prior->tenths[8].tau, 1);
}

TEST(RankPrior, a_tie_counts_as_half_agreed) {
  const auto prior = measured({turning(1, 900, 5), turning(1, 800, 5), turning(0, 700, 5)});
  ASSERT_TRUE(prior);
  EXPECT_DOUBLE_EQ(prior->tenths[0].tau, 0.5);  // the better third is the first: one tie of two
}

TEST(RankPrior, a_run_that_diverged_is_last_from_then_on) {
  const auto prior = measured({turning(1, 1, 0), {5, 5, 5, diverged}});
  ASSERT_TRUE(prior);
  EXPECT_EQ(prior->runs, 1) << "only one is complete";
  EXPECT_DOUBLE_EQ(prior->tenths[2].tau, -1) << "it led after three phases";
  EXPECT_DOUBLE_EQ(prior->tenths[3].tau, 1);
}

TEST(RankPrior, leaves_out_forks_whose_first_ranks_are_those_of_another_run) {
  History history = ended_history({turning(1, 1, 0), turning(2, 2, 0), turning(3, 3, 0)});
  const auto fork = history.add_run(history.add_trial({}));
  history.inherit(fork, std::vector<Score>(5, Score::of(1)));
  for (int phase = 5; phase < 10; ++phase) history.add_report(fork, phase, Score::of(9));
  history.end_run(fork, true, true);
  const EarlierSweep one{history, 10, 1};
  const auto prior = measure_rank_prior(std::span(&one, 1));
  ASSERT_TRUE(prior);
  EXPECT_EQ(prior->runs, 3);
  EXPECT_EQ(prior->tenths[0].tau, 1);
}

TEST(RankPrior, leaves_out_runs_that_were_stopped_and_needs_two_that_were_not) {
  EXPECT_FALSE(measured({turning(1, 1, 0), {5, 5, 5}}));
  EXPECT_FALSE(measured({}));
  EXPECT_FALSE(measured({turning(1, 1, 0), turning(1, 1, 0)})) << "equal at the end";
}

TEST(RankPrior, compares_only_runs_of_one_sweep) {
  const History low = ended_history({turning(1, 10, 5), turning(2, 20, 5)});
  const History high = ended_history({turning(200, 100, 5), turning(100, 200, 5)});
  const std::vector<EarlierSweep> both{{low, 10, 1}, {high, 10, 1}};
  const auto prior = measure_rank_prior(both);
  ASSERT_TRUE(prior);
  EXPECT_EQ(prior->runs, 4);
  EXPECT_DOUBLE_EQ(prior->tenths[0].tau, 0) << "one pair agrees, the other does not";
}

TEST(RankPrior, trust_is_the_upper_end_of_the_agreement_and_grows_to_one) {
  RankPrior prior{4, std::vector<RankAgreement>(9, {0.2, 0.1})};
  prior.tenths[8] = {0.9, 0.3};
  prior.tenths[0] = {-0.9, 0.1};
  EXPECT_DOUBLE_EQ(trust(prior, 1, 10), 0);
  EXPECT_DOUBLE_EQ(trust(prior, 1, 100), 0) << "before a tenth: as at a tenth";
  EXPECT_DOUBLE_EQ(trust(prior, 3, 20), 0.15) << "between 0 and 0.3";
  EXPECT_NEAR(trust(prior, 5, 10), 0.3, 1e-12);
  EXPECT_DOUBLE_EQ(trust(prior, 9, 10), 1) << "at most";
  EXPECT_DOUBLE_EQ(trust(prior, 10, 10), 1);
}

// Four runs that have reported once, of ten phases.
History four_paused() {
  History history(Goal::maximize, 0);
  for (const double value : {1, 4, 2, 3}) {
    const auto run = history.add_run(history.add_trial({}));
    history.add_report(run, 0, Score::of(value));
    history.set_state(run, RunRecord::State::paused);
  }
  return history;
}

std::unique_ptr<Terminator> told(double tau, double version) {
  SweepShape shape{.trials = 100, .seeds = 1, .phases = 10};
  shape.rank_prior = RankPrior{9, std::vector<RankAgreement>(9, {tau, 0})};
  return made({"hone", {{"version", version}, {"hedge", 0}}}, shape);
}

TEST(RankPrior, where_early_ranks_tell_nothing_no_run_is_held_back) {
  History history = four_paused();
  const auto rule = told(0, 4);
  for (int taken = 0; taken < 4; ++taken) {
    const NextAction move = rule->next(history, true);
    ASSERT_EQ(move.kind, NextAction::Kind::promote) << taken;
    history.set_state(move.index, RunRecord::State::active);
  }
  // Version 3 knows of no earlier sweep: one of four continues.
  history = four_paused();
  const auto before = told(0, 3);
  const NextAction first = before->next(history, true);
  ASSERT_EQ(first.kind, NextAction::Kind::promote);
  history.set_state(first.index, RunRecord::State::active);
  EXPECT_EQ(before->next(history, true).kind, NextAction::Kind::propose);
}

TEST(RankPrior, a_verdict_tells_the_trust_that_it_rests_on) {
  const History history = four_paused();
  History more = history;
  const auto run = more.add_run(more.add_trial({}));
  const auto rule = told(0.25, 4);
  const Verdict verdict = rule->judge(more, run, 0, Score::of(0));
  EXPECT_EQ(verdict.inputs.back().name, "trust");
  EXPECT_DOUBLE_EQ(verdict.inputs.back().value, 0.25);
  // Five runs, 2 u = 0.5: 5 (1/2)^0.5.
  EXPECT_NEAR(verdict.inputs[2].value, 5 * std::sqrt(0.5), 1e-12);
  EXPECT_NE(rule->explain(verdict).find("earlier sweeps"), std::string::npos);
  EXPECT_EQ(rule->recompute(verdict.inputs), verdict.action);
}

TEST(RankPrior, a_short_lead_counts_for_less_than_a_complete_run) {
  History history(Goal::maximize, 0);
  const std::vector<double> poor(5, 1);
  for (const auto& curve :
       Curves{turning(8, 8, 0), std::vector<double>(5, 9.5), poor, poor, poor}) {
    const auto run = history.add_run(history.add_trial({}));
    int phase = 0;
    for (const double value : curve) history.add_report(run, phase++, Score::of(value));
  }
  EXPECT_EQ(told(1, 4)->incumbent(history), 1U);
  EXPECT_EQ(told(0.1, 4)->incumbent(history), 0U);
}

}  // namespace
}  // namespace hone
