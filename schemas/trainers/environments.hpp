// The built-in environments, one row each. To add one, write its files in worker/train/envs/ and
// add its row here: the names that sweep files may use (trainers.hpp) and the table of hone-train
// (worker/train/envs/table.hpp) follow from the rows.
//
//   ENVIRONMENT(NAME, NAMESPACE, FUNCTION, ACTIONS)
//       NAME: as users write it. hone::envs::NAMESPACE::FUNCTION() returns the environment, a
//       BuiltinEnv. ACTIONS: the kind of its actions, discrete or continuous
//   BOX2D(NAME, NAMESPACE, FUNCTION, ACTIONS)
//       hone-train has it only if it was built with Box2D
#pragma once

#define HONE_ENVIRONMENTS(ENVIRONMENT, BOX2D)                                   \
  ENVIRONMENT("CartPole-v1", cartpole, builtin, discrete)                       \
  ENVIRONMENT("Acrobot-v1", acrobot, builtin, discrete)                         \
  ENVIRONMENT("MountainCar-v0", mountain_car, builtin, discrete)                \
  ENVIRONMENT("MountainCarContinuous-v0", mountain_car, continuous, continuous) \
  ENVIRONMENT("Pendulum-v1", pendulum, builtin, continuous)                     \
  BOX2D("LunarLander-v3", lunar_lander, builtin, discrete)                      \
  BOX2D("LunarLanderContinuous-v3", lunar_lander, continuous, continuous)       \
  ENVIRONMENT("MinAtar-asterix", minatar, asterix, discrete)                    \
  ENVIRONMENT("MinAtar-breakout", minatar, breakout, discrete)                  \
  ENVIRONMENT("MinAtar-freeway", minatar, freeway, discrete)                    \
  ENVIRONMENT("MinAtar-seaquest", minatar, seaquest, discrete)                  \
  ENVIRONMENT("MinAtar-space_invaders", minatar, space_invaders, discrete)      \
  ENVIRONMENT("Synthetic-screens", screens, builtin, discrete)
