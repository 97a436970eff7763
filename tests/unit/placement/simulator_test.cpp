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

// a -> b, a -> c, b -> c; stored 10, 20 and 5 MB, parameters 1, 2 and 0 MB, outputs 4 and 8 MB.
Problem small_problem(bool training, bool shared_weight, double memory_weight = 0) {
  constexpr double params_mb[] = {1, 2, 0};
  constexpr double stored_mb[] = {10, 20, 5};
  constexpr double out_mb[] = {4, 8, 1};
  Graph graph;
  graph.training = training;
  for (std::size_t i = 0; i < 3; ++i) {
    Node node;
    node.name = std::string(1, static_cast<char>('a' + i));
    node.forward_ms = 1;
    node.param_bytes = 1e6 * params_mb[i];
    node.stored_bytes = 1e6 * stored_mb[i];
    node.out_bytes = 1e6 * out_mb[i];
    if (shared_weight && i > 0) node.weights = {0};
    graph.nodes.push_back(node);
  }
  graph.edges = {{0, 1, 4e6}, {0, 2, 4e6}, {1, 2, 8e6}};
  if (shared_weight) graph.weights.push_back({"w", 6e6});
  Problem problem = problem_of(graph, GroupRule::op, "p100", 3);
  problem.memory_weight = memory_weight;
  return problem;
}

TEST(PeakMemory, is_what_hand_arithmetic_gives) {
  struct Row {
    bool training, shared_weight;
    Placement placement;
    double peak_mb;
  };
  const Row rows[] = {
      // Weight, gradient and two averages of each parameter: 4 * 3, and 35 stored.
      {true, false, {0, 0, 0}, 47},
      // 0: a 14, c 5, copy of b's output 8: 27. 1: b 28, copy of a's output 4.
      {true, false, {0, 1, 0}, 32},
      // 1: b 28, c 5, one copy of a's output for both.
      {true, false, {0, 1, 1}, 37},
      // 0: 14. 1: 28 + 4. 2: 5 + 4 + 8.
      {true, false, {0, 1, 2}, 32},
      // No training: 3 of parameters and 35.
      {false, false, {0, 0, 0}, 38},
      // 0: a 11, c 5, copy of b's output 8. 1: b 22, copy of a's output 4.
      {false, false, {0, 1, 0}, 26},
      // The shared weight of 6, four times where its first user is.
      {true, true, {0, 0, 0}, 71},
      // 1: 32 and 24. 0: 27 and a copy with its gradient, 12.
      {true, true, {0, 1, 0}, 56},
  };
  for (const Row& row : rows) {
    const Problem problem = small_problem(row.training, row.shared_weight);
    const Cost cost = Simulator(problem).cost(row.placement);
    EXPECT_DOUBLE_EQ(cost.peak_bytes, 1e6 * row.peak_mb);
    EXPECT_EQ(cost.step_ms, Simulator(problem).step_ms(row.placement));
    EXPECT_EQ(cost.total_ms, cost.step_ms);  // memory is worth nothing
  }
}

TEST(PeakMemory, adds_its_worth_to_the_cost) {
  const Problem problem = small_problem(true, false, 0.5);
  EXPECT_DOUBLE_EQ(problem.one_device_bytes, 47e6);
  EXPECT_DOUBLE_EQ(problem.one_device_ms, 9);
  Simulator simulator(problem);
  EXPECT_DOUBLE_EQ(simulator.cost({0, 0, 0}).total_ms, 9 + 0.5 * 9);
  const Cost spread = simulator.cost({0, 1, 0});
  EXPECT_DOUBLE_EQ(spread.total_ms, spread.step_ms + 0.5 * 9 * 32 / 47);
}

// The bytes of a node that no accelerator runs were not counted: step_ms() stops before.
TEST(PeakMemory, is_known_of_a_placement_that_may_not_run) {
  Graph graph;
  for (const char* name : {"a", "b"}) {
    Node node;
    node.name = name;
    node.forward_ms = node.cpu_ms = 1;
    node.stored_bytes = 5e6;
    graph.nodes.push_back(node);
  }
  graph.edges = {{0, 1, 1e6}};
  graph.nodes[1].accelerator = false;
  const Problem problem =
      make_problem(graph, {GroupRule::op, cluster_of(*find_device("p100"), 1, 1)}).value();
  const Cost cost = Simulator(problem).cost({0, 0});
  EXPECT_GE(cost.step_ms, problem.failed_ms);
  EXPECT_DOUBLE_EQ(cost.peak_bytes, 10e6);
  EXPECT_DOUBLE_EQ(Simulator(problem).cost({0, 1}).peak_bytes, 6e6);
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
