// What hone-train prints of the settings of a trainer.
#pragma once

#include <string>

#include "schemas/trainers/settings.hpp"

namespace hone::trainers {

// The settings in groups, for --help.
std::string settings_help(const TrainerInfo& info);

// "preset LunarLander: gamma=0.995 envs=16"; empty if there is none.
std::string preset_text(const Settings& settings);

// Every setting with its value and where that comes from, a line each.
std::string settings_text(const Settings& settings);

// The same for programs, with what each setting accepts.
std::string settings_document(const Settings& settings);

}  // namespace hone::trainers
