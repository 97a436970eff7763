#include "worker/train/actor_critic/presets.hpp"

#include <array>
#include <utility>

namespace hone::ga3c {
namespace {

// Where rewards are late or continuous, or observations are planes, long rollouts that are trained
// several times with a clipped ratio need far fewer frames.
constexpr std::array presets{
    Preset{"LunarLander", "learning_rate", "0.002"},
    Preset{"LunarLander", "gamma", "0.995"},
    Preset{"LunarLander", "lambda", "0.98"},
    Preset{"LunarLander", "t_max", "64"},
    Preset{"LunarLander", "train_batch", "128"},
    Preset{"LunarLander", "epochs", "4"},
    Preset{"LunarLander", "entropy", "0.01"},
    Preset{"LunarLander", "entropy_end", "0"},
    Preset{"LunarLander", "grad_clip", "0.5"},
    Preset{"LunarLander", "layers", "2"},
    Preset{"LunarLander", "optimizer", "adam"},
    Preset{"LunarLander", "ratio_clip", "0.2"},
    Preset{"LunarLander", "hidden", "64"},
    Preset{"LunarLander", "envs", "16"},
    Preset{"MountainCar-v0", "observation_scale", "yes"},
    Preset{"MountainCar-v0", "gamma", "0.999"},
    Preset{"MountainCar-v0", "lambda", "0.98"},
    Preset{"MountainCar-v0", "t_max", "64"},
    Preset{"MountainCar-v0", "train_batch", "128"},
    Preset{"MountainCar-v0", "epochs", "4"},
    Preset{"MountainCar-v0", "entropy_end", "0"},
    Preset{"MountainCar-v0", "optimizer", "adam"},
    Preset{"MountainCar-v0", "ratio_clip", "0.2"},
    Preset{"MountainCar-v0", "hidden", "64"},
    Preset{"MountainCar-v0", "envs", "16"},
    Preset{"MountainCarContinuous", "learning_rate", "0.001"},
    Preset{"MountainCarContinuous", "gamma", "0.999"},
    Preset{"MountainCarContinuous", "lambda", "0.95"},
    Preset{"MountainCarContinuous", "t_max", "256"},
    Preset{"MountainCarContinuous", "train_batch", "256"},
    Preset{"MountainCarContinuous", "epochs", "8"},
    Preset{"MountainCarContinuous", "entropy", "0.001"},
    Preset{"MountainCarContinuous", "deviation", "2"},
    Preset{"MountainCarContinuous", "optimizer", "adam"},
    Preset{"MountainCarContinuous", "ratio_clip", "0.2"},
    Preset{"MountainCarContinuous", "hidden", "64"},
    Preset{"MountainCarContinuous", "envs", "16"},
    Preset{"MinAtar", "learning_rate", "0.001"},
    Preset{"MinAtar", "lambda", "0.95"},
    Preset{"MinAtar", "t_max", "32"},
    Preset{"MinAtar", "train_batch", "128"},
    Preset{"MinAtar", "epochs", "3"},
    Preset{"MinAtar", "entropy", "0.01"},
    Preset{"MinAtar", "grad_clip", "0.5"},
    Preset{"MinAtar", "optimizer", "adam"},
    Preset{"MinAtar", "ratio_clip", "0.2"},
    Preset{"MinAtar", "activation", "relu"},
    Preset{"MinAtar", "hidden", "64"},
    Preset{"Pendulum", "learning_rate", "0.002"},
    Preset{"Pendulum", "gamma", "0.95"},
    Preset{"Pendulum", "lambda", "0.95"},
    Preset{"Pendulum", "t_max", "64"},
    Preset{"Pendulum", "train_batch", "128"},
    Preset{"Pendulum", "epochs", "4"},
    Preset{"Pendulum", "entropy", "0.001"},
    Preset{"Pendulum", "value_loss", "1"},
    Preset{"Pendulum", "grad_clip", "0.5"},
    Preset{"Pendulum", "layers", "2"},
    Preset{"Pendulum", "optimizer", "adam"},
    Preset{"Pendulum", "ratio_clip", "0.2"},
    Preset{"Pendulum", "hidden", "64"},
    Preset{"Pendulum", "envs", "16"},
};

// Where rewards are late, longer rollouts and a longer view; for screens, large steps and a small
// dense layer. See docs/measurements/agents.md.
constexpr std::array ppo_presets{
    Preset{"atari:", "learning_rate", "0.001"},
    Preset{"atari:", "learning_rate_end", "0.0002"},
    Preset{"atari:", "entropy", "0.01"},
    Preset{"atari:", "envs", "16"},
    Preset{"atari:", "t_max", "64"},
    Preset{"atari:", "hidden", "128"},
    Preset{"atari:", "activation", "relu"},
    Preset{"atari:", "layers", "1"},
    Preset{"LunarLander", "gamma", "0.995"},
    Preset{"LunarLander", "lambda", "0.98"},
    Preset{"LunarLander", "learning_rate", "0.001"},
    Preset{"LunarLander", "envs", "16"},
    Preset{"MinAtar", "learning_rate", "0.002"},
    Preset{"MinAtar", "entropy", "0.01"},
    Preset{"MinAtar", "envs", "64"},
    Preset{"MinAtar", "t_max", "32"},
    Preset{"MinAtar", "minibatches", "16"},
    Preset{"MinAtar", "epochs", "3"},
    Preset{"MinAtar", "activation", "relu"},
    Preset{"MinAtar", "layers", "1"},
};

}  // namespace

trainers::Settings with_presets(trainers::Settings settings, std::string_view env,
                                std::span<const Preset> table) {
  for (const auto& preset : table)
    if (env.starts_with(preset.env)) settings.suggest(preset.setting, preset.value);
  return settings;
}

trainers::Settings with_presets(trainers::Settings settings, std::string_view env) {
  return with_presets(std::move(settings), env, presets);
}

trainers::Settings with_ppo_presets(trainers::Settings settings, std::string_view env) {
  return with_presets(std::move(settings), env, ppo_presets);
}

}  // namespace hone::ga3c
