// m-ETF and m-SCT (Jeon et al., Baechi, 2020): list scheduling of the forward graph under memory
// limits.
#include <algorithm>
#include <cmath>

#include "placement/baselines/baselines.hpp"
#include "placement/baselines/favourites.hpp"
#include "placement/baselines/group_costs.hpp"

namespace hone::placement {
namespace {

class ListScheduler {
 public:
  ListScheduler(const Problem& problem, std::vector<int> favourite)
      : problem_(problem),
        favourite_(std::move(favourite)),
        devices_(static_cast<std::size_t>(problem.devices())),
        producers_(producers_of(problem.graph)),
        consumers_(consumers_of(problem.graph)),
        group_bytes_(memory_with_weights(problem)),
        placement_(static_cast<std::size_t>(problem.groups), -1) {
    for (std::size_t d = 0; d < devices_.size(); ++d) devices_[d].room = problem.capacity_bytes[d];
    end_ms_.assign(problem.graph.nodes.size(), 0);
    for (const auto& producers : producers_) waiting_.push_back(static_cast<int>(producers.size()));
    put_edge_index();
  }

  Result<Placement> run() {
    for (std::size_t i = 0; i < waiting_.size(); ++i)
      if (waiting_[i] == 0) ready_.push_back(static_cast<int>(i));
    while (!ready_.empty()) {
      const Choice choice = choose();
      if (choice.node < 0) {
        const Node& stuck = problem_.graph.nodes[static_cast<std::size_t>(ready_.front())];
        return refuse(Code::invalid, "no device has room left for node '" + stuck.name + "'");
      }
      take(choice);
    }
    return placement_;
  }

 private:
  struct Choice {
    int node = -1;
    int device = -1;
    double start_ms = HUGE_VAL;
  };
  struct DeviceState {
    double free_ms = 0;
    double room = 0;
    int awaits = -1;  // the favourite child of what ran last
  };

  void put_edge_index() {
    inputs_.resize(problem_.graph.nodes.size());
    for (const Edge& edge : problem_.graph.edges)
      inputs_[static_cast<std::size_t>(edge.to)].push_back(&edge);
  }

  [[nodiscard]] int placed(int node) const {
    return placement_[static_cast<std::size_t>(
        problem_.group_of_node[static_cast<std::size_t>(node)])];
  }

  [[nodiscard]] bool allowed(int node, int device) const {
    const auto group =
        static_cast<std::size_t>(problem_.group_of_node[static_cast<std::size_t>(node)]);
    if (placement_[group] >= 0) return placement_[group] == device;
    const auto d = static_cast<std::size_t>(device);
    return problem_.may_run[group * devices_.size() + d] != 0 &&
           group_bytes_[group] <= devices_[d].room;
  }

  [[nodiscard]] double arrival_ms(int node, int device) const {
    double arrival = 0;
    for (const Edge* edge : inputs_[static_cast<std::size_t>(node)]) {
      double when = end_ms_[static_cast<std::size_t>(edge->from)];
      const int from = placed(edge->from);
      if (from != device) when += problem_.transfer_ms(from, device, edge->bytes, edge->leg_ms);
      arrival = std::max(arrival, when);
    }
    return arrival;
  }

  // Whether its inputs would have arrived on every device by now.
  [[nodiscard]] bool urgent(int node, double now) const {
    for (int d = 0; d < problem_.devices(); ++d)
      if (arrival_ms(node, d) > now) return false;
    return true;
  }

  [[nodiscard]] Choice choose() const {
    Choice best;
    for (const int node : ready_)
      for (int d = 0; d < problem_.devices(); ++d) {
        if (!allowed(node, d)) continue;
        const DeviceState& state = devices_[static_cast<std::size_t>(d)];
        const double start = std::max(state.free_ms, arrival_ms(node, d));
        if (start >= best.start_ms) continue;
        const bool kept = state.awaits >= 0 && state.awaits != node && free_elsewhere(node) &&
                          !urgent(node, state.free_ms);
        if (!kept) best = {node, d, start};
      }
    return best.node >= 0 ? best : choose_anything();
  }

  [[nodiscard]] bool free_elsewhere(int node) const {
    for (int d = 0; d < problem_.devices(); ++d) {
      const int awaits = devices_[static_cast<std::size_t>(d)].awaits;
      if ((awaits < 0 || awaits == node) && allowed(node, d)) return true;
    }
    return false;
  }

  // The choice if every device waits for another node.
  [[nodiscard]] Choice choose_anything() const {
    Choice best;
    for (const int node : ready_)
      for (int d = 0; d < problem_.devices(); ++d) {
        if (!allowed(node, d)) continue;
        const double start =
            std::max(devices_[static_cast<std::size_t>(d)].free_ms, arrival_ms(node, d));
        if (start < best.start_ms) best = {node, d, start};
      }
    return best;
  }

  void take(const Choice& choice) {
    const auto node = static_cast<std::size_t>(choice.node);
    const auto group = static_cast<std::size_t>(problem_.group_of_node[node]);
    DeviceState& state = devices_[static_cast<std::size_t>(choice.device)];
    if (placement_[group] < 0) {
      placement_[group] = choice.device;
      state.room -= group_bytes_[group];
    }
    end_ms_[node] = choice.start_ms + problem_.cost(choice.node, choice.device);
    state.free_ms = end_ms_[node];
    for (DeviceState& other : devices_)
      if (other.awaits == choice.node) other.awaits = -1;
    state.awaits = favourite_.empty() ? -1 : favourite_[node];
    ready_.erase(std::find(ready_.begin(), ready_.end(), choice.node));
    for (const int next : consumers_[node])
      if (--waiting_[static_cast<std::size_t>(next)] == 0)
        ready_.insert(std::lower_bound(ready_.begin(), ready_.end(), next), next);
  }

  const Problem& problem_;
  std::vector<int> favourite_;
  std::vector<DeviceState> devices_;
  std::vector<std::vector<int>> producers_, consumers_;
  std::vector<std::vector<const Edge*>> inputs_;
  std::vector<double> group_bytes_;
  std::vector<double> end_ms_;
  std::vector<int> waiting_;
  std::vector<int> ready_;  // ascending
  Placement placement_;
};

}  // namespace

Result<Placement> place_m_etf(const Problem& problem, std::uint64_t /*seed*/) {
  return ListScheduler(problem, {}).run();
}

Result<Placement> place_m_sct(const Problem& problem, std::uint64_t /*seed*/) {
  return ListScheduler(problem, favourite_children(problem)).run();
}

}  // namespace hone::placement
