// The updates of Post, of the cross-entropy method and of REINFORCE, computed again from the
// definitions in plain arithmetic, with tables by group and device.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "placement/setup.hpp"
#include "worker/train/placement/post.hpp"

namespace hone::trainers {
namespace {

using Table = std::vector<std::vector<double>>;  // by group and device

constexpr int groups = 5, devices = 3;
constexpr std::int64_t budget = 400;

placement::Problem three_operations() {
  placement::Graph graph;
  for (int i = 0; i < groups; ++i) {
    placement::Node node;
    node.name = node.kind = std::string(1, static_cast<char>('a' + i));
    node.forward_ms = 1 + i;
    node.out_bytes = 1e6;
    graph.nodes.push_back(node);
  }
  for (int i = 1; i < groups; ++i) graph.edges.push_back({0, i, 1e6});
  return placement::set_up(graph, {.graph = "", .devices = devices, .group = "op"}).value();
}

Table softmax(const Table& logits) {
  Table shares = logits;
  for (auto& row : shares) {
    const double most = *std::max_element(row.begin(), row.end());
    double sum = 0;
    for (double& x : row) sum += x = std::exp(x - most);
    for (double& x : row) x /= sum;
  }
  return shares;
}

// The definitions: samples in their order, and the state that the updates change.
struct Replay {
  Table logits = Table(groups, std::vector<double>(devices, 0));
  std::vector<Sample> seen{};
  double beta = 1, baseline = -1;
  Table first = Table(groups, std::vector<double>(devices, 0)), second = first;  // of Adam
  int adam_steps = 0;

  [[nodiscard]] std::vector<Sample> last(std::size_t count) const {
    return {seen.end() - static_cast<std::ptrdiff_t>(std::min(count, seen.size())), seen.end()};
  }

  // Ten steps of 0.5 up the gradient of mean(f / f_old A) - beta KL(f_old, f); then beta follows
  // the divergence.
  void ppo(const std::vector<Sample>& samples) {
    double mean = 0, square = 0;
    for (const Sample& one : samples) mean += one.cost_ms;
    mean /= static_cast<double>(samples.size());
    for (const Sample& one : samples) square += std::pow(one.cost_ms - mean, 2);
    const double deviation = std::sqrt(square / static_cast<double>(samples.size()));
    const Table old = softmax(logits);
    for (int step = 0; step < 10; ++step) {
      const Table f = softmax(logits);
      Table up(groups, std::vector<double>(devices, 0));
      for (std::size_t g = 0; g < groups; ++g)
        for (std::size_t d = 0; d < devices; ++d) {
          for (const Sample& one : samples) {
            const auto a = static_cast<std::size_t>(one.placement[g]);
            const double ratio = f[g][a] / old[g][a];
            const double gain = (mean - one.cost_ms) / deviation;
            up[g][d] += gain * ratio * ((a == d ? 1.0 : 0.0) - f[g][d]) /
                        static_cast<double>(samples.size());
          }
          up[g][d] -= beta * (f[g][d] - old[g][d]);
        }
      for (std::size_t g = 0; g < groups; ++g)
        for (std::size_t d = 0; d < devices; ++d) logits[g][d] += 0.5 * up[g][d];
    }
    const Table f = softmax(logits);
    double kl = 0;
    for (std::size_t g = 0; g < groups; ++g)
      for (std::size_t d = 0; d < devices; ++d)
        kl += old[g][d] * std::log(old[g][d] / f[g][d]) / groups;
    if (kl > 1.5 * 0.03) beta *= 2;
    if (kl < 0.03 / 1.5) beta /= 2;
  }

