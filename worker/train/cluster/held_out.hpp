// A policy of the trainer `harmony` on arrivals that its training does not draw.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "server/cluster/harmony/harmony.hpp"

namespace hone::trainers {

// Mean completion times of the jobs of one seed, with true speeds.
struct HeldOut {
  double policy_s = 0;
  double balance_s = 0;  // under load balancing
};

// Of the seeds from `first_seed` on. Calls `tick` after each with the number that is done. Refuses
// a policy that leaves a job without a place for good, as one that fills the slots of the job's
// last worker with its parameter servers.
Result<std::vector<HeldOut>> hold_out(
    const cluster::ClusterSetup& setup, const cluster::HarmonyModel& model,
    std::uint64_t first_seed, int seeds, const std::function<void(int)>& tick = [](int) {});

// The mean completion under the policy divided by that under load balancing. Precondition: not
// empty.
double of_load_balancing(const std::vector<HeldOut>& seeds);

}  // namespace hone::trainers
