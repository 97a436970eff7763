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
    Preset{"LunarLander", "gamma", "0.995"},
    Preset{"LunarLander", "layers", "2"},
    Preset{"Pendulum-v1", "gamma", "0.95"},
    Preset{"Pendulum-v1", "lambda", "0.9"},
};

}  // namespace

trainers::Settings with_presets(trainers::Settings settings, std::string_view env) {
  for (const auto& preset : presets)
    if (env.starts_with(preset.env)) settings.suggest(preset.setting, preset.value);
  return settings;
}

}  // namespace hone::ga3c
