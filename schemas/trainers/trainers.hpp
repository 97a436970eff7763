// The built-in trainers and what each accepts: the contract between a sweep file, the server that
// checks it and hone-train. Pure, so that the server and the command line can use it.
//
// To add a trainer, write its folder in worker/train/, describe its settings in a file of this
// folder, and add its row to HONE_TRAINERS. For the row NAME these define two functions:
//   hone::TrainerInfo NAME_info()             here, in schemas/trainers/
//   hone::trainers::TrainerRow NAME_row()     see worker/train/table.hpp
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "schemas/trainers/setting.hpp"
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

// The kind of the actions that a trainer can learn.
enum class Actions { any, discrete, continuous };

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
  Actions actions = Actions::any;
};

// The objective of a training without a server.
inline std::string_view usual_objective(const TrainerInfo& trainer) {
  return trainer.objectives.substr(0, trainer.objectives.find(' '));
}

std::span<const TrainerInfo> trainer_catalog();

// nullptr if there is none of that name.
const TrainerInfo* find_trainer(std::string_view name);
const SettingInfo* find_setting(const TrainerInfo& trainer, std::string_view name);

// The version that datasets of the built-in environments and graphs have.
inline constexpr const char* builtin_dataset_version = "hone-1";
// The text that `fixed` gives to a setting; empty if it gives none.
std::string fixed_text(const Params& fixed, std::string_view setting);
// Trains on the environment that the sweep fixes.
DatasetInfo dataset_of_env(const Params& fixed, const Space& space);

}  // namespace hone
