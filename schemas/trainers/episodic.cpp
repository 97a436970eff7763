// What the trainers `cem` and `reinforce` accept.
#include <algorithm>
#include <array>

#include "schemas/trainers/common.hpp"
#include "schemas/trainers/trainers.hpp"

namespace hone {
namespace setting_rows {
namespace {

// What a run may not change: the network and the game are those of the checkpoint.
constexpr std::array cem_settings{
    env.described("environment to learn, with discrete actions"),
    batch.by_default("16").within({2, 10000}).described("episodes of each update"),
    real("percentile", Group::learning, {0, 100}, "70",
         "percentile of the returns of a batch: better episodes are learned from")
        .changeable(),
    learning_rate.by_default("0.01").described("step size of Adam"),
    hidden.described("width of the hidden layer"),
    whole("episode_steps", Group::task, {0, 100000}, "0",
          "most steps of an episode; 0: as many as the environment allows, and 200 of CartPole-v1, "
          "which makes it the v0 of the papers"),
};

constexpr std::array reinforce_settings{
    of(cem_settings, "env"),
    of(cem_settings, "batch").by_default("4").within({1, 10000}),
    gamma,
    word("standardize", Group::learning, "no yes", "no",
         "scale the returns of a batch to mean 0 and deviation 1"),
    of(cem_settings, "learning_rate"),
    of(cem_settings, "hidden"),
    of(cem_settings, "episode_steps"),
};

}  // namespace
}  // namespace setting_rows

namespace {

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
          .settings = setting_rows::cem_settings,
          .budget = "1600",
          .dataset = game_of,
          .actions = Actions::discrete};
}

TrainerInfo reinforce_info() {
  return {.summary = "REINFORCE (Williams, 1992)",
          .unit = "episodes",
          .objectives = "return",
          .settings = setting_rows::reinforce_settings,
          .budget = "1200",
          .dataset = game_of,
          .actions = Actions::discrete};
}

}  // namespace hone
