#include "schemas/types/trainers.hpp"

#include <array>

namespace hone {
namespace {

constexpr auto real = SettingKind::real;
constexpr auto integer = SettingKind::integer;
constexpr auto word = SettingKind::word;

constexpr std::array ga3c_settings{
    SettingInfo{"env", word, 0, 0, "CartPole-v1 Acrobot-v1", "CartPole-v1", "environment to learn"},
    SettingInfo{"learning_rate", real, 0, 1, "", "0.002", "step size of RMSProp at the start"},
    SettingInfo{"learning_rate_end", real, 0, 1, "", "0",
                "step size at the end of the budget (annealed linearly)"},
    SettingInfo{"gamma", real, 0, 1, "", "0.99", "discount"},
    SettingInfo{"t_max", integer, 1, 1000, "", "8",
                "roll-out length: steps of an environment between two updates"},
    SettingInfo{"entropy", real, 0, 10, "", "0.005", "weight of the entropy bonus (beta)"},
    SettingInfo{"value_loss", real, 0, 10, "", "0.5", "weight of the value loss"},
    SettingInfo{"grad_clip", real, 0, 1e9, "", "5",
                "bound of the global gradient norm; 0 switches it off"},
    SettingInfo{"rmsprop_decay", real, 0, 1, "", "0.99", "decay of RMSProp's mean square"},
    SettingInfo{"rmsprop_epsilon", real, 0, 1, "", "1e-5", "epsilon of RMSProp"},
    SettingInfo{"agents", integer, 1, 1024, "", "1", "agent threads"},
    SettingInfo{"envs", integer, 1, 4096, "", "32", "environments each agent owns"},
    SettingInfo{"predictors", integer, 1, 64, "", "1", "predictor threads"},
    SettingInfo{"trainers", integer, 1, 64, "", "1", "trainer threads"},
    SettingInfo{"predict_batch", integer, 1, 65536, "", "1024",
                "most observations in one prediction"},
    SettingInfo{"train_batch", integer, 1, 65536, "", "32",
                "samples after which a trainer stops taking queued roll-outs"},
    SettingInfo{"hidden", integer, 1, 4096, "", "128", "width of each hidden layer"},
    SettingInfo{"layers", integer, 1, 8, "", "1", "hidden layers"},
    SettingInfo{"backend", word, 0, 0, "own torch", "own",
                "who computes the network: kernels of our own, or libtorch"},
    SettingInfo{"mode", word, 0, 0, "corrected parity", "corrected",
                "corrected trains on terminal transitions; parity repeats the published code"},
};

constexpr std::array catalog{
    TrainerInfo{"ga3c", "GPU asynchronous advantage actor-critic (Babaeizadeh et al., 2017)",
                "frames", "return", ga3c_settings},
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

}  // namespace hone
