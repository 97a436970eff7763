// The five games of MinAtar (Young and Tian, 2019) as environments: the minimal action set of a
// game, and sticky actions: with probability 0.1, as published, the last action is repeated instead
// of the new one. The last action carries over to the next episode.
#pragma once

#include "worker/train/envs/core/env.hpp"
#include "worker/train/envs/minatar/asterix.hpp"
#include "worker/train/envs/minatar/breakout.hpp"
#include "worker/train/envs/minatar/freeway.hpp"
#include "worker/train/envs/minatar/seaquest.hpp"
#include "worker/train/envs/minatar/space_invaders.hpp"

namespace hone::envs::minatar {

template <class Game>
inline constexpr EnvSpec spec{.observation_size = side * side * Game::channels,
                              .planes = {side, side, Game::channels},
                              .actions = static_cast<int>(Game::acts.size()),
                              .sticky = 0.1};

// A game with sticky actions. One number is drawn in every step, whether it matters or not.
template <class Game>
struct Sticky {
  struct State {
    typename Game::State game;
    std::int32_t last_act = 0;
    std::int32_t unused = 0;
  };

  static void begin(State& state, RandomGenerator& random) { Game::begin(state.game, random); }
  static Outcome move(State& state, Act act, double sticky, RandomGenerator& random) {
    if (random.chance(sticky)) act = static_cast<Act>(state.last_act);
    state.last_act = static_cast<std::int32_t>(act);
    return Game::move(state.game, act, random);
  }
};

BuiltinEnv asterix();
BuiltinEnv breakout();
BuiltinEnv freeway();
BuiltinEnv seaquest();
BuiltinEnv space_invaders();

}  // namespace hone::envs::minatar
