#include "placement/local_search.hpp"

#include <algorithm>
#include <cmath>

#include "placement/baselines/group_costs.hpp"

namespace hone::placement {
namespace {

constexpr double hot = 0.02;      // initial temperature, as a share of the step
constexpr double cold = 0.0002;   // final temperature
constexpr int cluster_max = 12;   // groups that move together
constexpr int asked_every = 256;  // evaluations between calls of keep_going

class Search {
 public:
  Search(const Problem& problem, RandomGenerator& generator)
      : problem_(problem),
        generator_(generator),
        simulator_(problem),
        ties_(ties_of_groups(problem)),
        order_(groups_in_order(problem)) {
    for (const auto& users : problem.users_of_weight) {
      std::vector<int> groups;
      for (const WeightUser& user : users)
        groups.push_back(problem.group_of_node[as_index(user.node)]);
      if (groups.size() > 1) shared_.push_back(std::move(groups));
    }
  }

  Found run(const Placement& start, const LocalSearchPlan& plan) {
    Placement now = start;
    double now_cost = simulator_.cost(now).total_ms;
    Found best{now, now_cost};
    for (int i = 1; i < plan.evaluations; ++i) {
      if (i % asked_every == 0 && !plan.keep_going()) break;
      const double progress = static_cast<double>(i) / plan.evaluations;
      const double heat = best.cost_ms * hot * std::pow(cold / hot, progress);
      const Placement before = now;
      change(now);
      if (now == before) continue;
      const double cost = simulator_.cost(now).total_ms;
      if (cost > now_cost && generator_.uniform() >= std::exp((now_cost - cost) / heat)) {
        now = before;
        continue;
      }
      now_cost = cost;
      if (cost < best.cost_ms) best = {now, cost};
    }
    return best;
  }

 private:
  void change(Placement& placement) {
    const int kind = generator_.below(20);
    if (kind < 9) return move(placement, some_group(), some_device(placement));
    if (kind < 14) return move_cluster(placement);
    if (kind < 16) return swap(placement);
    if (kind < 18 && !shared_.empty()) return move_users(placement);
    move_stretch(placement);
  }

  int some_group() { return generator_.below(problem_.groups); }

  // A random device, or the device of a random group.
  int some_device(const Placement& placement) {
    return generator_.below(2) == 0 ? generator_.below(problem_.devices())
                                    : placement[as_index(some_group())];
  }

  void move(Placement& placement, int group, int device) {
    if (problem_.may_run[as_index(group * problem_.devices() + device)] != 0)
      placement[as_index(group)] = device;
  }

  // Moves a connected cluster of groups on one device to another device.
  void move_cluster(Placement& placement) {
    const int first = some_group();
    const int from = placement[as_index(first)];
    const int wanted = 2 + generator_.below(cluster_max - 1);
    std::vector<int> cluster{first};
    for (std::size_t i = 0; i < cluster.size() && static_cast<int>(cluster.size()) < wanted; ++i)
      for (const Tie& tie : ties_[as_index(cluster[i])])
        if (placement[as_index(tie.group)] == from && static_cast<int>(cluster.size()) < wanted &&
            std::find(cluster.begin(), cluster.end(), tie.group) == cluster.end())
          cluster.push_back(tie.group);
    const int to = generator_.below(problem_.devices());
    for (const int group : cluster) move(placement, group, to);
  }

  void swap(Placement& placement) {
    const int a = some_group();
    const int b = some_group();
    const int device = placement[as_index(a)];
    move(placement, a, placement[as_index(b)]);
    move(placement, b, device);
  }

  void move_users(Placement& placement) {
    const auto& users = shared_[as_index(generator_.below(static_cast<int>(shared_.size())))];
    const int to = generator_.below(problem_.devices());
    const int count = static_cast<int>(users.size());
    const int first = generator_.below(2) == 0 ? 0 : generator_.below(count);
    const int last = generator_.below(2) == 0 ? count : first + generator_.below(count - first) + 1;
    for (int i = first; i < last; ++i) move(placement, users[as_index(i)], to);
  }

  void move_stretch(Placement& placement) {
    const int first = some_group();
    const int length = 1 + generator_.below(std::max(1, problem_.groups / 4));
    const int from = placement[as_index(order_[as_index(first)])];
    const int to = generator_.below(problem_.devices());
    for (int i = first; i < std::min(first + length, problem_.groups); ++i)
      if (placement[as_index(order_[as_index(i)])] == from)
        move(placement, order_[as_index(i)], to);
  }

  const Problem& problem_;
  RandomGenerator& generator_;
  Simulator simulator_;
  std::vector<std::vector<Tie>> ties_;
  std::vector<int> order_;
  std::vector<std::vector<int>> shared_;
};

}  // namespace

Found improve(const Problem& problem, const Placement& start, const LocalSearchPlan& plan,
              RandomGenerator& generator) {
  return Search(problem, generator).run(start, plan);
}

}  // namespace hone::placement
