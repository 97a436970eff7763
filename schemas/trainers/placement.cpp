// What the trainer `placement` accepts.
#include <array>

#include "schemas/trainers/common.hpp"
#include "schemas/trainers/trainers.hpp"

namespace hone {
namespace setting_rows {
namespace {

constexpr std::array placement_settings{
    word("agent", Group::learning, "post ce ppo reinforce seq2seq", "post",
         "what learns: Post, its cross-entropy or PPO half alone, REINFORCE, or seq2seq"),
    text("graph", Group::task, "inception-v3", "what to place: a name of `hone graph`, or a file"),
    text("graph_digest", Group::task, "",
         "SHA-256 that `hone graph` prints: a run refuses a graph that has changed"),
    whole("devices", Group::task, {0, 64}, "4", "number of accelerators"),
    word("device", Group::task, "k40 k80 p100 v100 a100 h100 cpu", "p100",
         "kind of the accelerators"),
    whole("cpus", Group::task, {0, 64}, "0", "number of CPUs"),
    real("memory_gb", Group::task, {0, 1e6}, "0",
         "memory of each accelerator; 0: that of the graph's file or of the kind"),
    word("group", Group::task, "op chain single model", "chain",
         "what is placed together, besides what the graph's file demands"),
    word("links", Group::task, "channel pair", "channel",
         "a device sends one tensor at a time, or one on each link of a pair"),
    real("memory_weight", Group::task, {0, 100}, "0",
         "cost of the memory of the fullest device: what the whole graph takes on one device costs "
         "as much as this number of steps there"),
    word("start", Group::exploration, "baseline single uniform", "baseline",
         "initial policy: prefers the best baseline, prefers one device, or uniform"),
    real("init_bias", Group::exploration, {0, 20}, "3",
         "strength of the initial preference (logit)"),
    whole("polish", Group::learning, {0, 1e8}, "30000",
          "placements that a local search tries at the end; 0: no local search"),
    whole("update_every", Group::learning, {1, 100000}, "10",
          "samples of one gradient or PPO update (K)"),
    whole("elite_every", Group::learning, {2, 100000}, "50",
          "samples between two cross-entropy updates (N)")
        .only_with("agent=post,ce"),
    real("elite_share", Group::learning, {0, 1}, "0.1",
         "share of these samples, the best, that a cross-entropy update uses (rho)")
        .only_with("agent=post,ce"),
    real("epsilon", Group::exploration, {0, 1}, "0.1",
         "uniform share mixed in after the update, annealed to 0 over the budget"),
    real("kl_weight", Group::learning, {0, 1e6}, "1",
         "initial weight of the KL penalty of PPO (beta); it adapts")
        .only_with("agent=post,ppo"),
    real("kl_target", Group::learning, {1e-6, 10}, "0.03",
         "KL divergence of an update to which the weight adapts")
        .only_with("agent=post,ppo"),
    real("learning_rate", Group::optimizer, {0, 100}, "0",
         "step size; 0: 0.5 for post and ppo, 0.1 for reinforce, 0.003 for seq2seq"),
    real("baseline_decay", Group::learning, {0, 1}, "0.9",
         "decay of the moving mean cost of REINFORCE")
        .only_with("agent=reinforce,seq2seq"),
    whole("failures_until", Group::learning, {0, 1e12}, "5000",
          "number of samples after which REINFORCE ignores placements that cannot run")
        .only_with("agent=reinforce,seq2seq"),
    whole("controllers", Group::actors, {1, 64}, "1",
          "controllers of seq2seq: each draws with its own copy of the shared weights")
        .only_with("agent=seq2seq"),
    word("encoder", Group::network, "sizes shapes", "sizes",
         "what seq2seq reads of a group besides its kind and neighbours: work and sizes, or the "
         "shapes of its outputs")
        .only_with("agent=seq2seq"),
    whole("hidden", Group::network, {2, 1024}, "64", "width of the LSTMs of seq2seq")
        .only_with("agent=seq2seq"),
    real("temperature", Group::exploration, {0.01, 100}, "1",
         "temperature of the softmax of seq2seq")
        .only_with("agent=seq2seq"),
    real("tanh_constant", Group::network, {0, 100}, "5",
         "bound of the logits of seq2seq, by a tanh; 0: no bound")
        .only_with("agent=seq2seq"),
    real("entropy", Group::exploration, {0, 10}, "0.01", "weight of the entropy bonus of seq2seq")
        .only_with("agent=seq2seq"),
    whole("threads", Group::actors, {1, 256}, "1",
          "threads that simulate, and run controllers; the result does not depend on it"),
};

}  // namespace
}  // namespace setting_rows

namespace {

DatasetInfo graph_of(const Params& fixed, const Space&) {
  return {fixed_text(fixed, "graph"), builtin_dataset_version, fixed_text(fixed, "graph_digest")};
}

}  // namespace

TrainerInfo placement_info() {
  return {.summary = "learns on which devices the operations of a network should run",
          .unit = "placements",
          .objectives = "step_ms peak_gb",
          .settings = setting_rows::placement_settings,
          .budget = "2400",
          .dataset = graph_of};
}

}  // namespace hone
