#include "worker/trainers/ga3c/presets.hpp"

#include <array>

namespace hone::ga3c {
namespace {

struct Preset {
  std::string_view env;  // or how the names of several begin
  std::string_view setting;
  std::string_view value;
};

constexpr std::array presets{
    Preset{"LunarLander", "learning_rate", "0.002"},
    Preset{"LunarLander", "gamma", "0.995"},
    Preset{"LunarLander", "lambda", "0.98"},
    Preset{"LunarLander", "t_max", "64"},
    Preset{"LunarLander", "epochs", "4"},
    Preset{"LunarLander", "ratio_clip", "0.2"},
    Preset{"LunarLander", "entropy", "0.01"},
    Preset{"LunarLander", "entropy_end", "0"},
    Preset{"LunarLander", "grad_clip", "0.5"},
    Preset{"LunarLander", "optimizer", "adam"},
    Preset{"LunarLander", "envs", "16"},
    Preset{"LunarLander", "hidden", "64"},
    Preset{"LunarLander", "layers", "2"},
    Preset{"LunarLander", "train_batch", "128"},
    Preset{"Pendulum-v1", "learning_rate", "0.003"},
    Preset{"Pendulum-v1", "gamma", "0.95"},
    Preset{"Pendulum-v1", "lambda", "0.9"},
    Preset{"Pendulum-v1", "t_max", "5"},
    Preset{"Pendulum-v1", "entropy", "0.001"},
    Preset{"Pendulum-v1", "grad_clip", "0.5"},
    Preset{"Pendulum-v1", "optimizer", "adam"},
    Preset{"Pendulum-v1", "train_batch", "512"},
    Preset{"MinAtar-", "lambda", "0.95"},
    Preset{"MinAtar-", "t_max", "16"},
    Preset{"MinAtar-", "activation", "relu"},
    Preset{"MinAtar-", "train_batch", "64"},
};

}  // namespace

trainers::Settings with_presets(trainers::Settings settings, std::string_view env) {
  for (const auto& preset : presets)
    if (env.starts_with(preset.env)) settings.suggest(preset.setting, preset.value);
  return settings;
}

}  // namespace hone::ga3c
