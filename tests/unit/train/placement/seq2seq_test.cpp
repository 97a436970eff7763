// The sequence-to-sequence agent: its log probabilities, its gradient, and what a late failure does
// to it.
#include "worker/train/placement/seq2seq.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "placement/setup.hpp"
#include "placement/simulator.hpp"

namespace hone::trainers {
namespace {

placement::Problem toy() {
  placement::Graph graph;
  for (const char* name : {"a", "b", "c"}) {
    placement::Node node;
    node.name = node.kind = name;
    node.forward_ms = 1;
    node.out_bytes = 1e6;
    graph.nodes.push_back(node);
  }
  graph.edges = {{0, 1, 1e6}, {0, 2, 1e6}};
  return placement::set_up(graph, {.graph = "", .devices = 2, .group = "op"}).value();
}

Settings settings_of(Params params) {
  params.push_back({"agent", std::string("seq2seq")});
  return Settings::resolve(*find_trainer("placement"), {}, params).value();
}

TEST(Seq2Seq, sums_what_teacher_forcing_sums) {
  const auto problem = placement::set_up({.graph = "inception-v3", .devices = 4}).value();
  const auto settings = settings_of({{"hidden", std::int64_t{16}}});
  Seq2SeqAgent agent({problem, settings, 100, {}});
  placement::RandomGenerator generator(3);
  for (int i = 0; i < 3; ++i) {
    const auto placed = agent.sample(generator);
    EXPECT_NEAR(agent.log_probability(placed), agent.sampled_log_probability(), 1e-9);
  }
}

TEST(Seq2Seq, has_the_gradient_of_its_log_probability) {
  const auto problem = toy();
  const auto settings = settings_of({{"hidden", std::int64_t{4}}});
  Seq2SeqAgent agent({problem, settings, 100, {0, 1, 0}});
  const placement::Placement placed{1, 0, 1};
  const auto gradient = agent.gradient(placed, 1, 0);
  constexpr double step = 1e-5;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const double weight = agent.weights()[i];
    agent.weights()[i] = weight + step;
    const double above = agent.log_probability(placed);
    agent.weights()[i] = weight - step;
    const double below = agent.log_probability(placed);
    agent.weights()[i] = weight;
    EXPECT_NEAR(gradient[i], (above - below) / (2 * step), 1e-7) << i;
  }
}

TEST(Seq2Seq, learns_nothing_from_a_late_failure) {
  const auto problem = toy();
  const auto settings =
      settings_of({{"update_every", std::int64_t{1}}, {"failures_until", std::int64_t{2}}});
  Seq2SeqAgent agent({problem, settings, 100, {}});
  const Sample failed{{0, 1, 0}, problem.failed_ms, false};
  agent.observe({{0, 0, 0}, 9, true});
  agent.observe(failed);
  const auto before = agent.weights();
  agent.observe(failed);
  EXPECT_EQ(agent.weights(), before);
  agent.observe({{0, 0, 0}, 9, true});
  EXPECT_NE(agent.weights(), before);
}

TEST(Seq2Seq, comes_to_draw_better_than_chance) {
  const auto problem = placement::set_up({.graph = "inception-v3", .devices = 2}).value();
  const auto settings = settings_of({{"hidden", std::int64_t{16}}});
  Seq2SeqAgent agent({problem, settings, 1000, {}});
  placement::Simulator simulator(problem);
  placement::RandomGenerator generator(1);
  double first = 0, last = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto placed = agent.sample(generator);
    const double ms = simulator.step_ms(placed);
    if (i < 50) first += ms / 50;
    if (i >= 950) last += ms / 50;
    agent.observe({placed, ms, true});
  }
  EXPECT_LT(last, 276);  // the mean of uniform placements
  EXPECT_LT(last, 0.95 * first);
}

}  // namespace
}  // namespace hone::trainers
