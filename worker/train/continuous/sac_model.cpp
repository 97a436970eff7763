#include "worker/train/continuous/sac_model.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "schemas/codec/json.hpp"
#include "worker/train/nn/json_state.hpp"
#include "worker/train/rl/model.hpp"

namespace hone::sac {
namespace {

// "critic1.", "critic2.": as of the parts of a policy, with these in front.
std::string critic_prefix(std::size_t i) { return "critic" + std::to_string(i + 1) + "."; }
std::string target_prefix(std::size_t i) { return "target" + std::to_string(i + 1) + "."; }
constexpr const char* temperature_text = "temperature";

}  // namespace

void put_critics(const SacLearner::State& state, const nn::NetShape& policy,
                 trainers::TensorFile& file) {
  const auto shape = critic_shape(policy);
  for (std::size_t i = 0; i < state.critics.size(); ++i) {
    const auto& critic = state.critics[i];
    rl::put_parts(file, shape, critic.weights, critic_prefix(i));
    rl::put_parts(file, shape, critic.mean_square, critic_prefix(i) + "rmsprop.");
    rl::put_parts(file, shape, critic.mean, critic_prefix(i) + "adam.");
    rl::put_parts(file, shape, state.targets[i], target_prefix(i));
  }
  const Json temperature{{"log", state.log_temperature}, {"adam", state.temperature_optimizer}};
  file.texts.emplace_back(temperature_text, to_text(temperature));
}

std::optional<SacLearner::State> take_critics(const trainers::TensorFile& file,
                                              const rl::TrainedWeights& policy,
                                              const nn::NetShape& shape) {
  SacLearner::State state;
  state.policy = {policy.weights, policy.mean_square, policy.mean};
  state.updates = policy.updates;
  const auto critics = critic_shape(shape);
  for (std::size_t i = 0; i < state.critics.size(); ++i) {
    auto weights = rl::take_parts(file, critics, critic_prefix(i));
    auto mean_square = rl::take_parts(file, critics, critic_prefix(i) + "rmsprop.");
    auto mean = rl::take_parts(file, critics, critic_prefix(i) + "adam.");
    auto target = rl::take_parts(file, critics, target_prefix(i));
    if (!weights || !mean_square || !mean || !target) return std::nullopt;
    state.critics[i] = {*std::move(weights), *std::move(mean_square), *std::move(mean)};
    state.targets[i] = *std::move(target);
  }
  const auto* text = trainers::find_text(file, temperature_text);
  if (text == nullptr) return std::nullopt;
  const auto document = parse_json(*text);
  if (!document) return std::nullopt;
  trainers::JsonState reader(*document);
  reader.read("log", state.log_temperature).read("adam", state.temperature_optimizer);
  if (!reader.sound()) return std::nullopt;
  return state;
}

}  // namespace hone::sac
