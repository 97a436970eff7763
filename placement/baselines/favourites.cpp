#include "placement/baselines/favourites.hpp"

#include <algorithm>
#include <cmath>

namespace hone::placement {
namespace {

constexpr int relaxation_iterations = 4000;  // enough for rounding
constexpr double favourite_fraction = 0.5;   // from this y on, a child is the favourite

// The linear program, times divided by the step's, so that one step size serves all.
class Relaxation {
 public:
  explicit Relaxation(const Problem& problem) : graph_(problem.graph) {
    const auto nodes = graph_.nodes.size();
    const int other = problem.devices() > 1 ? 1 : 0;
    double sum = 0;
    for (std::size_t i = 0; i < nodes; ++i) {
      work_.push_back(problem.cost(static_cast<int>(i), 0));
      sum += work_.back();
    }
    const double scale = sum > 0 ? static_cast<double>(nodes) / sum : 1;
    for (double& work : work_) work *= scale;
    for (const Edge& edge : graph_.edges)
      cost_.push_back(scale * problem.transfer_ms(0, other, edge.bytes, edge.leg_ms));
    start_.assign(nodes, 0);
    y_.assign(graph_.edges.size(), 0);
    order_dual_.assign(graph_.edges.size(), 0);
    end_dual_.assign(nodes, 0);
    child_dual_.assign(nodes, 0);
    parent_dual_.assign(nodes, 0);
    put_steps();
  }

  void iterate() {
    const auto start_before = start_;
    const auto y_before = y_;
    const double w_before = w_;
    primal();
    for (std::size_t i = 0; i < start_.size(); ++i) start_[i] = 2 * start_[i] - start_before[i];
    for (std::size_t e = 0; e < y_.size(); ++e) y_[e] = 2 * y_[e] - y_before[e];
    w_ = 2 * w_ - w_before;
    dual();
    for (std::size_t i = 0; i < start_.size(); ++i) start_[i] = (start_[i] + start_before[i]) / 2;
    for (std::size_t e = 0; e < y_.size(); ++e) y_[e] = (y_[e] + y_before[e]) / 2;
    w_ = (w_ + w_before) / 2;
  }

  [[nodiscard]] const std::vector<double>& fractions() const { return y_; }

 private:
  // Steps of each variable and constraint from the sums of its column or row.
  void put_steps() {
    start_step_.assign(start_.size(), 1);  // s_i + p_i <= w
    for (const Edge& edge : graph_.edges) {
      ++start_step_[as_index(edge.from)];
      ++start_step_[as_index(edge.to)];
    }
    child_count_.assign(start_.size(), 0);
    parent_count_.assign(start_.size(), 0);
    for (const Edge& edge : graph_.edges) {
      ++child_count_[as_index(edge.from)];
      ++parent_count_[as_index(edge.to)];
    }
  }

  void primal() {
    std::vector<double> slope(start_.size(), 0);
    double w_slope = 1;
    for (std::size_t i = 0; i < start_.size(); ++i) {
      slope[i] += end_dual_[i];
      w_slope -= end_dual_[i];
    }
    for (std::size_t e = 0; e < y_.size(); ++e) {
      const Edge& edge = graph_.edges[e];
      slope[as_index(edge.from)] += order_dual_[e];
      slope[as_index(edge.to)] -= order_dual_[e];
      const double y_slope = child_dual_[as_index(edge.from)] + parent_dual_[as_index(edge.to)] -
                             cost_[e] * order_dual_[e];
      y_[e] = std::clamp(y_[e] - y_slope / (cost_[e] + 2), 0.0, 1.0);
    }
    for (std::size_t i = 0; i < start_.size(); ++i)
      start_[i] = std::max(0.0, start_[i] - slope[i] / start_step_[i]);
    w_ = std::max(0.0, w_ - w_slope / static_cast<double>(start_.size()));
  }

  void dual() {
    std::vector<double> children(start_.size(), 0);
    std::vector<double> parents(start_.size(), 0);
    for (std::size_t e = 0; e < y_.size(); ++e) {
      const Edge& edge = graph_.edges[e];
      children[as_index(edge.from)] += y_[e];
      parents[as_index(edge.to)] += y_[e];
      const double excess = start_[as_index(edge.from)] + work_[as_index(edge.from)] +
                            cost_[e] * (1 - y_[e]) - start_[as_index(edge.to)];
      order_dual_[e] = std::max(0.0, order_dual_[e] + excess / (2 + cost_[e]));
    }
    for (std::size_t i = 0; i < start_.size(); ++i) {
      end_dual_[i] = std::max(0.0, end_dual_[i] + (start_[i] + work_[i] - w_) / 2);
      if (child_count_[i] > 0)
        child_dual_[i] = std::max(0.0, child_dual_[i] + (children[i] - 1) / child_count_[i]);
      if (parent_count_[i] > 0)
        parent_dual_[i] = std::max(0.0, parent_dual_[i] + (parents[i] - 1) / parent_count_[i]);
    }
  }

  const Graph& graph_;
  std::vector<double> work_, cost_;
  std::vector<double> start_, y_;
  double w_ = 0;
  std::vector<double> order_dual_, end_dual_, child_dual_, parent_dual_;
  std::vector<double> start_step_, child_count_, parent_count_;
};

}  // namespace

std::vector<double> relaxed_favourites(const Problem& problem, int count) {
  Relaxation relaxation(problem);
  for (int i = 0; i < count; ++i) relaxation.iterate();
  return relaxation.fractions();
}

// Takes the edges with the largest fractions first, so that conflicts are decided by fraction.
std::vector<int> favourite_children(const Problem& problem) {
  const auto fraction = relaxed_favourites(problem, relaxation_iterations);
  std::vector<std::size_t> edges;
  for (std::size_t e = 0; e < fraction.size(); ++e)
    if (fraction[e] > favourite_fraction) edges.push_back(e);
  std::stable_sort(edges.begin(), edges.end(),
                   [&](std::size_t a, std::size_t b) { return fraction[a] > fraction[b]; });
  std::vector<int> favourite(problem.graph.nodes.size(), -1);
  std::vector<char> chosen(problem.graph.nodes.size(), 0);
  for (const std::size_t e : edges) {
    const Edge& edge = problem.graph.edges[e];
    const auto from = static_cast<std::size_t>(edge.from);
    const auto to = static_cast<std::size_t>(edge.to);
    if (favourite[from] >= 0 || chosen[to] != 0) continue;
    favourite[from] = edge.to;
    chosen[to] = 1;
  }
  return favourite;
}

}  // namespace hone::placement
