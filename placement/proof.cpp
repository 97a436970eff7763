#include "placement/proof.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <set>
#include <utility>

#include "placement/bound.hpp"

namespace hone::placement {
namespace {

using Pair = std::pair<int, int>;

// Rounding must not prove anything: a path is too long only if it is longer by this share.
constexpr double rounding_slack = 1e-9;

struct PathArc {
  int to = 0;
  double transfer_ms = 0;  // least time, if its ends are on two devices
};

// An assumption about a placement: groups that share a device, and clusters that do not.
struct Assumption {
  std::vector<int> cluster;  // of each group
  std::set<Pair> separated;  // of clusters, the lower number first
};

Pair ordered(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

class Prover {
 public:
  Prover(const Problem& problem, const ProofPlan& plan)
      : problem_(problem), goal_(plan.goal_ms * (1 - rounding_slack)), effort_left_(plan.effort) {
    put_arcs();
    put_order();
    put_ancestors();
  }

  bool refutes_all() {
    Assumption start;
    for (int g = 0; g < problem_.groups; ++g) start.cluster.push_back(g);
    return refutes(std::move(start));
  }

 private:
  void put_arcs() {
    const int devices = problem_.devices();
    const auto tasks = as_index(problem_.tasks);
    work_.assign(tasks, HUGE_VAL);
    arcs_.resize(tasks);
    back_.resize(tasks);
    for (std::size_t t = 0; t < tasks; ++t) {
      for (int d = 0; d < devices; ++d)
        work_[t] = std::min(work_[t], problem_.cost(static_cast<int>(t), d));
      for (int a = problem_.arc_begin[t]; a < problem_.arc_begin[t + 1]; ++a) {
        const Arc& arc = problem_.arcs[as_index(a)];
        double least = HUGE_VAL;
        for (int from = 0; from < devices; ++from)
          for (int to = 0; to < devices; ++to)
            if (from != to)
              least = std::min(least, problem_.transfer_ms(from, to, arc.bytes, arc.leg_ms));
        arcs_[t].push_back({arc.to, least});
        back_[as_index(arc.to)].push_back({static_cast<int>(t), least});
      }
    }
  }

  void put_order() {
    auto needs = problem_.needs;
    for (int task = 0; task < problem_.tasks; ++task)
      if (needs[as_index(task)] == 0) order_.push_back(task);
    for (std::size_t i = 0; i < order_.size(); ++i)
      for (const PathArc& arc : arcs_[as_index(order_[i])])
        if (--needs[as_index(arc.to)] == 0) order_.push_back(arc.to);
  }

  void put_ancestors() {
    const auto tasks = as_index(problem_.tasks);
    ancestors_.assign(tasks, std::vector<char>(tasks, 0));
    for (const int task : order_)
      for (const PathArc& arc : back_[as_index(task)]) {
        ancestors_[as_index(task)][as_index(arc.to)] = 1;
        for (std::size_t i = 0; i < tasks; ++i)
          ancestors_[as_index(task)][i] |= ancestors_[as_index(arc.to)][i];
      }
  }

  [[nodiscard]] int cluster_of(const Assumption& assumed, int task) const {
    return assumed.cluster[as_index(problem_.group_of_task[as_index(task)])];
  }

  // Earliest starts; with `mirrored`, the least time that must follow each end.
  [[nodiscard]] std::vector<double> heads(const Assumption& assumed, bool mirrored) const {
    const auto tasks = as_index(problem_.tasks);
    std::vector<double> head(tasks, 0);
    std::vector<std::vector<int>> members(as_index(problem_.groups));  // of clusters, by head
    const auto visit = [&](int task) {
      double& mine = head[as_index(task)];
      for (const PathArc& arc : mirrored ? arcs_[as_index(task)] : back_[as_index(task)]) {
        const bool cut =
            is_separated(assumed, cluster_of(assumed, task), cluster_of(assumed, arc.to));
        mine = std::max(
            mine, head[as_index(arc.to)] + work_[as_index(arc.to)] + (cut ? arc.transfer_ms : 0));
      }
      for (const auto& list : members) {
        double end = 0;
        for (const int other : list)
          if ((mirrored ? ancestors_[as_index(other)][as_index(task)]
                        : ancestors_[as_index(task)][as_index(other)]) != 0)
            end = std::max(end, head[as_index(other)]) + work_[as_index(other)];
        mine = std::max(mine, end);
      }
      auto& list = members[as_index(cluster_of(assumed, task))];
      const auto place = std::find_if(list.begin(), list.end(),
                                      [&](int other) { return head[as_index(other)] > mine; });
      list.insert(place, task);
    };
    if (mirrored)
      std::for_each(order_.rbegin(), order_.rend(), visit);
    else
      std::for_each(order_.begin(), order_.end(), visit);
    return head;
  }

  static bool is_separated(const Assumption& assumed, int a, int b) {
    return a != b && assumed.separated.contains(ordered(a, b));
  }

  // A lower bound under the assumption: the longest path, and each cluster's tasks in sequence.
  double bound(const Assumption& assumed) {
    effort_left_ -= 2.0 * problem_.tasks * problem_.tasks;
    const auto head = heads(assumed, false);
    const auto tail = heads(assumed, true);
    double least = 0;
    std::vector<std::vector<int>> members(as_index(problem_.groups));
    for (int t = 0; t < problem_.tasks; ++t) {
      least = std::max(least, head[as_index(t)] + work_[as_index(t)] + tail[as_index(t)]);
      members[as_index(cluster_of(assumed, t))].push_back(t);
    }
    for (auto& list : members) least = std::max(least, one_machine(std::move(list), head, tail));
    return least;
  }

  // Jackson's preemptive schedule: of the tasks that are ready, the one with the longest tail runs.
  [[nodiscard]] double one_machine(std::vector<int> tasks, const std::vector<double>& head,
                                   const std::vector<double>& tail) const {
    std::sort(tasks.begin(), tasks.end(),
              [&](int a, int b) { return head[as_index(a)] < head[as_index(b)]; });
    std::vector<std::pair<double, double>> urgent;  // tail, work left; a heap
    double now = 0;
    double least = 0;
    std::size_t next = 0;
    while (next < tasks.size() || !urgent.empty()) {
      if (urgent.empty()) now = std::max(now, head[as_index(tasks[next])]);
      for (; next < tasks.size() && head[as_index(tasks[next])] <= now; ++next) {
        urgent.emplace_back(tail[as_index(tasks[next])], work_[as_index(tasks[next])]);
        std::push_heap(urgent.begin(), urgent.end());
      }
      std::pop_heap(urgent.begin(), urgent.end());
      auto running = urgent.back();
      urgent.pop_back();
      const double until = next < tasks.size() ? head[as_index(tasks[next])] : HUGE_VAL;
      const double spent = std::min(running.second, until - now);
      now += spent;
      running.second -= spent;
      if (running.second > 0) {
        urgent.push_back(running);
        std::push_heap(urgent.begin(), urgent.end());
      } else {
        least = std::max(least, now + running.first);
      }
    }
    return least;
  }

  static Assumption joined(Assumption assumed, int a, int b) {
    for (int& cluster : assumed.cluster)
      if (cluster == b) cluster = a;
    std::set<Pair> renamed;
    for (const auto& [x, y] : assumed.separated)
      renamed.insert(ordered(x == b ? a : x, y == b ? a : y));
    assumed.separated = std::move(renamed);
    return assumed;
  }
  static Assumption parted(Assumption assumed, int a, int b) {
    assumed.separated.insert(ordered(a, b));
    return assumed;
  }

  // Neighbouring clusters about which nothing is assumed yet.
  [[nodiscard]] std::set<Pair> open_pairs(const Assumption& assumed) const {
    std::set<Pair> pairs;
    for (int t = 0; t < problem_.tasks; ++t)
      for (const PathArc& arc : arcs_[as_index(t)]) {
        const int a = cluster_of(assumed, t);
        const int b = cluster_of(assumed, arc.to);
        if (a != b && !is_separated(assumed, a, b)) pairs.insert(ordered(a, b));
      }
    return pairs;
  }

  bool refuted(const Assumption& assumed) { return bound(assumed) >= goal_; }

  bool refutes(Assumption assumed) {
    if (refuted(assumed)) return true;
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [a, b] : open_pairs(assumed)) {
        if (effort_left_ <= 0) return false;
        if (assumed.cluster[as_index(a)] != a || assumed.cluster[as_index(b)] != b) continue;
        const bool never_separated = refuted(parted(assumed, a, b));
        const bool never_joined = refuted(joined(assumed, a, b));
        if (never_separated && never_joined) return true;
        if (never_separated) assumed = joined(std::move(assumed), a, b);
        if (never_joined) assumed = parted(std::move(assumed), a, b);
        changed = changed || never_separated || never_joined;
      }
    }
    return split(assumed);
  }

  // Splits on the pair with the largest bound, so that both cases are refuted soon.
  bool split(const Assumption& assumed) {
    double most = -1;
    Pair chosen{-1, -1};
    for (const auto& [a, b] : open_pairs(assumed)) {
      if (effort_left_ <= 0) return false;
      const double least = std::min(bound(parted(assumed, a, b)), bound(joined(assumed, a, b)));
      if (least > most) {
        most = least;
        chosen = {a, b};
      }
    }
    if (chosen.first < 0) return false;  // a placement that these bounds allow
    return refutes(parted(assumed, chosen.first, chosen.second)) &&
           refutes(joined(assumed, chosen.first, chosen.second));
  }

  const Problem& problem_;
  double goal_;
  double effort_left_;
  std::vector<double> work_;
  std::vector<std::vector<PathArc>> arcs_, back_;
  std::vector<int> order_;
  std::vector<std::vector<char>> ancestors_;
};

}  // namespace

Verdict prove(const Problem& problem, const ProofPlan& plan) {
  if (lower_bound_ms(problem) >= plan.goal_ms * (1 - rounding_slack)) return Verdict::impossible;
  return Prover(problem, plan).refutes_all() ? Verdict::impossible : Verdict::open;
}

}  // namespace hone::placement
