#include "server/sweep/lease/resource_demand.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "server/sweep/state/rules.hpp"

namespace hone {

std::vector<ResourcesSpec> resources_wanted(const Book& book) {
  using Needs = std::tuple<int, int, std::int64_t, std::vector<std::string>, std::int64_t>;
  std::set<Needs> wanted;
  for (const SweepId id : book.open_sweeps) {
    const Sweep& sweep = book.sweeps.at(id);
    std::set<Needs> needs;  // of every step: which one its runs are at costs more
    for (int step = 0; step < steps_of(sweep.spec); ++step) {
      const ResourcesSpec of = resources_of(sweep.spec, step);
      needs.emplace(of.cpus, of.gpus, of.memory, of.labels, of.gpu_memory);
    }
    if (!std::ranges::includes(wanted, needs) && gives_run(book, sweep, {}, {}))
      wanted.merge(needs);
  }
  std::vector<ResourcesSpec> resources;
  for (const auto& [cpus, gpus, memory, labels, gpu_memory] : wanted)
    resources.push_back({cpus, gpus, memory, labels, gpu_memory});
  return resources;
}

bool may_serve(const Book& book, const AcquireRequest& request,
               std::span<const ResourcesSpec> wanted) {
  const Room free = free_room(book.workers.at(request.worker), request);
  return std::ranges::any_of(wanted, [&](const ResourcesSpec& one) { return fits(one, free); });
}

}  // namespace hone
