// Defaults that suit an environment better than the general ones, or that a paper published. They
// apply where no value was given. docs/ga3c.md and docs/measurements/agents.md have the searches
// that found them and their results.
#pragma once

#include <span>
#include <string_view>

namespace hone::trainers {

struct Preset {
  std::string_view name;      // "LunarLander"
  std::string_view trainers;  // separated by blanks
  std::string_view tasks;     // names of task_of(), separated by blanks; empty: all
  std::string_view mode;      // value of the setting `mode` of trainers that have it
  std::string_view settings;  // "NAME=VALUE NAME=VALUE"
};

std::span<const Preset> preset_table();

// Returns what an environment is, however it is written: CartPole-v1 and gym:CartPole-v1 are the
// task "CartPole", every atari:GAME with hone's screens is "Atari". Empty for an environment of no
// task: another version, other arguments, or one that hone does not know.
std::string_view task_of(std::string_view env);

// nullptr if there is none for the trainer in this environment and mode.
const Preset* find_preset(std::string_view trainer, std::string_view env, std::string_view mode);

}  // namespace hone::trainers
