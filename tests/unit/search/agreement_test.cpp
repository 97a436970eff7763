// Version 5 of the rule hone: agreement of ranks measured in the sweep, against known truth.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "base/rng.hpp"
#include "server/search/space/space.hpp"
#include "server/search/terminators/hone/rank_chain.hpp"
#include "server/search/terminators/rule_helpers.hpp"
#include "tests/unit/search/play.hpp"

namespace hone {
namespace {

constexpr std::array stages{1, 2, 4};

std::unique_ptr<Terminator> newest(const SweepShape& shape) {
  return made({"hone", {{"version", 5}}}, shape);
}

History reported(const std::vector<std::vector<double>>& curves) {
  History history(Goal::maximize, 0);
  for (const auto& curve : curves) {
    const auto run = history.add_run(history.add_trial({}));
    int phase = 0;
    for (const double value : curve) history.add_report(run, phase++, Score::of(value));
    history.set_state(run, RunRecord::State::paused);
  }
  return history;
}

// Many runs whose values at two phases have correlation `r`; of those that lead at the first one,
// the share `kept` reports the second one.
History selected(double r, double kept) {
  Rng rng(7, Purpose::simulation, 0);
  std::vector<std::vector<double>> curves;
  for (int run = 0; run < 20000; ++run) {
    const double first = rng.normal();
    const double second = r * first + std::sqrt(1 - r * r) * rng.normal();
    curves.push_back({first});
    if (normal_cdf(first) > 1 - kept) curves.back().push_back(second);
  }
  return reported(curves);
}

// Without memory a score is the last report.
RankChain chain_of(const History& history, double caution = 0) {
  AgreementPrior prior;
  prior.caution = caution;
  return {SmoothedCurves(history, 1, 1e-3, 4), stages, prior};
}

TEST(RankChain, measures_the_agreement_of_all_runs_although_only_the_best_continued) {
  for (const double r : {0.2, 0.6, 0.9})
    for (const double kept : {1.0, 0.3})
      EXPECT_NEAR(chain_of(selected(r, kept)).step(0).measured, r, 0.06) << r << " " << kept;
}

TEST(RankChain, places_of_those_that_continued_are_among_all_that_started) {
  const History history = selected(0.6, 0.3);
  const RankChain chain = chain_of(history);
  double sum = 0, count = 0;
  for (const RunRecord& run : history.runs())
    if (run.merits.size() == 2) sum += chain.place(run.trial).normal, ++count;
  // The best 30 % of a normal distribution have the mean 1.159.
  EXPECT_NEAR(sum / count, 0.6 * 1.159, 0.05);
}

TEST(RankChain, relies_on_nothing_before_a_run_has_shown_anything) {
  const History history = reported({{1}, {2}, {3}});
  const RankChain chain = chain_of(history, 2);
  EXPECT_EQ(chain.reliance(0), 0);
  EXPECT_EQ(chain.reliance(2), 1) << "the end itself";
  EXPECT_NEAR(chain.step(0).measured, 0.85, 1e-12) << "what is believed of a doubling";
}

TEST(RankChain, relies_on_more_the_more_runs_agree) {
  double before = 0;
  for (const int runs : {6, 12, 40}) {
    std::vector<std::vector<double>> curves;
    for (int run = 0; run < runs; ++run) {
      const double value = run;
      curves.push_back({value, value, value, value});
    }
    const double now = chain_of(reported(curves), 2).reliance(0);
    EXPECT_GT(now, before) << runs;
    before = now;
  }
  EXPECT_GT(before, 0.8);
}

TEST(RankChain, a_run_that_diverged_is_last_and_is_not_named) {
  History history = reported({{5}, {1, 1}, {2, 2}});
  history.add_report(0, 1, Score::diverged());
  const RankChain chain = chain_of(history);
  EXPECT_TRUE(chain.place(0).diverged);
  EXPECT_LT(chain.place(0).normal, chain.place(1).normal);
  EXPECT_EQ(newest({10, 1, 4})->incumbent(history), 2U);
}

// One more run agrees by two standard errors less than what it shows; Fisher's transform has the
// error 1 / sqrt(runs).
TEST(RankChain, takes_two_standard_errors_off) {
  const Agreement agreement = agreement_of({0.5, 7}, {0.5, 2}, 2);
  EXPECT_NEAR(agreement.measured, 0.5, 1e-12);
  EXPECT_NEAR(agreement.error, 0.75 / 3, 1e-12);
  EXPECT_NEAR(agreement.used, std::max(0.0, std::tanh(std::atanh(0.5) - 2.0 / 3)), 1e-12);
}

TEST(RankChain, an_earlier_sweep_takes_the_place_of_what_is_believed) {
  AgreementPrior prior;
  prior.earlier = RankPrior{30, std::vector<RankAgreement>(9, {1.0 / 3, 0.1})};
  // Kendall's tau of 1 / 3 is a correlation of 1 / 2; between two tenths nothing is lost.
  EXPECT_NEAR(believed_agreement(prior, 9, 10, 10).seen, 0.5, 1e-12);
  EXPECT_NEAR(believed_agreement(prior, 1, 2, 10).seen, 1, 1e-12);
  EXPECT_EQ(believed_agreement(prior, 1, 2, 10).runs, 30);
}

TEST(AgreementRule, nothing_ends_at_the_first_tenth_before_ranks_have_held) {
  const auto rule = newest({100, 1, 10});
  History history(Goal::maximize, 0);
  for (int trial = 0; trial < 5; ++trial) {
    const auto run = history.add_run(history.add_trial({}));
    EXPECT_EQ(rule->judge(history, run, 0, Score::of(-trial)).action, Action::go_on);
    history.add_report(run, 0, Score::of(-trial));
  }
}

// A sweep whose sets keep their order, or whose order at the end has nothing to do with that before
// its last tenth.
double trained_of_each(bool order_holds) {
  const SweepShape shape{60, 1, 10};
  const auto rule = newest(shape);
  Play play(*rule, shape, 4, [&](std::size_t run, int phase) {
    Rng early(3, Purpose::simulation, run), late(3, Purpose::simulation, run + 1000);
    return Score::of(order_holds || phase < 5 ? early.uniform() : late.uniform());
  });
  play.run();
  return static_cast<double>(play.phases()) / 60;
}

TEST(AgreementRule, selects_strictly_only_where_ranks_have_held) {
  EXPECT_LT(trained_of_each(true), 7);
  EXPECT_GT(trained_of_each(false), trained_of_each(true) + 1);
}

TEST(AgreementRule, a_verdict_holds_the_agreement_its_error_and_the_strength) {
  std::vector<std::vector<double>> curves;
  for (int run = 0; run < 12; ++run) curves.emplace_back(std::size_t{10}, run);
  History history = reported(curves);
  const auto run = history.add_run(history.add_trial({}));
  const auto rule = newest({100, 1, 10});
  const Verdict verdict = rule->judge(history, run, 0, Score::of(3.5));
  EXPECT_EQ(verdict.action, Action::pause);
  EXPECT_EQ(input(verdict.inputs, "place"), 9);
  EXPECT_GT(input(verdict.inputs, "agreement"), 0.9);
  EXPECT_GT(input(verdict.inputs, "error"), 0);
  EXPECT_DOUBLE_EQ(input(verdict.inputs, "strength"), 2 * input(verdict.inputs, "reliance"));
  EXPECT_NE(rule->explain(verdict).find("ranks here agree with"), std::string::npos);
  EXPECT_EQ(rule->recompute(verdict.inputs), verdict.action);
}

TEST(AgreementRule, a_verdict_after_a_warm_start_names_the_earlier_runs) {
  SweepShape shape{100, 1, 10};
  shape.rank_prior = RankPrior{30, std::vector<RankAgreement>(9, {0.9, 0.1})};
  const auto rule = newest(shape);
  History history = reported({{1}, {2}, {3}, {4}});
  const auto run = history.add_run(history.add_trial({}));
  const Verdict verdict = rule->judge(history, run, 0, Score::of(0));
  EXPECT_EQ(input(verdict.inputs, "earlier_runs"), 30);
  EXPECT_EQ(verdict.action, Action::pause) << "ranks held before, so the last of five waits";
  EXPECT_NE(rule->explain(verdict).find("with 30 runs of earlier sweeps"), std::string::npos);
  EXPECT_EQ(rule->recompute(verdict.inputs), verdict.action);
}

TEST(AgreementRule, several_seeds_of_a_trial_are_judged_by_it) {
  // They were refused: a setting that this version lacks was added for them.
  SweepShape shape{10, 2, 10};
  shape.replication.first = shape.replication.most = 2;
  const auto rule = newest(shape);
  EXPECT_TRUE(rule->pauses());
  EXPECT_FALSE(rule->takes_second_looks());
}

TEST(AgreementRule, has_no_setting_for_what_was_not_about_ranks) {
  for (const char* name : {"efficiency", "hedge", "second_looks", "shrink", "decline"}) {
    const auto made = make_terminator({"hone", {{"version", 5}, {name, 0}}}, {10, 1, 10});
    ASSERT_FALSE(made.ok()) << name;
    EXPECT_EQ(made.error().at, std::string("/terminator/") + name);
  }
}

}  // namespace
}  // namespace hone
