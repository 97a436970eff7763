// The model file of ga3c, a3c and a2c: the network, and all state that a training needs to continue
// exactly. Trainers of the same networks add what else they need.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "worker/train/actor_critic/agents/env_group.hpp"
#include "worker/train/actor_critic/experience/episodes.hpp"
#include "worker/train/actor_critic/experience/observation_scale.hpp"
#include "worker/train/actor_critic/experience/reward_scale.hpp"
#include "worker/train/actor_critic/learning/learner.hpp"
#include "worker/train/actor_critic/worker_counts.hpp"
#include "worker/train/nn/network.hpp"
#include "worker/train/nn/tensor_file.hpp"

namespace hone::ga3c {

struct Model {
  std::string env;
  NetShape net;
  std::int64_t frames = 0;  // played
  OptimizerKind optimizer = OptimizerKind::rmsprop;
  ParameterServer::State parameters;
  EpisodeLog::State episodes;
  RewardScale::State scale;
  ObservationScale::State observations;  // empty: not scaled
  WorkerCountTuner::State counts;
  std::vector<EnvGroup::State> groups;  // one for each agent
  std::string trainer{};                // empty: ga3c, a3c or a2c
  std::vector<float> average{};         // of the weights over updates; empty: none is kept
};

trainers::TensorFile file_of(const Model& model);
// `path` is for errors.
Result<Model> model_of(const trainers::TensorFile& file, const std::filesystem::path& path);

// Numbers in the order of net_parts(), as tensors with this prefix.
void put_parts(trainers::TensorFile& file, const NetShape& net, const std::vector<float>& values,
               const std::string& prefix);
// nullopt if a tensor is missing or of another size.
std::optional<std::vector<float>> take_parts(const trainers::TensorFile& file, const NetShape& net,
                                             const std::string& prefix);

Status write_model(const std::filesystem::path& path, const Model& model);
// Refuses a file that is not a model, or whose contents are damaged, with one sentence.
Result<Model> read_model(const std::filesystem::path& path);

}  // namespace hone::ga3c
