#include "worker/train/cluster/held_out.hpp"

#include "server/cluster/simulate.hpp"

namespace hone::trainers {

Result<std::vector<HeldOut>> hold_out(const cluster::ClusterSetup& setup,
                                      const cluster::HarmonyModel& model, std::uint64_t first_seed,
                                      int seeds, const std::function<void(int)>& tick) {
  const cluster::Scheduler learned{cluster::find_allocation("fifo"), cluster::harmony_place(model)};
  const auto balance = cluster::scheduler_of(*cluster::find_policy("load-balancing"));
  std::vector<HeldOut> out;
  for (int i = 0; i < seeds; ++i) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(i);
    const auto jobs = cluster::draw_jobs(setup, seed);
    const auto of = [&](const char* name, const cluster::Scheduler& scheduler) -> Result<double> {
      const auto outcome = cluster::simulate(setup, jobs, scheduler, seed);
      if (!outcome)
        return refuse(Code::invalid, std::string(name) + " does not end the jobs of seed " +
                                         std::to_string(seed) + ": " + outcome.error().detail);
      return outcome->mean_completion_s();
    };
    const auto by_policy = of("the policy", learned);
    if (!by_policy) return by_policy.error();
    const auto by_balance = of("load balancing", balance);
    if (!by_balance) return by_balance.error();
    out.push_back({*by_policy, *by_balance});
    tick(i + 1);
  }
  return out;
}

double of_load_balancing(const std::vector<HeldOut>& seeds) {
  double policy_s = 0, balance_s = 0;
  for (const HeldOut& seed : seeds) {
    policy_s += seed.policy_s;
    balance_s += seed.balance_s;
  }
  return policy_s / balance_s;
}

}  // namespace hone::trainers
