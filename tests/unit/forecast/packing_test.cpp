#include "server/forecast/packing.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace hone::forecast {
namespace {

constexpr int a = 1, b = 2;

void observe(PairEstimate& pairs, int type, int other, std::initializer_list<double> shares) {
  for (const double share : shares) pairs.observe({0, type, other}, share);
}

TEST(Packing, nothing_measured_means_that_runs_do_not_disturb_each_other) {
  const PairEstimate pairs(1);
  const Packing packing = pack(pairs, 0, std::array{a, a, b}, b);
  EXPECT_DOUBLE_EQ(packing.speed, 1);
  EXPECT_DOUBLE_EQ(packing.without, 3);
  EXPECT_DOUBLE_EQ(packing.with, 4);
  EXPECT_EQ(packing.measured, 0);
  EXPECT_FALSE(packing.loses());
}

TEST(Packing, each_neighbour_adds_its_own_delay) {
  PairEstimate pairs(1);
  for (int i = 0; i < 5000; ++i) {
    pairs.observe({0, a, a}, 0.9);
    pairs.observe({0, a, b}, 0.5);
    pairs.observe({0, b, a}, 0.8);
  }
  const Packing packing = pack(pairs, 0, std::array{a, a}, b);
  EXPECT_NEAR(packing.without, 2 * 0.9, 0.01);
  EXPECT_NEAR(packing.speed, 1 / 1.5, 0.01);
  EXPECT_NEAR(packing.with, 2 / (1 / 0.9 + 1) + 1 / 1.5, 0.01);
  EXPECT_TRUE(packing.loses());
}

TEST(Packing, a_few_measurements_of_one_pair_are_near_its_truth_although_they_are_drawn) {
  PairEstimate pairs(1);
  observe(pairs, a, a, {0.5, 0.5, 0.5});
  EXPECT_NEAR(pack(pairs, 0, std::array{a}, a).speed, 0.5, 0.05);
}

TEST(Packing, two_runs_that_share_a_core_without_a_loss_do_not_lose) {
  PairEstimate pairs(1);
  for (int i = 0; i < 50; ++i) observe(pairs, a, a, {0.49, 0.5, 0.51});
  const Packing packing = pack(pairs, 0, std::array{a}, a);
  EXPECT_NEAR(packing.with, 1, 0.01);
  EXPECT_FALSE(packing.loses());
}

TEST(Packing, a_pair_loses_after_three_measurements_of_both_directions) {
  PairEstimate pairs(1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(pack(pairs, 0, std::array{a}, b).loses()) << i;
    observe(pairs, a, b, {0.3});
    EXPECT_FALSE(pack(pairs, 0, std::array{a}, b).loses()) << i;
    observe(pairs, b, a, {0.3});
  }
  EXPECT_TRUE(pack(pairs, 0, std::array{a}, b).loses());
}

TEST(Packing, measurements_that_differ_widely_prove_nothing) {
  PairEstimate even(1), wide(1);
  observe(even, a, a, {0.28, 0.3, 0.32});
  observe(wide, a, a, {0.02, 0.08, 0.8});
  EXPECT_TRUE(pack(even, 0, std::array{a}, a).loses());
  EXPECT_FALSE(pack(wide, 0, std::array{a}, a).loses());
}

TEST(Packing, many_runs_that_share_a_core_have_its_speed_together) {
  PairEstimate pairs(1);
  for (int i = 0; i < 2000; ++i) pairs.observe({0, a, a}, 0.5);
  const Packing packing = pack(pairs, 0, std::vector<int>(7, a), a);
  EXPECT_NEAR(packing.speed, 1.0 / 8, 0.01);
  EXPECT_NEAR(packing.with, 1, 0.01);
  EXPECT_FALSE(packing.loses());
}

TEST(Packing, a_pair_that_is_limited_follows_new_measurements_soon) {
  PairEstimate pairs(1);
  for (int i = 0; i < 32; ++i) pairs.observe({0, a, b}, 0.3);
  pairs.limit({0, a, b}, 3);
  EXPECT_NEAR(pairs.measured({0, a, b}).mean(), 0.3, 1e-12);
  observe(pairs, a, b, {0.9, 0.9, 0.9});
  EXPECT_NEAR(pairs.measured({0, a, b}).mean(), 0.6, 1e-12);
}

TEST(Packing, a_pair_that_is_forgotten_leaves_its_type_where_other_pairs_have_it) {
  PairEstimate pairs(1);
  observe(pairs, a, a, {0.5, 0.5, 0.5, 0.5});
  observe(pairs, a, b, {0.5, 0.5, 0.5, 0.5});
  pairs.forget({0, a, b});
  EXPECT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs.measured({0, a, b}).count, 0);
  EXPECT_LT(pairs.share({0, a, b}), 0.8);
}

}  // namespace
}  // namespace hone::forecast
