// The trainer `harmony`: deep reinforcement learning of job placement (Bao et al., "Deep
// Learning-based Job Placement in Distributed Machine Learning Clusters", INFOCOM 2019) on a
// simulated cluster. First the reward model learns from measured placements; then an actor-critic
// places jobs in simulations whose speeds the reward model predicts.
#pragma once

#include <memory>

#include "server/cluster/setup.hpp"
#include "worker/train/run/trainer.hpp"

namespace hone::trainers {

cluster::ClusterSetup harmony_setup(const Settings& settings);

// Refuses a cluster that is too small for the jobs, and settings that check_sizes() refuses.
Result<std::unique_ptr<Trainer>> make_harmony(const TrainingJob& job);

// Returns, for each episode, the mean completion of its jobs divided by that under load balancing
// of the same jobs, with true speeds, as the objective: lower is better. Refuses a policy that
// leaves a job without a place.
Result<Evaluation> evaluate_harmony(const EvaluationPlan& plan);

}  // namespace hone::trainers
