// The rows of allocation_table().
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "server/cluster/policies.hpp"

namespace hone::cluster {
namespace {

// Whether jobs may get other numbers of tasks than their owner wanted.
bool elastic(const View& view) {
  switch (view.setup->rule) {
    case SpeedRule::parameter_servers:
    case SpeedRule::measured:
      return true;
    case SpeedRule::interference:
    case SpeedRule::fixed:
    case SpeedRule::pairs:
      return false;
  }
  return false;
}

bool has_parameter_servers(const View& view) {
  return view.setup->rule == SpeedRule::parameter_servers;
}

// The fewest tasks of an elastic job.
Tasks least_tasks(const View& view) { return {1, has_parameter_servers(view) ? 1 : 0}; }

int workers_max(const View& view, const Job& job) {
  const auto& profile = view.setup->types[static_cast<std::size_t>(job.type)].profile;
  return profile ? profile->workers_max(job.samples) : tasks_max;
}

// What the owners wanted, in the order of `less`; ties by arrival.
template <class Key>
std::vector<Grant> in_order(const View& view, const Key& key) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < view.active.size(); ++i) order.emplace_back(key(view.active[i]), i);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Grant> grants;
  for (const auto& [ignored, index] : order)
    grants.push_back({index, view.active[index].job->wanted});
  return grants;
}

double remaining_s(const ActiveJob& active) {
  constexpr double unknown_s = 1e18;  // finite, so that means and orders stay defined
  const double speed = active.speed(active.job->wanted);
  return speed > 0 ? active.remaining / speed : unknown_s;
}

std::vector<Grant> by_arrival(const View& view) {
  return in_order(view, [](const ActiveJob& active) { return active.job->arrival_s; });
}

std::vector<Grant> by_remaining_time(const View& view) { return in_order(view, remaining_s); }

// Tiresias' two queues: below the threshold by arrival, then the others.
std::vector<Grant> by_attained_service(const View& view) {
  constexpr double second_queue = 1e12;
  return in_order(view, [&](const ActiveJob& active) {
    return active.job->arrival_s + (active.attained < view.setup->las_threshold ? 0 : second_queue);
  });
}

// Tetris: the alignment of a job's demand with what is free, plus shortest remaining time, both
// relative to their means.
std::vector<Grant> by_alignment_and_time(const View& view) {
  double gpus = 0, cpus = 0, time = 0, alignment = 0;
  for (const ServerShape& room : view.free) {
    gpus += room.gpus;
    cpus += room.cpus;
  }
  const auto aligned = [&](const ActiveJob& active) {
    const Tasks& wanted = active.job->wanted;
    return (view.setup->gpus() > 0 ? wanted.workers * gpus : 0) + wanted.total() * cpus;
  };
  for (const ActiveJob& active : view.active) {
    alignment += aligned(active);
    time += remaining_s(active);
  }
  const auto count = static_cast<double>(view.active.size());
  return in_order(view, [&](const ActiveJob& active) {
    return remaining_s(active) / std::max(time / count, 1e-9) -
           aligned(active) / std::max(alignment / count, 1e-9);
  });
}

// The share of the cluster that a task takes of the resource of which it takes most.
double dominant_share(const View& view, const Tasks& tasks) {
  const double cpus = view.setup->cpus(), gpus = view.setup->gpus();
  return std::max(tasks.total() / cpus, gpus > 0 ? tasks.workers / gpus : 0);
}

// What is free of each kind in all, for allocations that do not look at servers.
class Budget {
 public:
  explicit Budget(const View& view) : view_(view) {
    for (const ServerShape& room : view.free) {
      left_.gpus += room.gpus;
      left_.cpus += room.cpus;
    }
  }
  bool take_if_fits(const Tasks& tasks) {
    if (!fits(*view_.setup, left_, tasks)) return false;
    take(*view_.setup, left_, tasks);
    return true;
  }
  [[nodiscard]] bool has_room(const Tasks& tasks) const { return fits(*view_.setup, left_, tasks); }

 private:
  const View& view_;
  ServerShape left_;
};

