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

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// Rounding must not prove anything: a way counts as too long when it is longer by this share.
constexpr double slack = 1e-9;

struct Way {
  int to = 0;
  double transfer_ms = 0;  // at least, where its ends are on two devices
};

// What is supposed of a placement: groups that share a device, and clusters that do not.
struct Supposed {
  std::vector<int> cluster;  // of each group
  std::set<Pair> apart;      // of clusters, the lower number first
};

Pair ordered(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

class Prover {
 public:
  Prover(const Problem& problem, const ProofPlan& plan)
      : problem_(problem), goal_(plan.goal_ms * (1 - slack)), effort_left_(plan.effort) {
    put_ways();
    put_order();
    put_ancestors();
  }

  bool refutes_all() {
    Supposed start;
    for (int g = 0; g < problem_.groups; ++g) start.cluster.push_back(g);
    return refutes(std::move(start));
  }

 private:
  void put_ways() {
    const int devices = problem_.devices();
    const auto tasks = at(problem_.tasks);
    work_.assign(tasks, HUGE_VAL);
    ways_.resize(tasks);
    back_.resize(tasks);
    for (std::size_t t = 0; t < tasks; ++t) {
      for (int d = 0; d < devices; ++d)
        work_[t] = std::min(work_[t], problem_.cost(static_cast<int>(t), d));
      for (int a = problem_.arc_begin[t]; a < problem_.arc_begin[t + 1]; ++a) {
        const Arc& arc = problem_.arcs[at(a)];
        double least = HUGE_VAL;
        for (int from = 0; from < devices; ++from)
          for (int to = 0; to < devices; ++to)
            if (from != to)
              least = std::min(least, problem_.transfer_ms(from, to, arc.bytes, arc.leg_ms));
        ways_[t].push_back({arc.to, least});
        back_[at(arc.to)].push_back({static_cast<int>(t), least});
      }
    }
  }

  void put_order() {
    auto needs = problem_.needs;
    for (int task = 0; task < problem_.tasks; ++task)
      if (needs[at(task)] == 0) order_.push_back(task);
    for (std::size_t i = 0; i < order_.size(); ++i)
      for (const Way& way : ways_[at(order_[i])])
        if (--needs[at(way.to)] == 0) order_.push_back(way.to);
  }

  void put_ancestors() {
    const auto tasks = at(problem_.tasks);
    ancestors_.assign(tasks, std::vector<char>(tasks, 0));
    for (const int task : order_)
      for (const Way& way : back_[at(task)]) {
        ancestors_[at(task)][at(way.to)] = 1;
        for (std::size_t i = 0; i < tasks; ++i)
          ancestors_[at(task)][i] |= ancestors_[at(way.to)][i];
      }
  }

  [[nodiscard]] int cluster_of(const Supposed& supposed, int task) const {
    return supposed.cluster[at(problem_.group_of_task[at(task)])];
  }

  // Earliest starts, or with `mirrored` what must at least follow each end.
  [[nodiscard]] std::vector<double> heads(const Supposed& supposed, bool mirrored) const {
    const auto tasks = at(problem_.tasks);
    std::vector<double> head(tasks, 0);
    std::vector<std::vector<int>> members(at(problem_.groups));  // of clusters, by head
    const auto visit = [&](int task) {
      double& mine = head[at(task)];
      for (const Way& way : mirrored ? ways_[at(task)] : back_[at(task)]) {
        const bool cut = apart(supposed, cluster_of(supposed, task), cluster_of(supposed, way.to));
        mine = std::max(mine, head[at(way.to)] + work_[at(way.to)] + (cut ? way.transfer_ms : 0));
      }
      for (const auto& list : members) {
        double end = 0;
        for (const int other : list)
          if ((mirrored ? ancestors_[at(other)][at(task)] : ancestors_[at(task)][at(other)]) != 0)
            end = std::max(end, head[at(other)]) + work_[at(other)];
        mine = std::max(mine, end);
      }
      auto& list = members[at(cluster_of(supposed, task))];
      const auto place =
          std::find_if(list.begin(), list.end(), [&](int other) { return head[at(other)] > mine; });
      list.insert(place, task);
    };
    if (mirrored)
      std::for_each(order_.rbegin(), order_.rend(), visit);
    else
      std::for_each(order_.begin(), order_.end(), visit);
    return head;
  }

  static bool apart(const Supposed& supposed, int a, int b) {
    return a != b && supposed.apart.contains(ordered(a, b));
  }

  // The bound of what is supposed: the longest way, and each cluster's tasks one after another.
  double bound(const Supposed& supposed) {
    effort_left_ -= 2.0 * problem_.tasks * problem_.tasks;
    const auto head = heads(supposed, false);
    const auto tail = heads(supposed, true);
    double least = 0;
    std::vector<std::vector<int>> members(at(problem_.groups));
    for (int t = 0; t < problem_.tasks; ++t) {
      least = std::max(least, head[at(t)] + work_[at(t)] + tail[at(t)]);
      members[at(cluster_of(supposed, t))].push_back(t);
    }
    for (auto& list : members) least = std::max(least, one_machine(std::move(list), head, tail));
    return least;
  }

  // Jackson's preemptive schedule: the most urgent of what is there runs.
  [[nodiscard]] double one_machine(std::vector<int> tasks, const std::vector<double>& head,
                                   const std::vector<double>& tail) const {
    std::sort(tasks.begin(), tasks.end(), [&](int a, int b) { return head[at(a)] < head[at(b)]; });
    std::vector<std::pair<double, double>> urgent;  // tail, work left; a heap
    double now = 0;
    double least = 0;
    std::size_t next = 0;
    while (next < tasks.size() || !urgent.empty()) {
      if (urgent.empty()) now = std::max(now, head[at(tasks[next])]);
      for (; next < tasks.size() && head[at(tasks[next])] <= now; ++next) {
        urgent.emplace_back(tail[at(tasks[next])], work_[at(tasks[next])]);
        std::push_heap(urgent.begin(), urgent.end());
      }
      std::pop_heap(urgent.begin(), urgent.end());
      auto running = urgent.back();
      urgent.pop_back();
      const double until = next < tasks.size() ? head[at(tasks[next])] : HUGE_VAL;
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

  static Supposed joined(Supposed supposed, int a, int b) {
    for (int& cluster : supposed.cluster)
      if (cluster == b) cluster = a;
    std::set<Pair> renamed;
    for (const auto& [x, y] : supposed.apart)
      renamed.insert(ordered(x == b ? a : x, y == b ? a : y));
    supposed.apart = std::move(renamed);
    return supposed;
  }
  static Supposed parted(Supposed supposed, int a, int b) {
    supposed.apart.insert(ordered(a, b));
    return supposed;
  }

  // Neighbours of which nothing is supposed yet.
  [[nodiscard]] std::set<Pair> open_pairs(const Supposed& supposed) const {
    std::set<Pair> pairs;
    for (int t = 0; t < problem_.tasks; ++t)
      for (const Way& way : ways_[at(t)]) {
        const int a = cluster_of(supposed, t);
        const int b = cluster_of(supposed, way.to);
        if (a != b && !apart(supposed, a, b)) pairs.insert(ordered(a, b));
      }
    return pairs;
  }

  bool refuted(const Supposed& supposed) { return bound(supposed) >= goal_; }

  bool refutes(Supposed supposed) {
    if (refuted(supposed)) return true;
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [a, b] : open_pairs(supposed)) {
        if (effort_left_ <= 0) return false;
        if (supposed.cluster[at(a)] != a || supposed.cluster[at(b)] != b) continue;
        const bool never_apart = refuted(parted(supposed, a, b));
        const bool never_joined = refuted(joined(supposed, a, b));
        if (never_apart && never_joined) return true;
        if (never_apart) supposed = joined(std::move(supposed), a, b);
        if (never_joined) supposed = parted(std::move(supposed), a, b);
        changed = changed || never_apart || never_joined;
      }
    }
    return split(supposed);
  }

  // Where apart costs most: the sooner either case is refuted.
  bool split(const Supposed& supposed) {
    double most = -1;
    Pair chosen{-1, -1};
    for (const auto& [a, b] : open_pairs(supposed)) {
      if (effort_left_ <= 0) return false;
      const double least = std::min(bound(parted(supposed, a, b)), bound(joined(supposed, a, b)));
      if (least > most) {
        most = least;
        chosen = {a, b};
      }
    }
    if (chosen.first < 0) return false;  // a placement that these bounds allow
    return refutes(parted(supposed, chosen.first, chosen.second)) &&
           refutes(joined(supposed, chosen.first, chosen.second));
  }

  const Problem& problem_;
  double goal_;
  double effort_left_;
  std::vector<double> work_;
  std::vector<std::vector<Way>> ways_, back_;
  std::vector<int> order_;
  std::vector<std::vector<char>> ancestors_;
};

}  // namespace

Verdict prove(const Problem& problem, const ProofPlan& plan) {
  if (lower_bound_ms(problem) >= plan.goal_ms * (1 - slack)) return Verdict::impossible;
  return Prover(problem, plan).refutes_all() ? Verdict::impossible : Verdict::open;
}

}  // namespace hone::placement
