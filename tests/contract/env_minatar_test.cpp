// The games of MinAtar against golden playthroughs of the original: twenty thousand steps of random
// actions, with every observation, reward and end in one checksum.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>

#include "worker/train/envs/minatar/games.hpp"

namespace hone::envs::minatar {
namespace {

// numpy's RandomState: the generator of the original.
class NumpyGenerator final : public RandomGenerator {
 public:
  explicit NumpyGenerator(std::uint32_t seed) : bits_(seed) {}
  double uniform() override {
    const auto high = bits() >> 5;
    const auto low = bits() >> 6;
    return (static_cast<double>(high) * 67108864.0 + static_cast<double>(low)) / 0x1p53;
  }
  int below(int n) override {
    std::uint32_t mask = 1;
    while (mask < static_cast<std::uint32_t>(n)) mask *= 2;
    if (n == 1) return 0;
    for (;;)
      if (const auto tried = bits() & (mask - 1); tried < static_cast<std::uint32_t>(n))
        return static_cast<int>(tried);
  }

 private:
  std::uint32_t bits() { return static_cast<std::uint32_t>(bits_()); }
  std::mt19937 bits_;
};

class Crc {
 public:
  void add(std::uint8_t byte) {
    sum_ ^= byte;
    for (int bit = 0; bit < 8; ++bit) sum_ = (sum_ >> 1) ^ ((sum_ & 1) != 0 ? 0xedb88320U : 0U);
  }
  [[nodiscard]] std::uint32_t sum() const { return ~sum_; }

 private:
  std::uint32_t sum_ = 0xffffffffU;
};

struct Playthrough {
  std::map<int, std::uint32_t> sums;  // after so many steps
  double reward = 0;
  int episodes = 0;
};

template <class Game>
Playthrough played() {
  Playthrough result;
  NumpyGenerator random(1);
  typename Sticky<Game>::State state;
  Sticky<Game>::begin(state, random);
  std::uint32_t choice = 12345;
  Crc crc;
  std::vector<float> cells(static_cast<std::size_t>(spec<Game>.observation_size));
  for (int step = 1; step <= 20'000; ++step) {
    choice = choice * 1664525U + 1013904223U;
    const auto act = static_cast<Act>((choice >> 16) % 6);
    const auto outcome = Sticky<Game>::move(state, act, 0.1, random);
    std::fill(cells.begin(), cells.end(), 0.0F);
    Game::draw(state.game, {cells.data(), Game::channels});
    crc.add(static_cast<std::uint8_t>(outcome.reward));
    crc.add(outcome.over ? 1 : 0);
    for (const float cell : cells) crc.add(static_cast<std::uint8_t>(cell));
    result.reward += static_cast<double>(outcome.reward);
    if (step == 10 || step == 100 || step == 1000 || step == 20'000) result.sums[step] = crc.sum();
    if (!outcome.over) continue;
    ++result.episodes;
    Sticky<Game>::begin(state, random);
  }
  return result;
}

template <class Game>
void expect_golden(const std::array<std::uint32_t, 4>& sums, double reward, int episodes) {
  const auto result = played<Game>();
  const std::map<int, std::uint32_t> golden{
      {10, sums[0]}, {100, sums[1]}, {1000, sums[2]}, {20'000, sums[3]}};
  EXPECT_EQ(result.sums, golden);
  EXPECT_EQ(result.reward, reward);
  EXPECT_EQ(result.episodes, episodes);
}

TEST(MinAtar, plays_asterix_as_the_original_does) {
  expect_golden<Asterix>({0xfe4c0034, 0xce06fb3b, 0xe711a341, 0x374f246b}, 154, 291);
}

TEST(MinAtar, plays_breakout_as_the_original_does) {
  expect_golden<Breakout>({0x3df772ba, 0x3d08da2d, 0x2a375151, 0x4f819eb7}, 888, 1822);
}

TEST(MinAtar, plays_freeway_as_the_original_does) {
  expect_golden<Freeway>({0x9c0fcfb8, 0xce56cd9b, 0xcb72630e, 0x38706f3c}, 1, 7);
}

TEST(MinAtar, plays_seaquest_as_the_original_does) {
  expect_golden<Seaquest>({0x1c2f7c3a, 0x9ffa8905, 0x35de5f1f, 0x7df8b33d}, 60, 699);
}

TEST(MinAtar, plays_space_invaders_as_the_original_does) {
  expect_golden<SpaceInvaders>({0x0f4f8a35, 0x6d4f5090, 0xf7c3c901, 0x1545fded}, 1111, 415);
}

// A random player hardly ever brings home six divers.
TEST(MinAtar, pays_a_full_crew_for_its_oxygen_and_forgives_the_next_breath) {
  NumpyGenerator random(1);
  Seaquest::State state;
  state.row = 1;
  state.surfaced = 0;
  state.divers_aboard = 6;
  state.oxygen = 150;
  EXPECT_EQ(Seaquest::move(state, Act::up, random).reward, 7);
  EXPECT_EQ(state.divers_aboard, -1);
  EXPECT_EQ(state.oxygen, 200);
  Seaquest::move(state, Act::down, random);
  const auto again = Seaquest::move(state, Act::up, random);
  EXPECT_FALSE(again.over);
  EXPECT_EQ(again.reward, 0);
  EXPECT_EQ(state.divers_aboard, -2);
}

TEST(MinAtar, repeats_actions_as_often_as_asked) {
  const auto rows_reached = [](double sticky) {
    const auto env = freeway().make({.count = 1, .seed = 1, .first_index = 1, .sticky = sticky});
    std::vector<float> seen(700), last(700);
    float reward = 0;
    std::uint8_t terminated = 0, truncated = 0;
    env->reset(seen.data());
    double reached = 0;
    for (int t = 0; t < 2000; ++t) {
      const std::int32_t action = 1;  // up
      env->step({{&action, 1}, {}}, {seen.data(), &reward, &terminated, &truncated, last.data()});
      reached += static_cast<double>(reward);
    }
    return reached;
  };
  EXPECT_EQ(rows_reached(1), 0) << "the first action is to do nothing, in every step";
  EXPECT_GT(rows_reached(0), 0);
}

}  // namespace
}  // namespace hone::envs::minatar
