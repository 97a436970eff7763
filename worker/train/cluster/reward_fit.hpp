// Supervised training of Harmony's reward model from measured placements.
#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "server/cluster/harmony/harmony.hpp"

namespace hone::trainers {

// The jobs that ran in one interval, where, and how fast.
struct SpeedRecord {
  std::vector<cluster::Job> jobs;
  std::vector<cluster::Layout> layouts;
  std::vector<double> speeds;  // relative to the job alone
};

// Records of simulated intervals under load balancing, packing and random placement in turn, with
// true speeds times (1 + noise * normal). Fewer than `count` after a stop, and where none of the
// policies finds a place for the jobs. Calls `tick` in every interval.
std::vector<SpeedRecord> record_speeds(
    const cluster::ClusterSetup& setup, std::size_t count, double noise, std::uint64_t seed,
    const std::stop_token& stop = {}, const std::function<void()>& tick = [] {});

struct RewardFitPlan {
  int epochs = 30;  // at most
  double learning_rate = 0.003;
  std::uint64_t seed = 0;
};
struct RewardFit {
  int epochs = 0;
  double held_out_error = 0;  // mean absolute, on a tenth of the records
};

// Minimises the squared error on nine tenths of the records, and keeps the weights with the least
// error on the others; ends after ten passes without a better one. A stop leaves it unfinished:
// epochs is 0.
RewardFit fit_reward(const cluster::ClusterSetup& setup, const std::vector<SpeedRecord>& records,
                     const RewardFitPlan& plan, cluster::RewardModel& model,
                     const std::stop_token& stop, const std::function<void()>& tick);

// Mean absolute error over the jobs of the records.
double mean_error(const cluster::ClusterSetup& setup, std::span<const SpeedRecord> records,
                  const cluster::RewardModel& model);

}  // namespace hone::trainers
