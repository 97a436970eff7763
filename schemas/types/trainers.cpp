#include "schemas/types/trainers.hpp"

#include <algorithm>
#include <array>

#include "schemas/types/episodic_settings.hpp"
#include "schemas/types/placement_settings.hpp"

namespace hone {
namespace {

constexpr auto real = SettingKind::real;
constexpr auto integer = SettingKind::integer;
constexpr auto word = SettingKind::word;

// What ga3c, a3c and a2c share.
constexpr std::array actor_critic_settings{
    SettingInfo{"env", word, 0, 0,
                "CartPole-v1 Acrobot-v1 MountainCar-v0 MountainCarContinuous-v0 Pendulum-v1 "
                "LunarLander-v3 LunarLanderContinuous-v3 MinAtar-asterix MinAtar-breakout "
                "MinAtar-freeway MinAtar-seaquest MinAtar-space_invaders gym:* atari:*",
                "CartPole-v1", "environment to learn"},
    SettingInfo{"learning_rate", real, 0, 1, "", "0.002", "step size at the start"},
    SettingInfo{"learning_rate_end", real, 0, 1, "", "0",
                "step size at the end of the budget (annealed linearly)"},
    SettingInfo{"gamma", real, 0, 1, "", "0.99", "discount"},
    SettingInfo{"lambda", real, 0, 1, "", "1",
                "mixture of the returns of 1, 2, 3, ... steps (GAE): 1 takes the longest, less of "
                "it relies more on the predicted values; corrected mode only"},
    SettingInfo{"t_max", integer, 1, 1000, "", "8",
                "rollout length: steps of an environment between two updates"},
    SettingInfo{"epochs", integer, 1, 32, "", "1",
                "how often a rollout is trained before it is thrown away; corrected mode only"},
    SettingInfo{
        "ratio_clip", real, 0, 1, "", "0",
        "how far an action's probability may move from what it was when it was chosen "
        "(PPO's clip), for epochs above 1 and late trainers; 0: without; corrected mode only"},
    SettingInfo{"entropy", real, 0, 10, "", "0.005",
                "weight of the entropy bonus (beta) at the start"},
    SettingInfo{"entropy_end", real, 0, 10, "", "0.005",
                "the same at the end of the budget; as entropy where it is not given"},
    SettingInfo{"value_loss", real, 0, 10, "", "0.5", "weight of the value loss"},
    SettingInfo{"grad_clip", real, 0, 1e9, "", "5",
                "bound of the global gradient norm; 0 switches it off"},
    SettingInfo{"reward_clip", real, 0, 1e9, "", "0",
                "bound of a reward, either way; 0 switches it off"},
    SettingInfo{"reward_scale", word, 0, 0, "yes no", "yes",
                "divide rewards by the deviation of the returns seen so far"},
    SettingInfo{"observation_scale", word, 0, 0, "yes no", "no",
                "bring each number of an observation to mean 0 and deviation 1 over all that was "
                "seen so far; not for planes"},
    SettingInfo{"optimizer", word, 0, 0, "rmsprop adam", "rmsprop", "who makes the steps"},
    SettingInfo{"rmsprop_decay", real, 0, 1, "", "0.99", "decay of RMSProp's mean square"},
    SettingInfo{"rmsprop_epsilon", real, 0, 1, "", "1e-5", "epsilon of RMSProp, under the root"},
    SettingInfo{"adam_beta1", real, 0, 0.9999, "", "0.9", "decay of Adam's mean"},
    SettingInfo{"adam_beta2", real, 0, 0.999999, "", "0.999", "decay of Adam's mean square"},
    SettingInfo{"adam_epsilon", real, 0, 1, "", "1e-5", "epsilon of Adam"},
    SettingInfo{"agents", integer, 1, 1024, "", "1", "agent threads"},
    SettingInfo{"envs", integer, 1, 4096, "", "32", "environments each agent owns"},
    SettingInfo{"network", word, 0, 0, "auto mlp minatar conv", "auto",
                "what comes before the hidden layers: nothing, a convolution of 3x3, or the two "
                "published ones; auto: by what the environment shows"},
    SettingInfo{"hidden", integer, 1, 4096, "", "128", "width of each hidden layer"},
    SettingInfo{"layers", integer, 1, 8, "", "1", "hidden layers"},
    SettingInfo{"activation", word, 0, 0, "tanh relu", "tanh", "of the hidden layers"},
    SettingInfo{"deviation", real, 0.01, 10, "", "1",
                "standard deviation of a continuous policy at the start; what the environment can "
                "do goes from -1 to 1"},
    SettingInfo{"sticky", real, 0, 1, "", "0.1",
                "probability that an action is repeated instead of the next one, in environments "
                "that have this rule; where it is not given, as published"},
    SettingInfo{"backend", word, 0, 0, "own torch cuda", "own",
                "who computes the network: kernels of our own, libtorch, or libtorch on a GPU"},
};

constexpr std::array queue_settings{
    SettingInfo{"predictors", integer, 1, 64, "", "1", "predictor threads"},
    SettingInfo{"trainers", integer, 1, 64, "", "1", "trainer threads"},
    SettingInfo{"dynamic", word, 0, 0, "no yes", "no",
                "adjust the numbers of agents, predictors and trainers by measured frames/s"},
    SettingInfo{"dynamic_wait", real, 0.01, 3600, "", "20", "seconds that each adjustment gets"},
    SettingInfo{"predict_batch", integer, 1, 65536, "", "1024",
                "most observations in one prediction"},
    SettingInfo{"train_batch", integer, 1, 65536, "", "32",
                "samples after which a trainer stops taking queued rollouts"},
    SettingInfo{"deterministic", word, 0, 0, "no yes", "no",
                "refuse what would make two runs of one seed differ"},
    SettingInfo{"mode", word, 0, 0, "corrected parity", "corrected",
                "corrected trains on terminal transitions; parity repeats the published code"},
};

template <std::size_t N, std::size_t M>
constexpr std::array<SettingInfo, N + M> joined(const std::array<SettingInfo, N>& first,
                                                const std::array<SettingInfo, M>& second) {
  std::array<SettingInfo, N + M> all{};
  for (std::size_t i = 0; i < N; ++i) all[i] = first[i];
  for (std::size_t i = 0; i < M; ++i) all[N + i] = second[i];
  return all;
}

// One with another fallback.
template <std::size_t N>
constexpr std::array<SettingInfo, N> with(std::array<SettingInfo, N> settings,
                                          std::string_view name, std::string_view fallback) {
  for (auto& setting : settings)
    if (setting.name == name) setting.fallback = fallback;
  return settings;
}

// Their rollout is one update: as large as GA3C's with a fourth of the environments.
constexpr auto plain_settings = with(actor_critic_settings, "envs", "8");
constexpr auto ga3c_settings = joined(actor_critic_settings, queue_settings);

constexpr std::array catalog{
    TrainerInfo{"ga3c", "GPU asynchronous advantage actor-critic (Babaeizadeh et al., 2017)",
                "frames", "return", ga3c_settings},
    TrainerInfo{"a3c", "asynchronous advantage actor-critic (Mnih et al., 2016)", "frames",
                "return", plain_settings},
    TrainerInfo{"a2c", "advantage actor-critic, synchronous", "frames", "return", plain_settings},
    TrainerInfo{"placement", "learns on which devices the operations of a network should run",
                "placements", "step_ms", placement_settings, "2400"},
    TrainerInfo{"cem", "cross-entropy method on CartPole", "episodes", "return", cem_settings,
                "1600"},
    TrainerInfo{"reinforce", "REINFORCE on CartPole (Williams, 1992)", "episodes", "return",
                reinforce_settings, "1200"},
};

}  // namespace

std::span<const TrainerInfo> trainer_catalog() { return catalog; }

const TrainerInfo* find_trainer(std::string_view name) {
  for (const auto& trainer : catalog)
    if (trainer.name == name) return &trainer;
  return nullptr;
}

const SettingInfo* find_setting(const TrainerInfo& trainer, std::string_view name) {
  for (const auto& setting : trainer.settings)
    if (setting.name == name) return &setting;
  return nullptr;
}

bool accepts_word(const SettingInfo& setting, std::string_view word) {
  auto rest = setting.words;
  while (!rest.empty()) {
    const auto blank = std::min(rest.find(' '), rest.size());
    const auto known = rest.substr(0, blank);
    if (!known.empty() && known == word) return true;
    if (known.ends_with('*') && word.size() >= known.size() &&
        word.starts_with(known.substr(0, known.size() - 1)))
      return true;
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
  return false;
}

}  // namespace hone
