// Breakout of MinAtar (Young and Tian, 2019): keep a ball in play with a paddle. A point for every
// brick; new bricks appear when all are gone. Missing the ball ends the episode.
#pragma once

#include "worker/train/envs/minatar/grid.hpp"

namespace hone::envs::minatar {

struct Breakout {
  enum Channel { paddle, ball, trail, brick, channels_count };
  static constexpr int channels = channels_count;
  static constexpr std::array acts{Act::nothing, Act::left, Act::right};

  struct Ball {
    std::int32_t row = 0, column = 0;
  };
  struct State {
    Ball ball, last_ball;
    std::int32_t down = 1;   // direction of the ball: 1 down, -1 up
    std::int32_t right = 1;  // 1 right, -1 left
    std::int32_t paddle = 4;
    Flag struck = 0;  // the last step hit a brick: the next brick is not hit
    std::array<std::array<Flag, side>, side> bricks{};
  };

  static void begin(State& state, RandomGenerator& random);
  static Outcome move(State& state, Act act, RandomGenerator& random);
  static void draw(const State& state, const Canvas& canvas);
  static bool is_sound(const State& state);
};

}  // namespace hone::envs::minatar
