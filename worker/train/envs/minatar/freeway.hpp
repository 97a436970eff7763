// Freeway of MinAtar (Young and Tian, 2019): a chicken crosses eight lanes of cars. A point for
// every crossing; a car sends it back. 2501 steps.
#pragma once

#include "worker/train/envs/minatar/grid.hpp"

namespace hone::envs::minatar {

struct Freeway {
  enum Channel { chicken, car, slowest_trail, channels_count = slowest_trail + 5 };
  static constexpr int channels = channels_count;
  static constexpr std::array acts{Act::nothing, Act::up, Act::down};
  static constexpr std::size_t cars_count = 8;

  // One on each of the rows 1 to 8.
  struct Car {
    std::int32_t column = 0;
    std::int32_t timer = 0;
    std::int32_t wait = 1;  // steps between two moves
    std::int32_t step = 1;  // 1 to the right, -1 to the left
  };
  struct State {
    std::int32_t row = side - 1;
    std::int32_t move_timer = 3;
    std::int32_t time_left = 2500;
    std::int32_t unused = 0;
    std::array<Car, cars_count> cars{};
  };

  static void begin(State& state, RandomGenerator& random);
  static Outcome move(State& state, Act act, RandomGenerator& random);
  static void draw(const State& state, const Canvas& canvas);
  static bool is_sound(const State& state);
};

}  // namespace hone::envs::minatar
