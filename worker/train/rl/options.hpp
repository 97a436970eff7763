// The settings that trainers of several families have, in typed form.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "schemas/trainers/settings.hpp"
#include "worker/train/envs/core/env.hpp"
#include "worker/train/nn/network.hpp"

namespace hone::rl {

nn::Backend backend_of(const std::string& word);
// Sets the kind of the network and its planes by the setting `network`.
Status take_kind(const trainers::Settings& settings, const envs::Env& env, nn::NetShape& net);
// Whether observations are scaled. Refuses to scale planes if the user gave the setting; a preset,
// which serves environments of both kinds, leaves them as they are.
Result<bool> scales_observations(const trainers::Settings& settings, const envs::Env& env);
// The setting `sticky` if it is given. Refuses it in an environment without sticky actions.
Result<std::optional<double>> sticky_of(const trainers::Settings& settings, const envs::Env& env);

}  // namespace hone::rl
