// The simulator against traces worked out by hand, published single-device times, and what must
// hold of every placement.
#include "placement/simulator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "placement/graphs/generators.hpp"

namespace hone::placement {
namespace {

constexpr double ms_tolerance = 1e-9;

Graph toy() {
  constexpr double cost_ms[] = {2, 3, 4, 1, 2, 1};
  constexpr double out_mb[] = {4, 8, 8, 2, 1, 0};
  Graph graph;
  graph.name = "toy";
  graph.training = false;
  for (std::size_t i = 0; i < 6; ++i) {
    Node node;
    node.name = "op" + std::to_string(i);
    node.forward_ms = cost_ms[i];
    node.out_bytes = out_mb[i] * 1e6;
    graph.nodes.push_back(node);
  }
  for (const auto& [from, to] : {std::pair{0, 1}, {0, 2}, {0, 3}, {1, 4}, {2, 4}, {3, 4}, {4, 5}})
    graph.edges.push_back({from, to, graph.nodes[static_cast<std::size_t>(from)].out_bytes});
  return graph;
}

Problem problem_of(const Graph& graph, GroupRule rule, const char* device, int count) {
  auto problem = make_problem(graph, {rule, cluster_of(*find_device(device), count, 0)});
  EXPECT_TRUE(problem.ok());
  return std::move(problem).value();
}

Problem toy_problem(Links links) {
  DeviceProfile slow = *find_device("p100");
  slow.link_per_s = 10e9;
  slow.latency_ms = 0.5;
  auto cluster = cluster_of(slow, 3, 0);
  cluster.links = links;
  return make_problem(toy(), {GroupRule::op, cluster}).value();
}

TEST(Simulator, repeats_the_golden_traces) {
  struct Golden {
    Placement placement;
    double makespan_ms;
    std::vector<double> start_ms;
  };
  const Golden golden[] = {
      {{0, 0, 0, 0, 0, 0}, 13.0, {0, 2, 5, 9, 10, 12}},
      {{0, 0, 1, 0, 0, 0}, 11.2, {0, 2, 2.9, 5, 8.2, 10.2}},
      {{0, 1, 0, 1, 0, 0}, 10.9, {0, 2.9, 2, 5.9, 7.9, 9.9}},
      {{0, 1, 0, 1, 1, 1}, 10.3, {0, 2.9, 2, 5.9, 7.3, 9.3}},
      {{0, 0, 1, 1, 0, 0}, 11.9, {0, 2, 2.9, 6.9, 8.9, 10.9}},
      {{0, 1, 2, 0, 0, 0}, 12.1, {0, 2.9, 3.8, 2, 9.1, 11.1}},
  };
  const Problem problem = toy_problem(Links::channel);
  Simulator simulator(problem);
  for (const Golden& row : golden) {
    const Timeline timeline = simulator.trace(row.placement);
    EXPECT_NEAR(timeline.makespan_ms, row.makespan_ms, ms_tolerance);
    for (std::size_t i = 0; i < row.start_ms.size(); ++i)
      EXPECT_NEAR(timeline.start_ms[i], row.start_ms[i], ms_tolerance) << i;
  }
}

TEST(Simulator, gives_every_pair_a_link_of_its_own_when_asked) {
  const Problem problem = toy_problem(Links::pair);
  Simulator simulator(problem);
  // Both copies of op0's output leave at 2, instead of one after the other.
  const Timeline timeline = simulator.trace({0, 1, 2, 0, 0, 0});
  EXPECT_NEAR(timeline.start_ms[2], 2.9, ms_tolerance);
}

TEST(Simulator, knows_the_step_of_one_p100) {
  const std::pair<const char*, double> expected[] = {{"inception-v3", 229}, {"resnet-50", 157},
                                                     {"resnet-101", 305},   {"rnnlm", 275},
                                                     {"nmt", 244},          {"transformer", 245}};
  for (const auto& [name, step_ms] : expected) {
    const Problem problem = problem_of(find_graph(name)->make(), GroupRule::op, "p100", 2);
    Simulator simulator(problem);
    const Placement one(static_cast<std::size_t>(problem.groups), 0);
    EXPECT_NEAR(simulator.makespan(one), step_ms, 0.01 * step_ms) << name;
    EXPECT_NEAR(simulator.makespan(one), problem.one_device_ms, 1e-6) << name;
  }
}

TEST(Simulator, knows_the_memory_of_one_device) {
  const std::pair<const char*, double> expected[] = {{"inception-v3", 3.34}, {"resnet-50", 3.85},
                                                     {"resnet-101", 5.90},   {"rnnlm", 2.25},
                                                     {"nmt", 3.54},          {"transformer", 3.84}};
  for (const auto& [name, gb] : expected) {
    const Problem problem = problem_of(find_graph(name)->make(), GroupRule::op, "p100", 2);
    std::vector<double> bytes;
    memory_of(problem, Placement(static_cast<std::size_t>(problem.groups), 0), bytes);
    EXPECT_NEAR(bytes[0] / 1e9, gb, 0.006) << name;
    EXPECT_EQ(bytes[1], 0);
  }
}

std::vector<Placement> random_placements(const Problem& problem, int count) {
  std::mt19937 generator(11);
  std::vector<Placement> placements;
  for (int i = 0; i < count; ++i) {
    Placement placement;
    for (int g = 0; g < problem.groups; ++g)
      placement.push_back(static_cast<int>(generator() % static_cast<unsigned>(problem.devices())));
    placements.push_back(placement);
  }
  return placements;
}

// The longest way through the tasks, transfers free.
double critical_ms(const Problem& problem) {
  std::vector<double> end(static_cast<std::size_t>(problem.tasks), 0);
  std::vector<int> needs = problem.needs;
  std::vector<int> ready;
  for (int task = 0; task < problem.tasks; ++task)
    if (needs[static_cast<std::size_t>(task)] == 0) ready.push_back(task);
  double longest = 0;
  while (!ready.empty()) {
    const auto task = static_cast<std::size_t>(ready.back());
    ready.pop_back();
    end[task] += problem.cost(static_cast<int>(task), 0);
    longest = std::max(longest, end[task]);
    for (int a = problem.arc_begin[task]; a < problem.arc_begin[task + 1]; ++a) {
      const auto to = static_cast<std::size_t>(problem.arcs[static_cast<std::size_t>(a)].to);
      end[to] = std::max(end[to], end[task]);
      if (--needs[to] == 0) ready.push_back(static_cast<int>(to));
    }
  }
  return longest;
}

TEST(Simulator, is_never_faster_than_the_critical_path_or_the_busiest_device) {
  for (const char* name : {"inception-v3", "rnnlm", "transformer"}) {
    const Problem problem = problem_of(find_graph(name)->make(), GroupRule::op, "p100", 4);
    Simulator simulator(problem);
    const double critical = critical_ms(problem);
    for (const Placement& placement : random_placements(problem, 40)) {
      std::vector<double> work(4, 0);
      for (int task = 0; task < problem.tasks; ++task) {
        const int device = placement[static_cast<std::size_t>(
            problem.group_of_task[static_cast<std::size_t>(task)])];
        work[static_cast<std::size_t>(device)] += problem.cost(task, device);
      }
      const double step = simulator.makespan(placement);
      EXPECT_GE(step, critical - ms_tolerance);
      EXPECT_GE(step, *std::max_element(work.begin(), work.end()) - ms_tolerance);
      EXPECT_EQ(step, simulator.makespan(placement));
      EXPECT_EQ(step, Simulator(problem).trace(placement).makespan_ms);
    }
  }
}

TEST(Simulator, does_not_mind_how_equal_devices_are_called) {
  const Problem problem =
      problem_of(find_graph("inception-v3")->make(), GroupRule::chain, "p100", 2);
  Simulator simulator(problem);
  for (Placement placement : random_placements(problem, 40)) {
    const double step = simulator.makespan(placement);
    for (int& device : placement) device = 1 - device;
    EXPECT_NEAR(simulator.makespan(placement), step, 1e-6);  // no third device, so no tied order
  }
}

TEST(Simulator, counts_a_placement_that_does_not_fit_as_failed) {
  Graph graph = find_graph("inception-v3")->make();
  graph.device_bytes = 2e9;
  const Problem problem = problem_of(graph, GroupRule::chain, "p100", 2);
  Simulator simulator(problem);
  const Placement one(static_cast<std::size_t>(problem.groups), 0);
  EXPECT_GT(simulator.step_ms(one), 10 * problem.one_device_ms);
  Placement halves = one;  // lacks less
  for (std::size_t g = 0; g < halves.size() / 4; ++g) halves[g] = 1;
  EXPECT_LT(simulator.step_ms(halves), simulator.step_ms(one));
  graph.device_bytes = 1.5e9;
  EXPECT_FALSE(
      make_problem(graph, {GroupRule::chain, cluster_of(*find_device("p100"), 2, 0)}).ok());
}

}  // namespace
}  // namespace hone::placement
