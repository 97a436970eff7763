// The built-in environments, one row each. To add one, write its files in worker/train/envs/ and
// add its row here: the names that sweep files may use (trainers.hpp) and the table of hone-train
// (worker/train/envs/table.hpp) follow from the rows.
//
//   ENVIRONMENT(NAME, NAMESPACE, FUNCTION)   NAME: as users write it
//                                            hone::envs::NAMESPACE::FUNCTION() returns the
//                                            environment, a BuiltinEnv
//   BOX2D(NAME, NAMESPACE, FUNCTION)         hone-train has it only if it was built with Box2D
#pragma once

#define HONE_ENVIRONMENTS(ENVIRONMENT, BOX2D)                       \
  ENVIRONMENT("CartPole-v1", cartpole, builtin)                     \
  ENVIRONMENT("Acrobot-v1", acrobot, builtin)                       \
  ENVIRONMENT("MountainCar-v0", mountain_car, builtin)              \
  ENVIRONMENT("MountainCarContinuous-v0", mountain_car, continuous) \
  ENVIRONMENT("Pendulum-v1", pendulum, builtin)                     \
  BOX2D("LunarLander-v3", lunar_lander, builtin)                    \
  BOX2D("LunarLanderContinuous-v3", lunar_lander, continuous)       \
  ENVIRONMENT("MinAtar-asterix", minatar, asterix)                  \
  ENVIRONMENT("MinAtar-breakout", minatar, breakout)                \
  ENVIRONMENT("MinAtar-freeway", minatar, freeway)                  \
  ENVIRONMENT("MinAtar-seaquest", minatar, seaquest)                \
  ENVIRONMENT("MinAtar-space_invaders", minatar, space_invaders)    \
  ENVIRONMENT("Synthetic-screens", screens, builtin)
