// An episode of the trainer `harmony`: the jobs of one seed, placed by the policy with job-aware
// exploration.
#pragma once

#include "server/cluster/simulate.hpp"
#include "worker/train/cluster/replay.hpp"

namespace hone::trainers {

// An episode ends after so many without progress of any job: its policy leaves one without a place.
inline constexpr int idle_intervals_max = 1000;

enum class RewardRule {
  speed,     // the sum of the relative speeds
  progress,  // the sum of the shares of their work that the jobs do in an interval
};

struct EpisodePlan {
  const cluster::ClusterSetup& setup;
  const cluster::HarmonyModel& model;
  cluster::RateModel speeds;  // relative speeds: predicted, or true
  RewardRule rule = RewardRule::speed;
  double exploration = 0;  // probability of a decision by load balancing or packing
};

// Decisions in their order. The reward of a decision is what the jobs that were placed in its
// interval added to the reward of all running jobs, for each of them: the interval's reward minus
// what it would be without them, which no decision of the interval can change.
std::vector<Experience> play_episode(const EpisodePlan& plan, Rng& rng);

}  // namespace hone::trainers
