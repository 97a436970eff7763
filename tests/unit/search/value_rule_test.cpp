// Stepped ranges in spaces: values as people write them, and those of sweeps before that.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/search/space/search_space.hpp"

namespace hone {
namespace {

const FloatDomain tenths{0, 1, Scale::linear, 0.1, {}};

SearchSpace space_with(const std::string& when, std::vector<std::string> constraints = {},
                       ValueRule rule = ValueRule::decimal) {
  auto space = SearchSpace::make(
      {{"d", tenths, ""}, {"e", tenths, ""}, {"y", FloatDomain{0, 1, Scale::linear, {}, {}}, when}},
      constraints, WitnessSearch::thorough, rule);
  return std::move(space).value();
}

// How often `y` is active in so many random sets.
int times_active(const SearchSpace& space) {
  Rng rng(7, Purpose::witness, 1);
  int active = 0;
  for (int i = 0; i < 1100; ++i)
    active += find(space.params_at(space.uniform_point(rng)), "y") != nullptr ? 1 : 0;
  return active;
}

TEST(SteppedParameters, a_condition_on_0_3_never_held) {
  EXPECT_NEAR(times_active(space_with("d == 0.3")), 100, 40);
  EXPECT_NEAR(times_active(space_with("d in [0.6, 0.7]")), 200, 60);
  EXPECT_NEAR(times_active(space_with("d <= 0.3")), 400, 80);
  EXPECT_NEAR(times_active(space_with("d < 0.3")), 300, 80);
  EXPECT_NEAR(times_active(space_with("d >= 0.7")), 400, 80);
  EXPECT_NEAR(times_active(space_with("d > 0.7")), 300, 80);
  EXPECT_NEAR(times_active(space_with("d != 0.3")), 1000, 40);
}

TEST(SteppedParameters, sums_and_multiples_compare_as_decimals) {
  EXPECT_NEAR(times_active(space_with("d + e == 0.3")), 1100 * 4 / 121, 25);
  EXPECT_NEAR(times_active(space_with("d * 3 == 0.9")), 100, 40);
  EXPECT_NEAR(times_active(space_with("floor(d / 0.1) == 3")), 100, 40);
  EXPECT_NEAR(times_active(space_with("d % 0.1 == 0")), 1100, 0);
}

TEST(SteppedParameters, constraints_bind_at_the_decimals) {
  const SearchSpace space = space_with("", {"d + e <= 0.3"});
  EXPECT_TRUE(space.feasible(Params{{"d", 0.1}, {"e", 0.2}, {"y", 0.5}}));
  EXPECT_FALSE(space.feasible(Params{{"d", 0.2}, {"e", 0.2}, {"y", 0.5}}));
}

TEST(SteppedParameters, a_set_as_people_write_it_has_a_point) {
  const SearchSpace space = space_with("");
  const auto written = space.point_of({{"d", 0.3}, {"e", std::int64_t{1}}, {"y", 0.5}});
  const auto recorded = space.point_of({{"d", 0.30000000000000004}, {"e", 1.0}, {"y", 0.5}});
  ASSERT_TRUE(written && recorded);
  EXPECT_EQ(*written, *recorded);
  EXPECT_EQ(space.params_at(*written), (Params{{"d", 0.3}, {"e", 1.0}, {"y", 0.5}}));
}

// A sweep that was submitted before keeps its values, conditions and history in all bits.
TEST(SteppedParameters, sweeps_of_earlier_rules_keep_binary_values) {
  const SearchSpace space = space_with("d <= 0.3", {}, ValueRule::binary);
  EXPECT_NEAR(times_active(space), 300, 80) << "0.30000000000000004 is above 0.3";
  const Params recorded{{"d", 0.30000000000000004}, {"e", 1.0}};
  const auto point = space.point_of(recorded);
  ASSERT_TRUE(point);
  EXPECT_EQ(space.params_at(*point), recorded);
  EXPECT_FALSE(space.point_of({{"d", 0.3}, {"e", 1.0}, {"y", 0.5}}));
  EXPECT_FALSE(space.point_of({{"d", 0.1}, {"e", std::int64_t{1}}, {"y", 0.5}}));
  EXPECT_EQ(space.entered(0, 0.3), Value{0.30000000000000004}) << "what a user means is taken";
}

// Names that the codec takes could not be read: "'batch' is no parameter of this sweep".
TEST(NamesWithDashes, are_read_in_conditions) {
  const IntDomain sizes{1, 9, Scale::linear, 1, {}};
  const auto active = [&](const std::string& when, Space before) {
    before.push_back({"y", FloatDomain{0, 1, Scale::linear, {}, {}}, when});
    auto space = SearchSpace::make(before, {});
    EXPECT_TRUE(space.ok()) << when << ": " << space.error().detail;
    return space.ok() ? times_active(*space) : -1;
  };
  const Space dashes{{"batch-size", sizes, ""}, {"batch-size.max", sizes, ""}};
  EXPECT_NEAR(active("batch-size > 6", dashes), 1100 / 3, 60);
  EXPECT_NEAR(active("`batch-size` > 6", dashes), 1100 / 3, 60);
  EXPECT_NEAR(active("batch-size-1 > 6", dashes), 1100 * 2 / 9, 60);
  EXPECT_NEAR(active("`batch-size.max`-`batch-size` == 0", dashes), 1100 / 9, 50);
  // Where a part of the name is a parameter, too, only backquotes mean the whole.
  const Space both{{"batch", sizes, ""}, {"size", sizes, ""}, {"batch-size", sizes, ""}};
  EXPECT_NEAR(active("batch-size == 0", both), 1100 / 9, 50);
  EXPECT_EQ(active("`batch-size` == 0", both), 0);
  EXPECT_FALSE(Expression::parse("`batch-size > 4").ok());
}

}  // namespace
}  // namespace hone
