// Generators: published answers, and those of each room's keying, computed by another program.
#include "base/random.hpp"

#include <gtest/gtest.h>

#include "placement/core/random_generator.hpp"
#include "worker/train/envs/core/stream.hpp"

namespace hone {
namespace {

TEST(SplitMix64, gives_the_published_answers) {
  SplitMix64 random(1234567);
  EXPECT_EQ(random.bits(), 6457827717110365317U);
  EXPECT_EQ(random.bits(), 3203168211198807973U);
  EXPECT_EQ(random.bits(), 9817491932198370423U);
  EXPECT_EQ(random.state(), 1234567 + 3 * SplitMix64::gamma);
}

TEST(Xoshiro256, gives_the_published_answers) {
  Xoshiro256 random({1, 2, 3, 4});
  for (const std::uint64_t bits : {41943041UL, 58720359UL, 3588806011781223UL, 3591011842654386UL})
    EXPECT_EQ(random.bits(), bits);
}

TEST(Xoshiro256, continues_from_its_words) {
  Xoshiro256 random({1, 2, 3, 4});
  random.bits();
  Xoshiro256 copy(random.words());
  EXPECT_EQ(copy.bits(), random.bits());
}

TEST(Uniform, stays_in_its_interval) {
  Uniform<SplitMix64> random(1);
  for (int i = 0; i < 10'000; ++i) {
    const double u = random.uniform(-2, 3);
    ASSERT_GE(u, -2);
    ASSERT_LT(u, 3);
  }
}

TEST(Stream, keeps_its_keying_and_normal_distribution) {
  envs::Stream random(17, envs::Purpose::action, 5);
  EXPECT_EQ(random.bits(), 0x33904d8b0d0cd7f9U);
  EXPECT_EQ(random.bits(), 0xcdd26aab585e33d1U);
  envs::Stream again(17, envs::Purpose::action, 5);
  EXPECT_EQ(envs::Stream(again).uniform(), 0.20142063755797612);
  EXPECT_DOUBLE_EQ(again.normal(), 0.22319092756205838);
}

TEST(RandomGenerator, keeps_its_numbers) {
  placement::RandomGenerator random(7);
  EXPECT_EQ(random.bits(), 0x63cbe1e459320dd7U);
  placement::RandomGenerator again(7);
  for (const int face : {3, 0, 9}) EXPECT_EQ(again.below(10), face);
}

}  // namespace
}  // namespace hone
