// The amounts of a sweep before it is submitted.
#include "server/sweep/submit/plan.hpp"

#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

TEST(Plan, counts_trials_runs_and_phases_of_a_sweep) {
  const SweepPlan plan = plan_sweep(small_spec(4, 3));
  EXPECT_EQ(plan.trials, 4);
  EXPECT_EQ(plan.runs, 4);
  EXPECT_EQ(plan.phases_at_most, 12);
  EXPECT_EQ(plan.phases_expected, 12);
}

TEST(Plan, of_a_rule_that_is_simulated_has_a_range_unless_its_phases_were_measured) {
  SweepSpec spec = small_spec(20, 9);
  spec.terminator.rule = "median";
  const SweepPlan simulated = plan_sweep(spec);
  ASSERT_TRUE(simulated.phases_range);
  EXPECT_LE(simulated.phases_range->at(0), simulated.phases_expected);
  EXPECT_GE(simulated.phases_range->at(1), simulated.phases_expected);
  const SweepPlan measured = plan_sweep(spec, 4);
  EXPECT_FALSE(measured.phases_range);
  EXPECT_EQ(measured.phases_expected, 80);
}

}  // namespace
}  // namespace hone
