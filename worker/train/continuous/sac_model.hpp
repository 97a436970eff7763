// What the model file of sac has besides the policy: the critics, their targets, the temperature.
#pragma once

#include <optional>

#include "worker/train/actor_critic/learning/learner.hpp"
#include "worker/train/continuous/sac_learner.hpp"
#include "worker/train/nn/tensor_file.hpp"

namespace hone::sac {

void put_critics(const SacLearner::State& state, const ga3c::NetShape& policy,
                 trainers::TensorFile& file);

// Returns the state with this policy; nullopt if a part is missing or damaged.
std::optional<SacLearner::State> take_critics(const trainers::TensorFile& file,
                                              const ga3c::ParameterServer::State& policy,
                                              const ga3c::NetShape& shape);

}  // namespace hone::sac
