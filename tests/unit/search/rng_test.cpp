#include "base/rng.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace hone {
namespace {

// Recorded once; a change here means that no recorded sweep proposes the same parameters again.
TEST(Rng, known_answers) {
  Rng rng(17, Purpose::propose, 0);
  EXPECT_EQ(rng.bits(), 0xae448e3790861b68ULL);
  EXPECT_EQ(rng.bits(), 0xd90f3ac40125053dULL);
  Rng other(0, Purpose::run_seed, 5);
  EXPECT_EQ(other.bits(), 0x4bc91cb6e24b7e33ULL);
}

TEST(Rng, every_part_of_the_address_matters) {
  const auto first = [](std::uint64_t seed, Purpose purpose, std::uint64_t index) {
    return Rng(seed, purpose, index).bits();
  };
  EXPECT_EQ(first(1, Purpose::propose, 2), first(1, Purpose::propose, 2));
  EXPECT_NE(first(1, Purpose::propose, 2), first(2, Purpose::propose, 1));
  EXPECT_NE(first(1, Purpose::propose, 2), first(1, Purpose::propose, 3));
  EXPECT_NE(first(1, Purpose::propose, 2), first(1, Purpose::run_seed, 2));
}

TEST(Rng, neighbouring_streams_are_uncorrelated) {
  // First draws of 20,000 neighbouring streams: mean and lag correlation of a uniform sample.
  const int n = 20'000;
  double sum = 0, products = 0, previous = 0.5;
  for (int i = 0; i < n; ++i) {
    const double u = Rng(1, Purpose::propose, static_cast<std::uint64_t>(i)).uniform();
    sum += u;
    products += (u - 0.5) * (previous - 0.5);
    previous = u;
  }
  EXPECT_NEAR(sum / n, 0.5, 5 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(products / n, 0, 5.0 / 12 / std::sqrt(n));
}

TEST(Rng, below_is_unbiased_for_a_bound_that_does_not_divide_the_range) {
  Rng rng(3, Purpose::simulation, 0);
  std::vector<int> counts(7);
  for (int i = 0; i < 70'000; ++i) ++counts[rng.below(7)];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 5 * std::sqrt(10'000.0 * 6 / 7));
}

TEST(Rng, normal_has_mean_zero_and_variance_one) {
  Rng rng(3, Purpose::simulation, 1);
  const int n = 100'000;
  double sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    const double x = rng.normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 5 * std::sqrt(2.0 / n));
}

}  // namespace
}  // namespace hone
