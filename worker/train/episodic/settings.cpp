// What the trainers `cem` and `reinforce` accept.
#include <algorithm>
#include <array>

#include "worker/train/settings/environments.hpp"
#include "worker/train/settings/trainers.hpp"

namespace hone {
namespace {

#define HONE_WORD(name, place, function) name " "
constexpr SettingInfo env_row{"env",
                              SettingKind::word,
                              0,
                              0,
                              HONE_ENVIRONMENTS(HONE_WORD, HONE_WORD) "gym:* atari:*",
                              "CartPole-v1",
                              "environment to learn, with discrete actions"};
#undef HONE_WORD
constexpr SettingInfo episode_steps_row{
    "episode_steps",
    SettingKind::integer,
    0,
    100000,
    "",
    "0",
    "most steps of an episode; 0: as many as the environment allows, and 200 of CartPole-v1, which "
    "makes it the v0 of the papers"};

constexpr std::array cem_rows{
    env_row,
    SettingInfo{"batch", SettingKind::integer, 2, 10000, "", "16", "episodes of each update"},
    SettingInfo{"percentile", SettingKind::real, 0, 100, "", "70",
                "percentile of the returns of a batch: better episodes are learned from"},
    SettingInfo{"learning_rate", SettingKind::real, 0, 1, "", "0.01", "step size of Adam"},
    SettingInfo{"hidden", SettingKind::integer, 1, 4096, "", "128", "width of the hidden layer"},
    episode_steps_row,
};

constexpr std::array reinforce_rows{
    env_row,
    SettingInfo{"batch", SettingKind::integer, 1, 10000, "", "4", "episodes of each update"},
    SettingInfo{"gamma", SettingKind::real, 0, 1, "", "0.99", "discount"},
    SettingInfo{"standardize", SettingKind::word, 0, 0, "no yes", "no",
                "scale the returns of a batch to mean 0 and deviation 1"},
    SettingInfo{"learning_rate", SettingKind::real, 0, 1, "", "0.01", "step size of Adam"},
    SettingInfo{"hidden", SettingKind::integer, 1, 4096, "", "128", "width of the hidden layer"},
    episode_steps_row,
};

// What a checkpoint does not fix: the network and the game stay.
constexpr std::array<std::string_view, 4> episodic_may_change{"batch", "percentile",
                                                              "learning_rate", "gamma"};
constexpr auto cem_settings = changeable(cem_rows, episodic_may_change);
constexpr auto reinforce_settings = changeable(reinforce_rows, episodic_may_change);

// The version of CartPole follows from the length of an episode. Without a name if the sweep
// searches the environment; without a version if it searches the length.
DatasetInfo game_of(const Params& fixed, const Space& space) {
  DatasetInfo dataset{fixed_text(fixed, "env"), builtin_dataset_version, ""};
  const auto searched = [&](const char* name) {
    return std::ranges::any_of(space, [&](const auto& one) { return one.name == name; });
  };
  if (dataset.name.empty() && !searched("env")) dataset.name = "CartPole-v1";
  if (dataset.name != "CartPole-v1") return dataset;
  const Value* steps = find(fixed, "episode_steps");
  if (steps == nullptr || *steps == Value{std::int64_t{0}} || *steps == Value{std::int64_t{200}})
    dataset.name = "CartPole-v0";
  else if (*steps != Value{std::int64_t{500}})
    dataset.name = "CartPole";
  if (searched("episode_steps")) dataset.name = "CartPole";
  return dataset;
}

}  // namespace

TrainerInfo cem_info() {
  return {.summary = "cross-entropy method (Rubinstein, 1999)",
          .unit = "episodes",
          .objectives = "return",
          .settings = cem_settings,
          .budget = "1600",
          .dataset = game_of};
}

TrainerInfo reinforce_info() {
  return {.summary = "REINFORCE (Williams, 1992)",
          .unit = "episodes",
          .objectives = "return",
          .settings = reinforce_settings,
          .budget = "1200",
          .dataset = game_of};
}

}  // namespace hone
