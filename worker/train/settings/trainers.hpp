// The built-in trainers and what each accepts: the contract between a sweep file, the server that
// checks it and hone-train. Pure, so that the server and the command line can use it.
//
// To add a trainer, write its folder in worker/train/ and add its row to HONE_TRAINERS. For the row
// NAME the folder defines two functions:
//   hone::TrainerInfo NAME_info()             in settings.cpp, which belongs to this library
//   hone::trainers::TrainerRow NAME_row()     see worker/train/table.hpp
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "schemas/types/info.hpp"
#include "schemas/types/space.hpp"
#include "schemas/types/value.hpp"

#define HONE_TRAINERS(TRAINER) \
  TRAINER(ga3c)                \
  TRAINER(a3c)                 \
  TRAINER(a2c)                 \
  TRAINER(ppo)                 \
  TRAINER(impala)              \
  TRAINER(dqn)                 \
  TRAINER(apex)                \
  TRAINER(gorila)              \
  TRAINER(sac)                 \
  TRAINER(placement)           \
  TRAINER(cem)                 \
  TRAINER(reinforce)           \
  TRAINER(harmony)

namespace hone {

enum class SettingKind { real, integer, word, text };

struct SettingInfo {
  std::string_view name;
  SettingKind kind = SettingKind::real;
  double min = 0;  // real and integer: inclusive bounds
  double max = 0;
  // word: the allowed words, separated by blanks; a word that ends in * allows all longer words
  // with that beginning. Empty for the other kinds.
  std::string_view words;
  std::string_view fallback;  // used if neither the sweep file nor the trial gives a value
  std::string_view help;
  bool may_change = false;  // a run may resume a checkpoint that was made with another value
};

// The settings, with may_change set for each of `names`.
template <std::size_t N, std::size_t M>
constexpr std::array<SettingInfo, N> changeable(std::array<SettingInfo, N> settings,
                                                const std::array<std::string_view, M>& names) {
  for (SettingInfo& setting : settings)
    for (const std::string_view name : names)
      if (setting.name == name) setting.may_change = true;
  return settings;
}

struct TrainerInfo {
  std::string_view name{};  // set by the catalog, from the row
  std::string_view summary;
  std::string_view unit;        // what budget.unit must be
  std::string_view objectives;  // what objective.metric may be, separated by blanks, usual first
  std::span<const SettingInfo> settings;
  std::string_view budget{"1M"};  // default length of a training without a server
  // What runs of a sweep train on, from the settings that the sweep fixes and the space that it
  // searches. An empty name: the sweep does not fix it.
  DatasetInfo (*dataset)(const Params& fixed, const Space& space) = nullptr;
};

// The objective of a training without a server.
inline std::string_view usual_objective(const TrainerInfo& trainer) {
  return trainer.objectives.substr(0, trainer.objectives.find(' '));
}

std::span<const TrainerInfo> trainer_catalog();

// nullptr if there is none of that name.
const TrainerInfo* find_trainer(std::string_view name);
const SettingInfo* find_setting(const TrainerInfo& trainer, std::string_view name);
bool accepts_word(const SettingInfo& setting, std::string_view word);

// The version that datasets of the built-in environments and graphs have.
inline constexpr const char* builtin_dataset_version = "hone-1";
// The text that `fixed` gives to a setting; empty if it gives none.
std::string fixed_text(const Params& fixed, std::string_view setting);

}  // namespace hone
