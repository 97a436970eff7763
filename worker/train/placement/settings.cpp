// What the trainer `placement` accepts.
#include <array>

#include "worker/train/settings/trainers.hpp"

namespace hone {
namespace {

constexpr std::array placement_settings{
    SettingInfo{"agent", SettingKind::word, 0, 0, "post ce ppo reinforce seq2seq", "post",
                "what learns: Post, its cross-entropy or PPO half alone, REINFORCE, or seq2seq"},
    SettingInfo{"graph", SettingKind::text, 0, 0, "", "inception-v3",
                "what to place: a name of `hone graph`, or a file"},
    SettingInfo{"graph_digest", SettingKind::text, 0, 0, "", "",
                "SHA-256 that `hone graph` prints: a run refuses a graph that has changed"},
    SettingInfo{"devices", SettingKind::integer, 0, 64, "", "4", "number of accelerators"},
    SettingInfo{"device", SettingKind::word, 0, 0, "k40 k80 p100 v100 a100 h100 cpu", "p100",
                "kind of the accelerators"},
    SettingInfo{"cpus", SettingKind::integer, 0, 64, "", "0", "number of CPUs"},
    SettingInfo{"memory_gb", SettingKind::real, 0, 1e6, "", "0",
                "memory of each accelerator; 0: that of the graph's file or of the kind"},
    SettingInfo{"group", SettingKind::word, 0, 0, "op chain single model", "chain",
                "what is placed together, besides what the graph's file demands"},
    SettingInfo{"links", SettingKind::word, 0, 0, "channel pair", "channel",
                "a device sends one tensor at a time, or one on each link of a pair"},
    SettingInfo{"memory_weight", SettingKind::real, 0, 100, "", "0",
                "cost of the memory of the fullest device: what the whole graph takes on one "
                "device costs as much as this number of steps there"},
    SettingInfo{"start", SettingKind::word, 0, 0, "baseline single uniform", "baseline",
                "initial policy: prefers the best baseline, prefers one device, or uniform"},
    SettingInfo{"init_bias", SettingKind::real, 0, 20, "", "3",
                "strength of the initial preference (logit)"},
    SettingInfo{"polish", SettingKind::integer, 0, 1e8, "", "30000",
                "placements that a local search tries at the end; 0: no local search"},
    SettingInfo{"update_every", SettingKind::integer, 1, 100000, "", "10",
                "samples of one gradient or PPO update (K)"},
    SettingInfo{"elite_every", SettingKind::integer, 2, 100000, "", "50",
                "samples between two cross-entropy updates (N)"},
    SettingInfo{"elite_share", SettingKind::real, 0, 1, "", "0.1",
                "share of these samples, the best, that a cross-entropy update uses (rho)"},
    SettingInfo{"epsilon", SettingKind::real, 0, 1, "", "0.1",
                "uniform share mixed in after the update, annealed to 0 over the budget"},
    SettingInfo{"kl_weight", SettingKind::real, 0, 1e6, "", "1",
                "initial weight of the KL penalty of PPO (beta); it adapts"},
    SettingInfo{"kl_target", SettingKind::real, 1e-6, 10, "", "0.03",
                "KL divergence of an update to which the weight adapts"},
    SettingInfo{"learning_rate", SettingKind::real, 0, 100, "", "0",
                "step size; 0: 0.5 for post and ppo, 0.1 for reinforce, 0.003 for seq2seq"},
    SettingInfo{"baseline_decay", SettingKind::real, 0, 1, "", "0.9",
                "decay of the moving mean cost of REINFORCE"},
    SettingInfo{"failures_until", SettingKind::integer, 0, 1e12, "", "5000",
                "number of samples after which REINFORCE ignores placements that cannot run"},
    SettingInfo{"controllers", SettingKind::integer, 1, 64, "", "1",
                "controllers of seq2seq: each draws with its own copy of the shared weights"},
    SettingInfo{"encoder", SettingKind::word, 0, 0, "sizes shapes", "sizes",
                "what seq2seq reads of a group besides its kind and neighbours: work and sizes, or "
                "the shapes of its outputs"},
    SettingInfo{"hidden", SettingKind::integer, 2, 1024, "", "64", "width of the LSTMs of seq2seq"},
    SettingInfo{"temperature", SettingKind::real, 0.01, 100, "", "1",
                "temperature of the softmax of seq2seq"},
    SettingInfo{"tanh_constant", SettingKind::real, 0, 100, "", "5",
                "bound of the logits of seq2seq, by a tanh; 0: no bound"},
    SettingInfo{"entropy", SettingKind::real, 0, 10, "", "0.01",
                "weight of the entropy bonus of seq2seq"},
    SettingInfo{"threads", SettingKind::integer, 1, 256, "", "1",
                "threads that simulate, and run controllers; the result does not depend on it"},
};

DatasetInfo graph_of(const Params& fixed, const Space&) {
  return {fixed_text(fixed, "graph"), builtin_dataset_version, fixed_text(fixed, "graph_digest")};
}

}  // namespace

TrainerInfo placement_info() {
  return {.summary = "learns on which devices the operations of a network should run",
          .unit = "placements",
          .objectives = "step_ms peak_gb",
          .settings = placement_settings,
          .budget = "2400",
          .dataset = graph_of};
}

}  // namespace hone
