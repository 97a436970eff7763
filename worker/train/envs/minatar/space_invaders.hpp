// Space Invaders of MinAtar (Young and Tian, 2019): shoot the aliens before they land or hit the
// cannon. A point for every alien; every new wave moves faster.
#pragma once

#include "worker/train/envs/minatar/grid.hpp"

namespace hone::envs::minatar {

struct SpaceInvaders {
  enum Channel {
    cannon,
    alien,
    alien_left,
    alien_right,
    friendly_bullet,
    enemy_bullet,
    channels_count
  };
  static constexpr int channels = channels_count;
  static constexpr std::array acts{Act::nothing, Act::left, Act::right, Act::fire};

  using Map = std::array<std::array<Flag, side>, side>;  // [row][column]
  struct State {
    std::int32_t cannon = 5;
    std::int32_t step = -1;  // of the aliens: -1 to the left, 1 to the right
    std::int32_t move_interval = 12, move_timer = 12;
    std::int32_t alien_shot_timer = 10, shot_timer = 0;
    Map aliens{}, friendly_bullets{}, enemy_bullets{};
  };

  static void begin(State& state, RandomGenerator& random);
  static Outcome move(State& state, Act act, RandomGenerator& random);
  static void draw(const State& state, const Canvas& canvas);
  static bool is_sound(const State& state);
};

}  // namespace hone::envs::minatar