  // The shares of the tenth with the fastest steps, mixed with a falling uniform part.
  void cross_entropy(const std::vector<Sample>& samples) {
    std::vector<Sample> elites = samples;
    std::stable_sort(elites.begin(), elites.end(),
                     [](const Sample& a, const Sample& b) { return a.cost_ms < b.cost_ms; });
    elites.resize(std::max<std::size_t>(1, (samples.size() + 5) / 10));
    const double epsilon =
        0.1 * (1 - std::min(1.0, static_cast<double>(seen.size()) / static_cast<double>(budget)));
    for (std::size_t g = 0; g < groups; ++g)
      for (std::size_t d = 0; d < devices; ++d) {
        const auto chose =
            static_cast<double>(std::count_if(elites.begin(), elites.end(), [&](const Sample& one) {
              return static_cast<std::size_t>(one.placement[g]) == d;
            }));
        const double share = chose / static_cast<double>(elites.size());
        logits[g][d] = std::log(std::max((1 - epsilon) * share + epsilon / devices, 1e-9));
      }
  }

  // REINFORCE on the square root of the time, less a moving mean; Adam with a step of 0.1.
  void reinforce(const std::vector<Sample>& samples, double one_device_ms) {
    double mean = 0;
    for (const Sample& one : samples)
      mean += std::sqrt(one.cost_ms / one_device_ms) / static_cast<double>(samples.size());
    if (baseline < 0) baseline = mean;
    const Table f = softmax(logits);
    ++adam_steps;
    for (std::size_t g = 0; g < groups; ++g)
      for (std::size_t d = 0; d < devices; ++d) {
        double up = 0;
        for (const Sample& one : samples)
          up += (baseline - std::sqrt(one.cost_ms / one_device_ms)) *
                ((static_cast<std::size_t>(one.placement[g]) == d ? 1.0 : 0.0) - f[g][d]) /
                static_cast<double>(samples.size());
        first[g][d] = 0.9 * first[g][d] + 0.1 * up;
        second[g][d] = 0.999 * second[g][d] + 0.001 * up * up;
        const double m = first[g][d] / (1 - std::pow(0.9, adam_steps)),
                     v = second[g][d] / (1 - std::pow(0.999, adam_steps));
        logits[g][d] += 0.1 * m / (std::sqrt(v) + 1e-8);
      }
    baseline = 0.9 * baseline + 0.1 * mean;
  }
};

void compare(const Json& state, const Replay& replay, double tolerance) {
  const auto logits = state.at("logits").get<std::vector<double>>();
  ASSERT_EQ(logits.size(), static_cast<std::size_t>(groups * devices));
  for (std::size_t g = 0; g < groups; ++g)
    for (std::size_t d = 0; d < devices; ++d)
      ASSERT_NEAR(logits[g * devices + d], replay.logits[g][d], tolerance)
          << "after " << replay.seen.size() << " samples, group " << g << ", device " << d;
}

class PostReplay : public testing::TestWithParam<const char*> {};

TEST_P(PostReplay, plain_arithmetic_gives_the_same_logits) {
  const std::string name = GetParam();
  const auto problem = three_operations();
  const auto settings =
      Settings::resolve(*find_trainer("placement"), {}, {{"agent", name}}).value();
  SoftmaxAgent agent({problem, settings, budget, {}});
  Replay replay;
  placement::RandomGenerator generator(11);
  for (int i = 1; i <= 400; ++i) {
    Sample sample{agent.sample(generator)};
    sample.cost_ms = 5;
    for (const int device : sample.placement) sample.cost_ms += 3 * device + generator.uniform();
    agent.observe(sample);
    replay.seen.push_back(sample);
    const bool elites = (name == "post" || name == "ce") && i % 50 == 0;
    if (elites)
      replay.cross_entropy(replay.last(50));
    else if (name == "reinforce" && i % 10 == 0)
      replay.reinforce(replay.last(10), problem.one_device_ms);
    else if ((name == "post" || name == "ppo") && i % 10 == 0)
      replay.ppo(replay.last(10));
    compare(agent.state(), replay, 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Agents, PostReplay, testing::Values("post", "ppo", "ce", "reinforce"),
                         [](const auto& agent) { return std::string(agent.param); });

}  // namespace
}  // namespace hone::trainers
