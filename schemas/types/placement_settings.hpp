// What the trainer `placement` accepts; a part of trainers.cpp.
#pragma once

#include <array>

#include "schemas/types/trainers.hpp"

namespace hone {

inline constexpr std::array placement_settings{
    SettingInfo{"agent", SettingKind::word, 0, 0, "post ce ppo reinforce seq2seq", "post",
                "who learns: Post, its cross-entropy or PPO half alone, or REINFORCE"},
    SettingInfo{"graph", SettingKind::text, 0, 0, "", "inception-v3",
                "what to place: a name of `hone graph`, or a file"},
    SettingInfo{"graph_digest", SettingKind::text, 0, 0, "", "",
                "SHA-256 that `hone graph` prints: a run refuses a graph that changed since"},
    SettingInfo{"devices", SettingKind::integer, 0, 64, "", "4", "accelerators"},
    SettingInfo{"device", SettingKind::word, 0, 0, "k40 k80 p100 v100 a100 h100 cpu", "p100",
                "their kind"},
    SettingInfo{"cpus", SettingKind::integer, 0, 64, "", "0", "CPUs beside them"},
    SettingInfo{"memory_gb", SettingKind::real, 0, 1e6, "", "0",
                "of each accelerator; 0: what the graph's file or the kind says"},
    SettingInfo{"group", SettingKind::word, 0, 0, "op chain single model", "chain",
                "what is placed together, beside what the graph's file demands"},
    SettingInfo{"links", SettingKind::word, 0, 0, "channel pair", "channel",
                "a device sends one tensor at a time, or one on each link of a pair"},
    SettingInfo{"start", SettingKind::word, 0, 0, "baseline single uniform", "baseline",
                "where the policy leans at first: to the best baseline, to one device, nowhere"},
    SettingInfo{"init_bias", SettingKind::real, 0, 20, "", "3", "how much it leans (logit)"},
    SettingInfo{"polish", SettingKind::integer, 0, 1e8, "", "30000",
                "placements that a local search tries at the end; 0 switches it off"},
    SettingInfo{"update_every", SettingKind::integer, 1, 100000, "", "10",
                "samples of one gradient or PPO update (K)"},
    SettingInfo{"elite_every", SettingKind::integer, 2, 100000, "", "50",
                "samples between two cross-entropy updates (N)"},
    SettingInfo{"elite_share", SettingKind::real, 0, 1, "", "0.1",
                "of these samples, the best that are learned from (rho)"},
    SettingInfo{"epsilon", SettingKind::real, 0, 1, "", "0.1",
                "uniform share mixed in after it, annealed to 0 over the budget"},
    SettingInfo{"kl_weight", SettingKind::real, 0, 1e6, "", "1",
                "of the KL penalty of PPO at the start (beta); it adapts"},
    SettingInfo{"kl_target", SettingKind::real, 1e-6, 10, "", "0.03",
                "divergence of an update that it adapts to"},
    SettingInfo{"learning_rate", SettingKind::real, 0, 100, "", "0",
                "step size; 0: 0.5 for post and ppo, 0.1 for reinforce, 0.003 for seq2seq"},
    SettingInfo{"baseline_decay", SettingKind::real, 0, 1, "", "0.9",
                "of REINFORCE's moving mean cost"},
    SettingInfo{"failures_until", SettingKind::integer, 0, 1e12, "", "5000",
                "samples after which placements that cannot run teach REINFORCE nothing"},
    SettingInfo{"hidden", SettingKind::integer, 2, 1024, "", "64", "width of seq2seq's LSTMs"},
    SettingInfo{"temperature", SettingKind::real, 0.01, 100, "", "1", "of seq2seq's softmax"},
    SettingInfo{"tanh_constant", SettingKind::real, 0, 100, "", "5",
                "seq2seq's logits are kept within it by a tanh; 0 switches it off"},
    SettingInfo{"entropy", SettingKind::real, 0, 10, "", "0.01",
                "weight of seq2seq's entropy bonus"},
    SettingInfo{"threads", SettingKind::integer, 1, 256, "", "1",
                "that simulate; the result does not depend on it"},
};

}  // namespace hone
