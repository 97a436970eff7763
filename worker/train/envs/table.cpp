#include "worker/train/envs/table.hpp"

#include <array>

#include "base/nearest.hpp"
#include "worker/train/envs/box2d/lunar_lander.hpp"
#include "worker/train/envs/bridge/gym_env.hpp"
#include "worker/train/envs/control/acrobot.hpp"
#include "worker/train/envs/control/cartpole.hpp"
#include "worker/train/envs/control/mountain_car.hpp"
#include "worker/train/envs/control/pendulum.hpp"
#include "worker/train/envs/minatar/games.hpp"

namespace hone::envs {
namespace {

template <class Game>
constexpr EnvRow minatar_row(std::string_view name) {
  return {name, &minatar::spec<Game>, minatar::make<Game>};
}

constexpr std::array rows{
    EnvRow{"CartPole-v1", &cartpole::spec, cartpole::make},
    EnvRow{"Acrobot-v1", &acrobot::spec, acrobot::make},
    EnvRow{"MountainCar-v0", &mountain_car::spec, mountain_car::make},
    EnvRow{"MountainCarContinuous-v0", &mountain_car::continuous_spec,
           mountain_car::make_continuous},
    EnvRow{"Pendulum-v1", &pendulum::spec, pendulum::make},
#ifdef HONE_BOX2D
    EnvRow{"LunarLander-v3", &lunar_lander::spec, lunar_lander::make},
    EnvRow{"LunarLanderContinuous-v3", &lunar_lander::continuous_spec,
           lunar_lander::make_continuous},
#endif
    minatar_row<minatar::Asterix>("MinAtar-asterix"),
    minatar_row<minatar::Breakout>("MinAtar-breakout"),
    minatar_row<minatar::Freeway>("MinAtar-freeway"),
    minatar_row<minatar::Seaquest>("MinAtar-seaquest"),
    minatar_row<minatar::SpaceInvaders>("MinAtar-space_invaders"),
};

std::string suggestion(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.push_back(row.name);
  return did_you_mean(name, names);
}

// Those whose rows are there only if hone was built with what they need.
bool needs_box2d(std::string_view name) { return name.starts_with("LunarLander"); }

}  // namespace

std::span<const EnvRow> env_table() { return rows; }

Result<Env> find_env(std::string_view name) {
  for (const auto& row : rows)
    if (row.name == name)
      return Env{std::string(name), *row.spec, [make = row.make](const EnvPlan& plan) {
                   return Result<std::unique_ptr<VecEnv>>(make(plan));
                 }};
  if (is_gym_name(name)) return find_gym_env(name);
  if (needs_box2d(name))
    return refuse(Code::invalid,
                  std::string(name) +
                      " needs Box2D, and hone was built without it: install libbox2d-dev and "
                      "configure the build anew",
                  "/env");
  return refuse(Code::invalid,
                "hone-train has no environment '" + std::string(name) + "'" + suggestion(name),
                "/env");
}

}  // namespace hone::envs
