// Seaquest of MinAtar (Young and Tian, 2019): a submarine shoots fish and other submarines, picks
// up divers and surfaces for air with at least one of them. With six divers it gets points for the
// oxygen that is left. Enemies come and move faster after every surfacing.
#pragma once

#include "worker/train/envs/minatar/grid.hpp"

namespace hone::envs::minatar {

struct Seaquest {
  enum Channel {
    sub_front,
    sub_back,
    friendly_bullet,
    trail,
    enemy_bullet,
    fish,
    enemy_sub,
    oxygen_gauge,
    diver_gauge,
    diver,
    channels_count
  };
  static constexpr int channels = channels_count;
  static constexpr std::array acts{Act::nothing, Act::left, Act::up,
                                   Act::right,   Act::down, Act::fire};

  struct Bullet {
    std::int32_t column = 0, row = 0;
    std::int32_t step = 0;  // 1 to the right, -1 to the left
    friend bool operator==(const Bullet&, const Bullet&) = default;
  };
  // A fish, a diver or, with its shots, a submarine.
  struct Swimmer {
    std::int32_t column = 0, row = 0;
    std::int32_t step = 0;
    std::int32_t timer = 0;
    std::int32_t shot_timer = 0;
    friend bool operator==(const Swimmer&, const Swimmer&) = default;
  };
  struct State {
    std::int32_t column = 5, row = 0;
    std::int32_t step = -1;  // direction of the submarine
    Flag surfaced = 1;
    std::int32_t oxygen = 200, divers_aboard = 0;
    std::int32_t shot_timer = 0, ramps = 0;
    std::int32_t spawn_interval = 20, spawn_timer = 20;
    std::int32_t move_interval = 5, diver_timer = 30;
    Few<Bullet, 8> bullets{};
    Few<Bullet, 64> enemy_bullets{};
    // At most one comes in every step, and none stays longer than thirty steps at that pace.
    Few<Swimmer, 64> fish{}, subs{};
    Few<Swimmer, 8> divers{};
  };

  static void begin(State& state, RandomGenerator& random);
  static Outcome move(State& state, Act act, RandomGenerator& random);
  static void draw(const State& state, const Canvas& canvas);
  static bool is_sound(const State& state);
};

}  // namespace hone::envs::minatar
