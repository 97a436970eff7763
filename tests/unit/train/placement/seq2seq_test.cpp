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
    EXPECT_NEAR(agent.network().log_probability(agent.weights(), placed),
                agent.sampled_log_probability(), 1e-9);
  }
}

TEST(Seq2Seq, has_the_gradient_of_its_log_probability) {
  const auto problem = toy();
  const auto settings = settings_of({{"hidden", std::int64_t{4}}});
  const Seq2SeqNetwork network({problem, settings, 100, {0, 1, 0}});
  Vector weights = network.initial_weights();
  const placement::Placement placed{1, 0, 1};
  const auto gradient = network.gradient(weights, placed, 1, 0);
  constexpr double step = 1e-5;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const double weight = weights[i];
    weights[i] = weight + step;
    const double above = network.log_probability(weights, placed);
    weights[i] = weight - step;
    const double below = network.log_probability(weights, placed);
    weights[i] = weight;
    EXPECT_NEAR(gradient[i], (above - below) / (2 * step), 1e-7) << i;
  }
}

// Outputs of [64, 8] and of [8, 64] have the same bytes: the encoder could not tell them from each
// other.
TEST(Encoder, of_shapes_tells_nodes_from_each_other_that_differ_in_them_alone) {
  auto problem = toy();
  problem.graph.nodes[1].kind = problem.graph.nodes[2].kind;
  problem.graph.nodes[1].shapes = {{64, 8}};
  problem.graph.nodes[2].shapes = {{8, 64}};
  const auto leaf_features = [&](const std::string& encoder) {
    const auto settings = settings_of({{"encoder", encoder}, {"hidden", std::int64_t{4}}});
    auto features = Seq2SeqNetwork({problem, settings, 100, {}}).features();
    const auto position = features[1].size() - 21;  // the group's own, before its neighbours
    features[1][position] = features[2][position] = 0;
    return std::pair{features[1], features[2]};
  };
  const auto [left, right] = leaf_features("shapes");
  EXPECT_NE(left, right);
  EXPECT_DOUBLE_EQ(left[0], std::log(65.0) / 10);
  EXPECT_DOUBLE_EQ(left[1], std::log(9.0) / 10);
  EXPECT_EQ(left[2], 0);
  const auto [same, alike] = leaf_features("sizes");
  EXPECT_EQ(same, alike);
}

TEST(Encoder, of_shapes_reads_the_tensors_that_leave_a_group) {
  placement::Graph graph;
  for (const char* name : {"a", "b", "c"}) {
    placement::Node node;
    node.name = name;
    node.forward_ms = 1;
    node.color = *name == 'c' ? -1 : 0;  // a and b are one group
    graph.nodes.push_back(node);
  }
  graph.nodes[0].shapes = {{5}};
  graph.nodes[1].shapes = {{6}, {7, 8}};
  graph.edges = {{0, 1, 1e6}, {1, 2, 1e6}};
  const auto problem = placement::set_up(graph, {.graph = "", .devices = 2, .group = "op"}).value();
  const auto settings =
      settings_of({{"encoder", std::string("shapes")}, {"hidden", std::int64_t{4}}});
  const auto features = Seq2SeqNetwork({problem, settings, 100, {}}).features().front();
  for (const auto& [index, size] : {std::pair{0, 6}, {1, 7}, {2, 8}})
    EXPECT_DOUBLE_EQ(features[static_cast<std::size_t>(index)], std::log1p(size) / 10);
  EXPECT_EQ(features[3], 0);
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

// Two controllers of one sample each: the second pushes a gradient of weights that the first has
// changed since.
TEST(Controllers, push_in_turn_what_their_own_copies_and_baselines_give) {
  const auto problem = toy();
  const auto settings = settings_of({{"hidden", std::int64_t{4}},
                                     {"update_every", std::int64_t{1}},
                                     {"controllers", std::int64_t{2}},
                                     {"entropy", 0.3}});
  Seq2SeqAgent agent({problem, settings, 100, {}});
  Vector shared = agent.weights();
  std::vector<Vector> copies(2, shared);
  std::vector<double> baselines(2, -1);
  Adam adam;
  const Sample samples[] = {{{0, 0, 1}, 4, true}, {{1, 1, 1}, 2, true},   {{0, 1, 0}, 3, true},
                            {{1, 0, 0}, 9, true}, {{0, 0, 0}, 60, false}, {{1, 0, 1}, 5, true}};
  for (std::size_t i = 0; i < std::size(samples); i += 2) {
    const Vector before = agent.weights();
    agent.observe(samples[i]);
    EXPECT_EQ(agent.weights(), before);  // the round is not complete
    agent.observe(samples[i + 1]);
    for (std::size_t c = 0; c < 2; ++c) {
      const double cost = std::sqrt(samples[i + c].cost_ms / problem.one_device_ms);
      if (baselines[c] < 0) baselines[c] = cost;
      auto gradient = agent.network().gradient(copies[c], samples[i + c].placement,
                                               baselines[c] - cost, 0.3 / 3);
      double square = 0;
      for (const double x : gradient) square += x * x;
      for (double& x : gradient) x /= std::max(1.0, std::sqrt(square));
      adam.step(shared, gradient, -0.003);
      baselines[c] = 0.9 * baselines[c] + 0.1 * cost;
      copies[c] = shared;
    }
    ASSERT_EQ(agent.weights().size(), shared.size());
    for (std::size_t w = 0; w < shared.size(); ++w)
      ASSERT_NEAR(agent.weights()[w], shared[w], 1e-12) << w << " after " << i + 2 << " samples";
  }
}

TEST(Controllers, draw_with_the_copies_of_their_last_update) {
  const auto problem = toy();
  const auto settings = settings_of({{"hidden", std::int64_t{4}},
                                     {"update_every", std::int64_t{2}},
                                     {"controllers", std::int64_t{2}},
                                     {"learning_rate", 0.5}});
  Seq2SeqAgent agent({problem, settings, 100, {}});
  placement::RandomGenerator generator(5);
  EXPECT_EQ(agent.wanted(), 4);
  for (int i = 0; i < 4; ++i) agent.observe({{i % 2, 1, 0}, 3.0 + i, true});
  const auto copy = agent.state().at("copies").at(0).get<Vector>();
  ASSERT_NE(copy, agent.weights());
  for (const bool second : {false, true}) {  // two samples of each
    const auto placed = agent.sample(generator);
    EXPECT_NEAR(agent.network().log_probability(second ? agent.weights() : copy, placed),
                agent.sampled_log_probability(), 1e-9);
    if (!second)
      for (int i = 0; i < 2; ++i) agent.observe({placed, 3, true});
  }
}

TEST(Controllers, refuse_the_state_of_another_number) {
  const auto problem = toy();
  const auto two = settings_of({{"hidden", std::int64_t{4}}, {"controllers", std::int64_t{2}}});
  const auto three = settings_of({{"hidden", std::int64_t{4}}, {"controllers", std::int64_t{3}}});
  const Seq2SeqAgent agent({problem, two, 100, {}});
  Seq2SeqAgent other({problem, three, 100, {}});
  const auto restored = other.restore(agent.state());
  ASSERT_FALSE(restored.ok());
  EXPECT_NE(restored.error().detail.find("baselines"), std::string::npos);
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
