// Defaults that suit an environment better than the general ones, or that a paper published. They
// apply where no value was given. docs/ga3c.md and docs/measurements/agents.md have the searches
// that found them and their results.
#pragma once

#include <span>
#include <string_view>

namespace hone {
struct SweepSpec;
}

namespace hone::trainers {

// A change of what an environment gets makes a generation. A sweep records its own, and continues
// and is reproduced with the values that it began with.
inline constexpr int newest_presets = 2;

struct Preset {
  std::string_view name;      // "LunarLander"
  std::string_view trainers;  // separated by blanks
  std::string_view tasks;     // names of task_of(), separated by blanks; empty: all
  std::string_view mode;      // value of the setting `mode` of trainers that have it
  std::string_view settings;  // "NAME=VALUE NAME=VALUE"
  int since = 1;              // the generations that have it
  int until = newest_presets;
};

std::span<const Preset> preset_table();

// Returns what an environment is, however it is written: CartPole-v1 and gym:CartPole-v1 are the
// task "CartPole", every atari:GAME with hone's screens is "Atari". Other environments of gym: are
// "other": another version, other arguments, or one that hone does not know. Empty for the rest.
std::string_view task_of(std::string_view env);

struct PresetKey {
  std::string_view trainer;
  std::string_view env;
  std::string_view mode = "corrected";
  int generation = newest_presets;
};

// nullptr if there is none for the trainer in this environment, mode and generation.
const Preset* find_preset(const PresetKey& key);

// Records the newest generation in a sweep whose trainer has presets and whose file names none, so
// that its runs keep their values when hone has other presets.
void choose_presets(SweepSpec& spec);

// Names the trainers to take instead where one was not seen to learn an environment by its defaults
// (docs/agents.md); empty elsewhere.
std::string_view better_trainers(std::string_view trainer, std::string_view env);

}  // namespace hone::trainers
