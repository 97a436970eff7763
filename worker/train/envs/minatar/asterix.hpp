// Asterix of MinAtar (Young and Tian, 2019): gold and enemies cross eight rows, faster and faster.
// A point for every piece of gold; touching an enemy ends the episode.
#pragma once

#include "worker/train/envs/minatar/grid.hpp"

namespace hone::envs::minatar {

struct Asterix {
  enum Channel { player, enemy, trail, gold, channels_count };
  static constexpr int channels = channels_count;
  static constexpr std::array acts{Act::nothing, Act::left, Act::up, Act::right, Act::down};
  static constexpr std::size_t slots = 8;

  // One on each of the rows 1 to 8.
  struct Thing {
    Flag there = 0;
    std::int32_t column = 0;
    std::int32_t step = 1;  // 1 to the right, -1 to the left
    Flag is_gold = 0;
  };
  struct State {
    std::int32_t row = 5, column = 5;
    std::array<Thing, slots> things{};
    std::int32_t spawn_interval = 10, spawn_timer = 10;
    std::int32_t move_interval = 5, move_timer = 5;
    std::int32_t ramp_timer = 100, ramps = 0;
  };

  static void begin(State& state, RandomGenerator& random);
  static Outcome move(State& state, Act act, RandomGenerator& random);
  static void draw(const State& state, const Canvas& canvas);
  static bool is_sound(const State& state);
};

}  // namespace hone::envs::minatar
