// What the trainers `cem` and `reinforce` accept.
#include <array>

#include "worker/train/settings/trainers.hpp"

namespace hone {
namespace {

constexpr std::array cem_rows{
    SettingInfo{"batch", SettingKind::integer, 2, 10000, "", "16", "episodes of each update"},
    SettingInfo{"percentile", SettingKind::real, 0, 100, "", "70",
                "percentile of the returns of a batch: better episodes are learned from"},
    SettingInfo{"learning_rate", SettingKind::real, 0, 1, "", "0.01", "step size of Adam"},
    SettingInfo{"hidden", SettingKind::integer, 1, 4096, "", "128", "width of the hidden layer"},
    SettingInfo{"episode_steps", SettingKind::integer, 1, 100000, "", "200",
                "most steps of an episode of CartPole: 200 (v0) or 500 (v1)"},
};

constexpr std::array reinforce_rows{
    SettingInfo{"batch", SettingKind::integer, 1, 10000, "", "4", "episodes of each update"},
    SettingInfo{"gamma", SettingKind::real, 0, 1, "", "0.99", "discount"},
    SettingInfo{"standardize", SettingKind::word, 0, 0, "no yes", "no",
                "scale the returns of a batch to mean 0 and deviation 1"},
    SettingInfo{"learning_rate", SettingKind::real, 0, 1, "", "0.01", "step size of Adam"},
    SettingInfo{"hidden", SettingKind::integer, 1, 4096, "", "128", "width of the hidden layer"},
    SettingInfo{"episode_steps", SettingKind::integer, 1, 100000, "", "200",
                "most steps of an episode of CartPole: 200 (v0) or 500 (v1)"},
};

// What a checkpoint does not fix: the network and the game stay.
constexpr std::array<std::string_view, 4> episodic_may_change{"batch", "percentile",
                                                              "learning_rate", "gamma"};
constexpr auto cem_settings = changeable(cem_rows, episodic_may_change);
constexpr auto reinforce_settings = changeable(reinforce_rows, episodic_may_change);

// Both play CartPole; its version follows from the length of an episode.
DatasetInfo cartpole_of(const Params& fixed, const Space& space) {
  constexpr const char* length = "episode_steps";
  DatasetInfo dataset{"CartPole", builtin_dataset_version, ""};
  for (const auto& parameter : space)
    if (parameter.name == length) return dataset;
  const Value* value = find(fixed, length);
  const Value steps = value == nullptr ? Value{std::int64_t{200}} : *value;
  if (steps == Value{std::int64_t{200}}) dataset.name = "CartPole-v0";
  if (steps == Value{std::int64_t{500}}) dataset.name = "CartPole-v1";
  return dataset;
}

}  // namespace

TrainerInfo cem_info() {
  return {.summary = "cross-entropy method on CartPole",
          .unit = "episodes",
          .objectives = "return",
          .settings = cem_settings,
          .budget = "1600",
          .dataset = cartpole_of};
}

TrainerInfo reinforce_info() {
  return {.summary = "REINFORCE on CartPole (Williams, 1992)",
          .unit = "episodes",
          .objectives = "return",
          .settings = reinforce_settings,
          .budget = "1200",
          .dataset = cartpole_of};
}

}  // namespace hone
