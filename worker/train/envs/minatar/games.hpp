// MinAtar's five games as environments: the actions that mean something in a game, and the rule
// that now and then the last action is repeated instead of the new one ("sticky actions", one step
// in ten as published). The last action outlives the episode.
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

// A game behind the rule of sticky actions; one draw is made whether it matters or not.
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

template <class Game>
std::unique_ptr<VecEnv> make(const EnvPlan& plan);

}  // namespace hone::envs::minatar
