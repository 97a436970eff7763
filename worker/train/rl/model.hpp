// The model file of the trainers that learn in environments: the network, and all state that a
// training needs to continue exactly. Trainers add what else they need.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "worker/train/nn/network.hpp"
#include "worker/train/nn/optimizer.hpp"
#include "worker/train/nn/tensor_file.hpp"
#include "worker/train/rl/episodes.hpp"
#include "worker/train/rl/group_state.hpp"
#include "worker/train/rl/observation_scale.hpp"
#include "worker/train/rl/reward_scale.hpp"
#include "worker/train/rl/trained_weights.hpp"
#include "worker/train/rl/worker_counts.hpp"

namespace hone::rl {

struct Model {
  std::string env;
  nn::NetShape net;
  std::int64_t frames = 0;  // played
  nn::OptimizerKind optimizer = nn::OptimizerKind::rmsprop;
  TrainedWeights parameters;
  EpisodeLog::State episodes;
  RewardScale::State scale;
  ObservationScale::State observations;  // empty: not scaled
  WorkerCountState counts;
  std::vector<GroupState> groups;  // one for each agent
  std::string trainer{};           // empty: ga3c, a3c or a2c
  std::vector<float> average{};    // of the weights over updates; empty: none is kept
};

trainers::TensorFile file_of(const Model& model);
// `path` is for errors.
Result<Model> model_of(const trainers::TensorFile& file, const std::filesystem::path& path);

// Numbers in the order of net_parts(), as tensors with this prefix.
void put_parts(trainers::TensorFile& file, const nn::NetShape& net,
               const std::vector<float>& values, const std::string& prefix);
// nullopt if a tensor is missing or of another size.
std::optional<std::vector<float>> take_parts(const trainers::TensorFile& file,
                                             const nn::NetShape& net, const std::string& prefix);

// Refuses a file that was made with other settings than those that it is loaded with. `what`
// differs: "trainer".
Error made_with_another(const std::filesystem::path& path, const std::string& what);

Status write_model(const std::filesystem::path& path, const Model& model);
// Refuses a file that is not a model, or whose contents are damaged, with one sentence.
Result<Model> read_model(const std::filesystem::path& path);

}  // namespace hone::rl