// The fewest tasks for each job, in the order of arrival, while they fit.
std::vector<Grant> one_each(const View& view, Budget& budget) {
  std::vector<Grant> grants;
  const Tasks least = least_tasks(view);
  for (std::size_t i = 0; i < view.active.size(); ++i)
    if (budget.take_if_fits(least)) grants.push_back({i, least});
  return grants;
}

// Dominant resource fairness (Ghodsi et al., NSDI 2011): progressive filling by workers, each with
// a parameter server where jobs have some. Jobs of fixed size: by the least service so far.
std::vector<Grant> fair(const View& view) {
  if (!elastic(view))
    return in_order(view, [&](const ActiveJob& active) {
      const double age = std::max(view.now_s - active.job->arrival_s, 1.0);
      return active.attained / age;
    });
  Budget budget(view);
  auto grants = one_each(view, budget);
  for (;;) {
    Grant* poorest = nullptr;
    for (Grant& grant : grants)
      if (grant.tasks.workers < workers_max(view, *view.active[grant.index].job) &&
          (poorest == nullptr ||
           dominant_share(view, grant.tasks) < dominant_share(view, poorest->tasks)))
        poorest = &grant;
    const Tasks more = least_tasks(view);
    if (poorest == nullptr || !budget.take_if_fits(more)) return grants;
    poorest->tasks.workers += more.workers;
    poorest->tasks.servers += more.servers;
  }
}

// Optimus, section 4.1: the seconds that one more task saves, for each unit of its dominant
// resource. Jobs at the beginning, whose estimates are poor, count a little less.
double gain_of(const View& view, const ActiveJob& active, const Tasks& now, const Tasks& more) {
  constexpr double early = 0.3, early_factor = 0.95;
  const double before = active.speed(now),
               after = active.speed({now.workers + more.workers, now.servers + more.servers});
  if (!(before > 0) || !(after > 0)) return 0;
  const double saved = active.remaining / before - active.remaining / after;
  const bool poor = has_parameter_servers(view) && active.share_done < early;
  return saved / dominant_share(view, more) * (poor ? early_factor : 1);
}

bool may_have(const View& view, const Grant& grant, const Tasks& more) {
  return grant.tasks.workers + more.workers <= workers_max(view, *view.active[grant.index].job) &&
         grant.tasks.servers + more.servers <= (has_parameter_servers(view) ? tasks_max : 0);
}

std::vector<Grant> by_marginal_gain(const View& view) {
  if (!elastic(view)) return by_remaining_time(view);
  Budget budget(view);
  auto grants = one_each(view, budget);
  for (;;) {
    Grant* best = nullptr;
    Tasks best_more;
    double most = 0;  // a task without a gain is never added
    for (Grant& grant : grants)
      for (const Tasks& more : {Tasks{0, 1}, Tasks{1, 0}}) {
        if (!budget.has_room(more) || !may_have(view, grant, more)) continue;
        const double gain = gain_of(view, view.active[grant.index], grant.tasks, more);
        if (gain > most) {
          most = gain;
          best = &grant;
          best_more = more;
        }
      }
    if (best == nullptr) break;
    budget.take_if_fits(best_more);
    best->tasks.workers += best_more.workers;
    best->tasks.servers += best_more.servers;
  }
  // Optimus places small jobs first.
  std::stable_sort(grants.begin(), grants.end(), [](const Grant& a, const Grant& b) {
    return a.tasks.total() < b.tasks.total();
  });
  return grants;
}

constexpr std::array<AllocationRow, 6> allocations{{
    {"fifo", "what the owner wants, in the order of arrival", by_arrival},
    {"fair", "dominant resource fairness", fair},
    {"srtf", "shortest remaining time first", by_remaining_time},
    {"tetris", "alignment with what is free, and remaining time", by_alignment_and_time},
    {"las", "least attained service first, in two queues", by_attained_service},
    {"gain", "one task more where it saves the most time", by_marginal_gain},
}};

}  // namespace

std::span<const AllocationRow> allocation_table() { return allocations; }

const AllocationRow* find_allocation(std::string_view name) {
  for (const AllocationRow& row : allocations)
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace hone::cluster
