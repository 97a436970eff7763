// The model file of ga3c: the network, and all that a training needs to go on exactly where it
// stood.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "schemas/types/result.hpp"
#include "worker/trainers/ga3c/episodes.hpp"
#include "worker/trainers/ga3c/group.hpp"
#include "worker/trainers/ga3c/learner.hpp"
#include "worker/trainers/ga3c/network.hpp"
#include "worker/trainers/ga3c/observation_scale.hpp"
#include "worker/trainers/ga3c/reward_scale.hpp"
#include "worker/trainers/ga3c/staff.hpp"

namespace hone::ga3c {

struct Model {
  std::string env;
  NetShape net;
  std::int64_t frames = 0;  // played
  OptimizerKind optimizer = OptimizerKind::rmsprop;
  Master::State master;
  EpisodeBook::State episodes;
  RewardScale::State scale;
  ObservationScale::State observations;  // empty: it sees them as they are
  StaffTuner::State staff;
  std::vector<Group::State> groups;  // one for each agent
};

Status write_model(const std::filesystem::path& path, const Model& model);
Result<Model> read_model(const std::filesystem::path& path);

}  // namespace hone::ga3c
