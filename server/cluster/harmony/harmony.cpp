#include "server/cluster/harmony/harmony.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hone::cluster {
namespace {

// Speeds relative to the job alone lie below 1.2: a job that is spread can be faster than packed.
constexpr double speed_most = 1.2;

double speed_of(double z) { return speed_most / (1 + std::exp(-z)); }
double slope_of(double speed) { return speed * (1 - speed / speed_most); }

// The server that makes the job slow, by the network; `activity` is that of this server.
struct Slowest {
  double speed = speed_most;
  Mlp::Activity activity;
};

Slowest slowest_server(const Mlp& net, std::span<const double> weights, const Occupancy& occupancy,
                       const Placed& placed) {
  Slowest slowest;
  Mlp::Activity activity;
  for (std::size_t m = 0; m < placed.layout->size(); ++m) {
    if ((*placed.layout)[m].total() == 0) continue;
    const double speed =
        speed_of(net.forward(weights, speed_input(occupancy, placed, m), activity));
    if (!slowest.activity.empty() && speed >= slowest.speed) continue;
    slowest.speed = speed;
    slowest.activity.swap(activity);
  }
  return slowest;
}

std::vector<Placed> running_jobs(const View& view) {
  std::vector<Placed> running;
  for (const ActiveJob& active : view.active)
    if (!active.layout.empty()) running.push_back({active.job, &active.layout});
  return running;
}

}  // namespace

std::vector<double> RewardModel::speeds(const ClusterSetup& setup,
                                        std::span<const Placed> running) const {
  const Occupancy occupancy = occupancy_of(setup, running);
  std::vector<double> out;
  for (const Placed& placed : running)
    out.push_back(slowest_server(net_, weights_, occupancy, placed).speed);
  return out;
}

double RewardModel::add_gradient(const ClusterSetup& setup, std::span<const Placed> running,
                                 std::span<const double> truth, std::span<double> gradient) const {
  const Occupancy occupancy = occupancy_of(setup, running);
  const auto count = static_cast<double>(running.size());
  double error = 0;
  for (std::size_t i = 0; i < running.size(); ++i) {
    const Slowest slowest = slowest_server(net_, weights_, occupancy, running[i]);
    const double off = slowest.speed - truth[i];
    error += std::abs(off) / count;
    net_.backward(weights_, slowest.activity, off * slope_of(slowest.speed) / count, gradient);
  }
  return error;
}

Decision decision_of(const ClusterSetup& setup, const Occupancy& occupancy,
                     const Partial& partial) {
  Decision decision{open_actions(setup, partial), {}};
  for (const Action& action : decision.open)
    decision.inputs.push_back(action_input(setup, occupancy, partial, action));
  return decision;
}

std::vector<double> ActorCritic::probabilities(
    const std::vector<std::vector<double>>& inputs) const {
  std::vector<double> out;
  Mlp::Activity activity;
  for (const auto& input : inputs) out.push_back(actor_.forward(actor_weights, input, activity));
  const double most = *std::max_element(out.begin(), out.end());
  double sum = 0;
  for (double& value : out) sum += value = std::exp(value - most);
  for (double& value : out) value /= sum;
  return out;
}

std::size_t most_probable(std::span<const double> probabilities) {
  return static_cast<std::size_t>(std::max_element(probabilities.begin(), probabilities.end()) -
                                  probabilities.begin());
}

Place harmony_place(const HarmonyModel& model) {
  return [&model](const View& view, const Grant& grant, Rng&) -> std::optional<Layout> {
    const ClusterSetup& setup = *view.setup;
    const Occupancy occupancy = occupancy_of(setup, running_jobs(view));
    Partial partial = partial_of(view, grant);
    while (partial.left.total() > 0) {
      const Decision decision = decision_of(setup, occupancy, partial);
      if (decision.open.empty()) return std::nullopt;
      const auto probabilities = model.agent.probabilities(decision.inputs);
      apply(setup, partial, decision.open[most_probable(probabilities)]);
    }
    return partial.layout;
  };
}

Place learned_search(const HarmonyModel& model) {
  return [&model](const View& view, const Grant& grant, Rng& rng) {
    auto running = running_jobs(view);
    running.push_back({view.active[grant.index].job, nullptr});
    return best_of_candidates(view, grant, rng, [&](const Layout& layout) {
      running.back().layout = &layout;
      const auto speeds = model.reward.speeds(*view.setup, running);
      return std::accumulate(speeds.begin(), speeds.end(), 0.0);
    });
  };
}

Scheduler scheduler_of(const LearnedRow& row, const HarmonyModel& model) {
  return {find_allocation("fifo"),
          row.name == "learned-search" ? learned_search(model) : harmony_place(model)};
}

}  // namespace hone::cluster
