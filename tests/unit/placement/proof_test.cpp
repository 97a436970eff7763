// No proof may be wrong: every placement of small graphs is tried.
#include "placement/proof.hpp"

#include <gtest/gtest.h>

#include "placement/baselines/baselines.hpp"
#include "placement/bound.hpp"
#include "placement/core/random_generator.hpp"
#include "placement/setup.hpp"
#include "placement/simulator.hpp"

namespace hone::placement {
namespace {

Problem random_problem(RandomGenerator& generator, int nodes, int devices) {
  Graph graph;
  graph.name = "random";
  graph.training = generator.below(2) == 0;
  for (int i = 0; i < nodes; ++i) {
    Node node;
    node.name = std::to_string(i);
    node.forward_ms = 1 + generator.below(8);
    graph.nodes.push_back(node);
    for (int j = 0; j < i; ++j)
      if (generator.below(3) == 0 || (j == i - 1 && generator.below(2) == 0))
        graph.edges.push_back({j, i, 1e6 * generator.below(60)});
  }
  return *make_problem(graph, {GroupRule::op, cluster_of(*find_device("p100"), devices, 0)});
}

double best_of_all(const Problem& problem) {
  Simulator simulator(problem);
  Placement placed(static_cast<std::size_t>(problem.groups), 0);
  double best = simulator.makespan(placed);
  while (true) {
    std::size_t g = 0;
    while (g < placed.size() && ++placed[g] == problem.devices()) placed[g++] = 0;
    if (g == placed.size()) return best;
    best = std::min(best, simulator.makespan(placed));
  }
}

TEST(Proof, never_denies_what_a_placement_reaches) {
  RandomGenerator generator(7);
  int proven = 0;
  for (int i = 0; i < 150; ++i) {
    const auto problem = random_problem(generator, 3 + generator.below(5), 2 + generator.below(2));
    const double best = best_of_all(problem);
    EXPECT_EQ(prove(problem, {best * (1 + 1e-6)}), Verdict::open) << "graph " << i;
    proven += prove(problem, {best}) == Verdict::impossible ? 1 : 0;
    EXPECT_EQ(prove(problem, {lower_bound_ms(problem) * 0.999}), Verdict::impossible);
  }
  EXPECT_GT(proven, 75);  // and most optima are seen to be such
}

TEST(Proof, shows_that_a_chain_of_residual_blocks_stays_on_one_device) {
  for (const char* name : {"resnet-50", "resnet-101"}) {
    placement::Setup setup;
    setup.graph = name;
    setup.devices = 4;
    const auto problem = *set_up(setup);
    EXPECT_EQ(prove(problem, {problem.one_device_ms}), Verdict::impossible) << name;
    EXPECT_EQ(prove(problem, {problem.one_device_ms * 1.001}), Verdict::open) << name;
  }
}

}  // namespace
}  // namespace hone::placement
