// The file of a trained model.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "server/cluster/harmony/harmony.hpp"

namespace hone::cluster {
namespace {

// Whether the member is a list of `count` finite numbers; reads it.
bool read_weights(const Json& document, const char* name, std::size_t count,
                  std::vector<double>& out) {
  const auto found = document.find(name);
  if (found == document.end() || !found->is_array() || found->size() != count) return false;
  for (const Json& number : *found) {
    if (!number.is_number() || !std::isfinite(number.get<double>())) return false;
    out.push_back(number.get<double>());
  }
  return true;
}

bool has_types(const Json& document, const std::vector<std::string>& types) {
  const auto found = document.find("types");
  if (found == document.end() || !found->is_array() || found->size() != types.size()) return false;
  return std::equal(types.begin(), types.end(), found->begin(),
                    [](const std::string& name, const Json& other) { return other == name; });
}

}  // namespace

HarmonyModel empty_harmony(const ClusterSetup& setup, int hidden) {
  const std::size_t types = setup.types.size();
  HarmonyModel model{{}, hidden, RewardModel(types, hidden), ActorCritic(types, hidden)};
  for (const JobType& type : setup.types) model.types.push_back(type.name);
  return model;
}

Json json_of(const HarmonyModel& model) {
  return {{"format", harmony_format},
          {"types", model.types},
          {"hidden", model.hidden},
          {"reward", model.reward.weights()},
          {"actor", model.agent.actor_weights},
          {"critic", model.agent.critic_weights}};
}

Result<HarmonyModel> read_harmony(const Json& document, const ClusterSetup& setup) {
  const auto format = document.find("format");
  if (format == document.end() || *format != harmony_format)
    return refuse(Code::invalid, "it is no model of the trainer harmony");
  const auto hidden = document.find("hidden");
  if (hidden == document.end() || !hidden->is_number_integer() || hidden->get<std::int64_t>() < 1 ||
      hidden->get<std::int64_t>() > harmony_hidden_max)
    return refuse(Code::invalid, "it is damaged: 'hidden' is missing or wrong");
  HarmonyModel model = empty_harmony(setup, hidden->get<int>());
  if (!has_types(document, model.types))
    return refuse(Code::invalid, "it was trained for other job types than the cluster file has");
  if (!read_weights(document, "reward", model.reward.net().weights(), model.reward.weights()) ||
      !read_weights(document, "actor", model.agent.actor().weights(), model.agent.actor_weights) ||
      !read_weights(document, "critic", model.agent.critic().weights(), model.agent.critic_weights))
    return refuse(Code::invalid, "it is damaged: a network is missing or of another size");
  return model;
}

}  // namespace hone::cluster
