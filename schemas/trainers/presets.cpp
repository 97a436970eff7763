#include "schemas/trainers/presets.hpp"

#include <algorithm>
#include <array>

#include "schemas/trainers/trainers.hpp"
#include "schemas/trainers/words.hpp"
#include "schemas/types/spec.hpp"

namespace hone::trainers {
namespace {

// Small numbers besides large ones, as a speed and a position, need a scale; late and continuous
// rewards need longer rollouts and several small updates of each.
#define HONE_SCALED                                                                              \
  "observation_scale=yes learning_rate=0.001 lambda=0.95 optimizer=adam grad_clip=0.5 layers=2 " \
  "hidden=64 "
// The classic environments for which the values of an unknown one are as good as any that were
// tried. CartPole and Acrobot are learned by the defaults, which make more frames a second.
constexpr std::string_view scaled_tasks = "other MountainCar MountainCarContinuous Pendulum";

constexpr std::array presets{
    // Chosen on seeds 11 to 13. In a3c, a2c and impala envs * t_max samples are an update: with 16
    // environments Pendulum and MountainCar are learned half.
    Preset{"general", "ga3c", scaled_tasks, "corrected",
           HONE_SCALED "t_max=64 train_batch=128 epochs=4 ratio_clip=0.2 envs=16", 2},
    Preset{"general", "a3c a2c", scaled_tasks, "corrected",
           HONE_SCALED "t_max=64 epochs=4 ratio_clip=0.2 envs=2", 2},
    Preset{"general", "impala", scaled_tasks, "corrected",
           HONE_SCALED "entropy_end=0 t_max=32 envs=2", 2},
    Preset{"general", "ppo", scaled_tasks, "corrected", "observation_scale=yes learning_rate=0.001",
           2},
    Preset{"general", "dqn", "other", "corrected",
           "learning_rate=0.001 learning_rate_end=0 n_step=3 train_every=2 target_every=200 "
           "epsilon_end=0.02 epsilon_share=0.1 huber=0 observation_scale=yes",
           2},
    // Where rewards are late or continuous, or observations are planes, long rollouts that are
    // trained several times with a clipped ratio need far fewer frames.
    Preset{"LunarLander", "ga3c a3c a2c", "LunarLander LunarLanderContinuous", "corrected",
           "learning_rate=0.002 gamma=0.995 lambda=0.98 t_max=64 train_batch=128 epochs=4 "
           "entropy=0.01 entropy_end=0 grad_clip=0.5 layers=2 optimizer=adam ratio_clip=0.2 "
           "hidden=64 envs=16"},
    Preset{"MountainCar", "ga3c a3c a2c", "MountainCar", "corrected",
           "observation_scale=yes gamma=0.999 lambda=0.98 t_max=64 train_batch=128 epochs=4 "
           "entropy_end=0 optimizer=adam ratio_clip=0.2 hidden=64 envs=16",
           1, 1},
    Preset{"MountainCarContinuous", "ga3c a3c a2c", "MountainCarContinuous", "corrected",
           "learning_rate=0.001 gamma=0.999 lambda=0.95 t_max=256 train_batch=256 epochs=8 "
           "entropy=0.001 deviation=2 optimizer=adam ratio_clip=0.2 hidden=64 envs=16",
           1, 1},
    Preset{"MinAtar", "ga3c a3c a2c", "MinAtar", "corrected",
           "learning_rate=0.001 lambda=0.95 t_max=32 train_batch=128 epochs=3 entropy=0.01 "
           "grad_clip=0.5 optimizer=adam ratio_clip=0.2 activation=relu hidden=64"},
    Preset{"Pendulum", "ga3c a3c a2c", "Pendulum", "corrected",
           "learning_rate=0.002 gamma=0.95 lambda=0.95 t_max=64 train_batch=128 epochs=4 "
           "entropy=0.001 value_loss=1 grad_clip=0.5 layers=2 optimizer=adam ratio_clip=0.2 "
           "hidden=64 envs=16",
           1, 1},
    // Babaeizadeh et al. (2017), the published code with its configuration.
    Preset{
        "published", "ga3c", "", "parity",
        "learning_rate=0.0003 t_max=5 entropy=0.01 grad_clip=0 reward_clip=1 rmsprop_epsilon=0.1 "
        "agents=32 envs=1 predictors=2 trainers=2 dynamic=yes predict_batch=128 train_batch=1 "
        "hidden=256 activation=relu"},
    // Where rewards are late, longer rollouts and a longer view; for screens, large steps and a
    // small dense layer.
    Preset{"Atari", "ppo", "Atari", "corrected",
           "learning_rate=0.001 learning_rate_end=0.0002 entropy=0.01 envs=16 t_max=64 "
           "hidden=128 activation=relu layers=1"},
    Preset{"LunarLander", "ppo", "LunarLander LunarLanderContinuous", "corrected",
           "gamma=0.995 lambda=0.98 learning_rate=0.001 envs=16"},
    Preset{"MinAtar", "ppo", "MinAtar", "corrected",
           "learning_rate=0.002 entropy=0.01 envs=64 t_max=32 minibatches=16 epochs=3 "
           "activation=relu layers=1"},
    // Mnih et al. (2015), extended data table 1. An update is made every 4 frames, of which each is
    // 4 of the emulator.
    Preset{"published", "dqn", "", "parity",
           "learning_rate=0.00025 batch=32 train_every=4 updates=1 learning_starts=50000 "
           "double=no dueling=no huber=1 target_every=10000 target_rate=1 replay=uniform "
           "replay_size=1000000 epsilon_end=0.1 epsilon_frames=1000000 reward_clip=1 "
           "grad_clip=0 hidden=512 layers=1 rmsprop_decay=0.95 rmsprop_epsilon=0.01 "
           "optimizer=rmsprop_centered"},
    // Small memories hold few steps of older policies, whose n-step returns mislead. With a small
    // epsilon in Adam MinAtar-seaquest is not learned. Chosen on seeds 11 to 15.
    Preset{"CartPole", "dqn", "CartPole", "corrected",
           "learning_rate=0.001 learning_rate_end=0 n_step=3 train_every=2 target_every=200 "
           "epsilon_end=0.04 epsilon_share=0.16 huber=0 replay_size=10000 "
           "observation_scale=yes average_updates=5000"},
    Preset{"Acrobot", "dqn", "Acrobot", "corrected",
           "learning_rate=0.001 learning_rate_end=0 n_step=3 train_every=2 target_every=200 "
           "epsilon_end=0.02 epsilon_share=0.1 huber=0 observation_scale=yes"},
    Preset{"MountainCar", "dqn", "MountainCar", "corrected",
           "learning_rate=0.001 learning_rate_end=0 n_step=5 train_every=2 epsilon_end=0.02 "
           "epsilon_share=0.1 huber=0 replay_size=10000 observation_scale=yes"},
    Preset{"LunarLander", "dqn", "LunarLander", "corrected",
           "learning_rate=0.0006 learning_rate_end=0 n_step=3 epsilon_end=0.02 "
           "epsilon_share=0.1"},
    Preset{"MinAtar", "dqn", "MinAtar", "corrected",
           "layers=1 learning_rate=0.001 learning_rate_end=0 adam_epsilon=0.003 batch=32 "
           "target_every=100 epsilon_end=0.02"},
    // Those that dqn had when gorila was measured with them.
    Preset{"CartPole", "gorila", "CartPole", "corrected",
           "learning_rate=0.001 learning_rate_end=0 n_step=3 train_every=2 target_every=200 "
           "epsilon_end=0.04 epsilon_share=0.16"},
    Preset{"Acrobot", "gorila", "Acrobot", "corrected",
           "learning_rate=0.001 learning_rate_end=0 n_step=3 train_every=2 target_every=200 "
           "epsilon_end=0.02 epsilon_share=0.1"},
    Preset{"MountainCar", "gorila", "MountainCar", "corrected",
           "learning_rate=0.001 learning_rate_end=0 n_step=5 epsilon_end=0.02 "
           "epsilon_share=0.3"},
    Preset{"LunarLander", "gorila", "LunarLander", "corrected",
           "learning_rate=0.0006 learning_rate_end=0 n_step=3 epsilon_end=0.02 "
           "epsilon_share=0.1"},
    Preset{"MinAtar", "gorila", "MinAtar", "corrected", "layers=1"},
    // As those of dqn, but exploration differs by actor instead of falling. Those of CartPole were
    // chosen on seeds 11 to 13.
    Preset{"CartPole", "apex", "CartPole", "corrected",
           "epsilon=0.3 huber=0 learning_rate=0.001 learning_rate_end=0 train_every=2 "
           "target_every=200"},
    Preset{"Acrobot", "apex", "Acrobot", "corrected",
           "learning_rate=0.001 learning_rate_end=0 train_every=2 target_every=200"},
    Preset{"MountainCar", "apex", "MountainCar", "corrected",
           "learning_rate=0.001 learning_rate_end=0 n_step=5"},
    Preset{"LunarLander", "apex", "LunarLander", "corrected",
           "learning_rate=0.0006 learning_rate_end=0"},
    Preset{"MinAtar", "apex", "MinAtar", "corrected", "layers=1"},
    // Chosen on seeds 11 to 13. A random action is held for about half a period of the car at the
    // bottom: such actions add up.
    Preset{"Pendulum", "sac", "Pendulum", "corrected", "learning_rate=0.001 hidden=64 batch=128"},
    Preset{"MountainCarContinuous", "sac", "MountainCarContinuous", "corrected",
           "learning_rate=0.001 hidden=64 batch=128 learning_starts=4000 random_hold=36"},
    Preset{"LunarLanderContinuous", "sac", "LunarLanderContinuous", "corrected",
           "learning_rate=0.002 learning_rate_end=0 gamma=0.995 n_step=5 hidden=64 batch=128 "
           "train_every=2 target_rate=0.01 learning_starts=5000"},
};
#undef HONE_SCALED

// Cells that the defaults did not bring above random play (docs/agents.md).
struct Unlearned {
  std::string_view trainers;
  std::string_view tasks;
  std::string_view better;
};

constexpr std::array unlearned{
    Unlearned{"cem reinforce", "Acrobot MountainCar", "dqn or ppo"},
};

struct Task {
  std::string_view name;
  std::string_view environments;  // built-in names, and ids of Gymnasium with their arguments
};

constexpr std::array tasks{
    Task{"CartPole", "CartPole-v1 CartPole-v0"},
    Task{"Acrobot", "Acrobot-v1"},
    Task{"MountainCar", "MountainCar-v0"},
    Task{"MountainCarContinuous", "MountainCarContinuous-v0"},
    Task{"Pendulum", "Pendulum-v1"},
    Task{"LunarLander", "LunarLander-v3 LunarLander-v2"},
    Task{"LunarLanderContinuous",
         "LunarLanderContinuous-v3 LunarLanderContinuous-v2 LunarLander-v3?continuous=true"},
    Task{"MinAtar",
         "MinAtar-asterix MinAtar-breakout MinAtar-freeway MinAtar-seaquest "
         "MinAtar-space_invaders"},
};

}  // namespace

std::span<const Preset> preset_table() { return presets; }

std::string_view task_of(std::string_view env) {
  if (env.starts_with("atari:")) return "Atari";
  constexpr std::string_view gym = "gym:";
  const auto identity = env.starts_with(gym) ? env.substr(gym.size()) : env;
  for (const auto& task : tasks)
    if (has_word(task.environments, identity)) return task.name;
  return env.starts_with(gym) ? "other" : "";
}

const Preset* find_preset(const PresetKey& key) {
  const auto task = task_of(key.env);
  const auto fits = [&](const Preset& one) {
    return has_word(one.trainers, key.trainer) && one.mode == key.mode &&
           (one.tasks.empty() || has_word(one.tasks, task)) && one.since <= key.generation &&
           key.generation <= one.until;
  };
  const auto* const found = std::find_if(presets.begin(), presets.end(), fits);
  return found == presets.end() ? nullptr : found;
}

void choose_presets(SweepSpec& spec) {
  auto* builtin = std::get_if<BuiltinTrainer>(&spec.trainer);
  const auto* trainer = builtin == nullptr ? nullptr : find_trainer(builtin->name);
  if (trainer == nullptr || find_setting(*trainer, "presets") == nullptr) return;
  const bool searched = std::ranges::any_of(
      spec.parameters, [](const Parameter& one) { return one.name == "presets"; });
  if (searched || find(builtin->settings, "presets") != nullptr) return;
  builtin->settings.push_back({"presets", std::int64_t{newest_presets}});
}

std::string_view better_trainers(std::string_view trainer, std::string_view env) {
  const auto task = task_of(env);
  for (const auto& row : unlearned)
    if (has_word(row.trainers, trainer) && has_word(row.tasks, task)) return row.better;
  return {};
}

}  // namespace hone::trainers
