// The simulated sweep against what can be told by hand.
#include "server/simulate/world.hpp"

#include <gtest/gtest.h>

#include <string>

#include "schemas/types/spec.hpp"
#include "server/simulate/summary.hpp"

namespace hone::simulate {
namespace {

// Ten configurations; number k reports k at each of four checkpoints.
CurveTable ramp() {
  std::string csv = "x,seed,v1,v2,v3,v4\n";
  for (int k = 0; k < 10; ++k) {
    const std::string value = std::to_string(k);
    csv += value + ",0," + value + "," + value + "," + value + "," + value + "\n";
  }
  return std::move(CurveTable::parse("ramp", csv, R"({"goal": "maximize", "parameters":
    {"x": {"type": "int", "min": 0, "max": 9}}})"))
      .value();
}

SweepSpec sweep(const std::string& rule, std::int64_t trials = 50, int phases = 4) {
  SweepSpec spec;
  spec.name = "simulated";
  spec.objective = {"value", Goal::maximize};
  spec.parameters = {{"x", IntDomain{0, 9, Scale::linear, 1}, ""}};
  spec.search.trials = trials;
  spec.terminator.rule = rule;
  spec.budget = {"checkpoints", 4, phases};
  return spec;
}

Outcome play(const SweepSpec& spec, const Setting& setting) {
  return std::move(simulate(spec, ramp(), setting)).value();
}

TEST(Simulate, workers_of_a_sweep_without_a_rule_train_complete_runs_without_a_pause) {
  const Outcome outcome = play(sweep("none"), {3, 2, 0.05, 7});
  EXPECT_EQ(outcome.runs, 9);  // three each: the third starts at the deadline
  EXPECT_EQ(outcome.reports, 3 * 2 * 4);
  EXPECT_DOUBLE_EQ(outcome.busy, 1);
  EXPECT_EQ(outcome.anytime.size(), std::size_t{anytime_points});
}

TEST(Simulate, a_sweep_that_runs_out_of_trials_ends_and_leaves_its_workers_idle) {
  const Outcome outcome = play(sweep("none", 3), {3, 2, 0.05, 7});
  EXPECT_EQ(outcome.runs, 3);
  EXPECT_DOUBLE_EQ(outcome.busy, 0.5);
  EXPECT_DOUBLE_EQ(outcome.ended, 1);
}

TEST(Simulate, a_sweep_may_learn_from_one_that_was_played_before_it) {
  const SweepSpec before = sweep("none");
  Setting setting{3, 2, 0.05, 7};
  SweepSpec spec = sweep("none");
  const Outcome alone = play(spec, setting);
  setting.before = &before;
  const Outcome after = play(spec, setting);
  EXPECT_EQ(after.reports, alone.reports) << "its own time, and its own reports";
  EXPECT_DOUBLE_EQ(after.busy, 1);
  spec.search.method = "cmaes";  // begins where the earlier trials were good
  EXPECT_GT(play(spec, setting).true_value, 7);
  SweepSpec other = sweep("none");
  other.search.method = "dehb";
  EXPECT_FALSE(simulate(other, ramp(), setting).ok()) << "dehb takes no warm start";
}

TEST(Simulate, before_the_first_report_the_answer_is_a_blind_guess) {
  const Outcome outcome = play(sweep("none", 50, 1), {1, 1, 0.05, 7});
  EXPECT_DOUBLE_EQ(outcome.anytime.front().named, ramp().blind_regret());
}

TEST(Simulate, regret_never_grows_where_reports_are_the_truth) {
  for (const char* rule : {"none", "hypertrick", "hone"}) {
    const Outcome outcome = play(sweep(rule), {2, 3, 0.05, 11});
    // Before the first report, a quarter of a run from the start, the answer is a guess.
    for (std::size_t i = 3; i < outcome.anytime.size(); ++i)
      EXPECT_LE(outcome.anytime[i].single, outcome.anytime[i - 1].single) << rule;
  }
}

TEST(Simulate, the_same_seed_gives_the_same_sweep) {
  const Outcome once = play(sweep("hone"), {4, 2, 0.05, 5}),
                again = play(sweep("hone"), {4, 2, 0.05, 5});
  EXPECT_EQ(once.reports, again.reports);
  EXPECT_DOUBLE_EQ(once.anytime[10].named, again.anytime[10].named);
  EXPECT_NE(play(sweep("hone"), {4, 2, 0.05, 6}).anytime[4].named, once.anytime[4].named);
}

TEST(Simulate, promotion_finds_more_than_complete_runs_in_the_same_time) {
  Tally complete, promoted;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    complete.add(play(sweep("none"), {2, 1, 0.05, seed}));
    promoted.add(play(sweep("hone"), {2, 1, 0.05, seed}));
  }
  EXPECT_LT(promoted.summary().named.back().mean, 0.7 * complete.summary().named.back().mean);
  EXPECT_GT(promoted.summary().trials.mean, complete.summary().trials.mean);
}

// Configuration k has one seed that is lucky by 8 and four that are not.
CurveTable lucky_once() {
  std::string csv = "x,seed,v1\n";
  for (int k = 0; k < 10; ++k)
    for (int seed = 0; seed < 5; ++seed)
      csv += std::to_string(k) + "," + std::to_string(seed) + "," +
             std::to_string(seed == 0 ? k + 8 : k - 2) + "\n";
  return std::move(CurveTable::parse("lucky", csv, R"({"goal": "maximize", "parameters":
    {"x": {"type": "int", "min": 0, "max": 9}}})"))
      .value();
}

TEST(Simulate, a_confirmation_on_seeds_that_tuning_never_saw_is_not_lucky_as_well) {
  SweepSpec spec = sweep("none", 40, 1);
  spec.confirm = ConfirmSpec{1, 4};
  const Outcome outcome = simulate(spec, lucky_once(), {4, 12, 0.05, 7}).value();
  EXPECT_GT(outcome.gap, 1);  // the best of forty single runs had the lucky seed
  EXPECT_NEAR(outcome.confirmed_gap, outcome.gap * -2 / 8, 1e-12);  // the four others
  spec.confirm.reset();
  const Outcome single = simulate(spec, lucky_once(), {4, 12, 0.05, 7}).value();
  EXPECT_EQ(single.confirmed_gap, single.gap);
}

TEST(Simulate, refuses_a_sweep_that_the_server_would_refuse) {
  SweepSpec spec = sweep("none");
  spec.terminator.rule = "no_such_rule";
  EXPECT_FALSE(simulate(spec, ramp(), {}).ok());
  spec = sweep("none");
  spec.parameters.front().name = "y";
  EXPECT_FALSE(simulate(spec, ramp(), {}).ok());
}

TEST(Simulate, refuses_a_population_whose_forks_no_curve_tells) {
  SweepSpec spec;
  spec.search = {"pbt", 4};
  const auto outcome = simulate(spec, ramp(), {});
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().at, "/search/method");
  EXPECT_NE(outcome.error().detail.find("no recorded curve"), std::string::npos);
}

TEST(Tally, gives_means_and_standard_errors) {
  Tally tally;
  for (const double value : {1.0, 2.0, 6.0}) {
    Outcome outcome;
    outcome.anytime.assign(anytime_points, {value, value});
    outcome.to_target = value == 6 ? -1 : value;
    tally.add(outcome);
  }
  const Summary summary = tally.summary();
  EXPECT_DOUBLE_EQ(summary.named[0].mean, 3);
  EXPECT_NEAR(summary.named[0].standard_error, 1.5275252316519468, 1e-12);
  EXPECT_NEAR(summary.found, 2.0 / 3, 1e-12);
  EXPECT_DOUBLE_EQ(summary.to_target.mean, 1.5);
}

}  // namespace
}  // namespace hone::simulate
