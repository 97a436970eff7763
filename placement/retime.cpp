#include "placement/retime.hpp"

#include <algorithm>

namespace hone::placement {
namespace {

double one_device_ms(const Problem& problem, const std::vector<double>& cost_ms) {
  const auto devices = static_cast<std::size_t>(problem.devices());
  std::vector<double> sums(devices, 0);
  for (std::size_t i = 0; i < cost_ms.size(); ++i) sums[i % devices] += cost_ms[i];
  return *std::min_element(sums.begin(), sums.end());
}

}  // namespace

Problem retimed(Problem problem, Timings timings) {
  const double before_ms = one_device_ms(problem, problem.cost_ms);
  problem.cost_ms = std::move(timings.cost_ms);
  const double failed_factor = problem.failed_ms / problem.one_device_ms;
  problem.one_device_ms = one_device_ms(problem, problem.cost_ms);
  problem.failed_ms = failed_factor * problem.one_device_ms;
  const double slower = problem.one_device_ms / before_ms;
  for (Arc& arc : problem.arcs) {
    const double legs = 2;  // up from one device and down to the other
    arc.bytes = arc.leg_ms >= 0 ? arc.leg_ms * legs * slower / timings.link.ms_per_byte
                                : arc.bytes * timings.scale;
    arc.leg_ms = unknown_ms;
  }
  for (auto& users : problem.users_of_weight)
    for (WeightUser& user : users) user.bytes *= timings.scale;
  for (Weight& weight : problem.graph.weights) weight.bytes *= timings.scale;
  for (double& bytes : problem.memory_of_group) bytes *= timings.scale;
  for (double& bytes : problem.capacity_bytes) bytes *= timings.scale;
  problem.one_device_bytes *= timings.scale;
  for (Link& link : problem.links) link = timings.link;
  return problem;
}

}  // namespace hone::placement
