// What the model file of sac has besides the policy: the critics, their targets, the temperature.
#pragma once

#include <optional>

#include "worker/train/continuous/sac_learner.hpp"
#include "worker/train/nn/tensor_file.hpp"
#include "worker/train/rl/trained_weights.hpp"

namespace hone::sac {

void put_critics(const SacLearner::State& state, const nn::NetShape& policy,
                 trainers::TensorFile& file);

// Returns the state with this policy; nullopt if a part is missing or damaged.
std::optional<SacLearner::State> take_critics(const trainers::TensorFile& file,
                                              const rl::TrainedWeights& policy,
                                              const nn::NetShape& shape);

}  // namespace hone::sac
