// Agents: gradients by finite differences, published behaviour over fixed seeds, and continuing
// from a file.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "placement/baselines/baselines.hpp"
#include "placement/setup.hpp"
#include "placement/simulator.hpp"
#include "worker/train/placement/agent.hpp"
#include "worker/train/placement/policy.hpp"
#include "worker/train/placement/search.hpp"

namespace hone::trainers {
namespace {

using placement::Placement;

SoftmaxPolicy some_policy(std::uint64_t seed) {
  SoftmaxPolicy policy(3, 4);
  placement::RandomGenerator generator(seed);
  for (double& logit : policy.logits()) logit = generator.normal();
  policy.refresh();
  return policy;
}

// Compares with central differences at every logit.
template <class Function>
void expect_gradient(SoftmaxPolicy policy, const std::vector<double>& gradient, Function value) {
  constexpr double step = 1e-5;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const double logit = policy.logits()[i];
    policy.logits()[i] = logit + step;
    policy.refresh();
    const double above = value(policy);
    policy.logits()[i] = logit - step;
    policy.refresh();
    const double below = value(policy);
    policy.logits()[i] = logit;
    EXPECT_NEAR(gradient[i], (above - below) / (2 * step), 1e-7) << i;
  }
}

TEST(SoftmaxPolicy, has_the_gradient_of_its_ppo_objective) {
  const auto old = some_policy(1);
  const auto policy = some_policy(2);
  const std::vector<Placement> placements{{0, 1, 2}, {3, 1, 0}, {2, 2, 2}};
  const std::vector<double> advantages{0.7, -1.1, 0.4};
  const PpoTerms terms{placements, advantages, old, 0.6};
  expect_gradient(policy, ppo_gradient(terms, policy),
                  [&](const SoftmaxPolicy& p) { return ppo_objective(terms, p); });
}

TEST(SoftmaxPolicy, has_the_gradient_of_its_log_probability) {
  const auto policy = some_policy(3);
  const std::vector<Placement> placements{{0, 1, 2}, {3, 1, 0}};
  const std::vector<double> weights{0.5, -2};
  expect_gradient(
      policy, log_probability_gradient(placements, weights, policy), [&](const SoftmaxPolicy& p) {
        return 0.5 * p.log_probability(placements[0]) - 2 * p.log_probability(placements[1]);
      });
}

TEST(SoftmaxPolicy, draws_what_it_says) {
  const auto policy = some_policy(4);
  placement::RandomGenerator generator(5);
  std::vector<double> counts(policy.probabilities().size(), 0);
  constexpr int draws = 20000;
  for (int i = 0; i < draws; ++i) {
    const auto placed = policy.sample(generator);
    for (int g = 0; g < 3; ++g)
      counts[policy.row(g) + static_cast<std::size_t>(placed[static_cast<std::size_t>(g)])] +=
          1.0 / draws;
  }
  for (std::size_t i = 0; i < counts.size(); ++i)
    EXPECT_NEAR(counts[i], policy.probabilities()[i], 0.02);
}

std::unique_ptr<Trainer> trainer_of(Params params, std::uint64_t seed, std::int64_t budget = 2400) {
  auto settings = Settings::resolve(*find_trainer("placement"), params, {});
  EXPECT_TRUE(settings.ok()) << settings.error().detail;
  auto made = make_placement({std::move(settings).value(), seed, budget});
  EXPECT_TRUE(made.ok()) << made.error().detail;
  return std::move(made).value();
}

struct Case {
  std::string graph;
  std::int64_t devices;
};

Params plain(const std::string& agent, const Case& at, Params more = {}) {
  Params params{
      {"agent", agent}, {"graph", at.graph}, {"devices", at.devices}, {"polish", std::int64_t{0}}};
  for (auto& param : more) params.push_back(std::move(param));
  return params;
}

Params uniform(const std::string& agent, const Case& at, Params more = {}) {
  more.push_back({"start", std::string("uniform")});
  return plain(agent, at, std::move(more));
}

double found_ms(const Params& params, std::uint64_t seed) {
  const auto trainer = trainer_of(params, seed);
  trainer->advance(2400, {}, [] {});
  return trainer->value().value();
}

double mean_ms(const Params& params, int seeds) {
  double sum = 0;
  for (int seed = 1; seed <= seeds; ++seed)
    sum += found_ms(params, static_cast<std::uint64_t>(seed)) / seeds;
  return sum;
}

TEST(Post, learns_from_nothing_what_was_published) {
  EXPECT_LE(mean_ms(uniform("post", {"inception-v3", 2}), 3), 215);
  EXPECT_LE(mean_ms(uniform("post", {"resnet-50", 2}), 10), 172 * 1.05);
  double best = 1e9;
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    best = std::min(best, found_ms(uniform("post", {"resnet-50", 2}), seed));
  EXPECT_NEAR(best, 156.4, 0.1);
}

TEST(Post, leaning_to_one_device_finds_its_time_and_better) {
  const Params single{{"start", std::string("single")}};
  EXPECT_NEAR(mean_ms(plain("post", {"resnet-50", 2}, single), 3), 156.4, 0.1);
  EXPECT_LE(mean_ms(plain("ce", {"inception-v3", 4}, single), 3), 0.93 * 224.0);
}

TEST(Post, and_cross_entropy_beat_plain_policy_gradient) {
  for (const Case& at : {Case{"resnet-50", 2},
                         {"inception-v3", 2},
                         {"inception-v3", 4},
                         {"resnet-101", 8},
                         {"rnnlm", 2},
                         {"nmt", 2}}) {
    const double gradient = mean_ms(uniform("reinforce", at), 3);
    EXPECT_LT(mean_ms(uniform("post", at), 3), gradient) << at.graph << "/" << at.devices;
    EXPECT_LT(mean_ms(uniform("ce", at), 3), gradient) << at.graph << "/" << at.devices;
  }
}

TEST(CrossEntropy, freezes_early_without_exploration) {
  for (const Case& at : {Case{"inception-v3", 4}, {"resnet-50", 2}, {"resnet-101", 8}})
    EXPECT_GT(mean_ms(uniform("ce", at, {{"epsilon", 0.0}}), 3), mean_ms(uniform("ce", at), 3))
        << at.graph;
  const auto frozen = trainer_of(uniform("ce", {"inception-v3", 4}, {{"epsilon", 0.0}}), 1);
  frozen->advance(2400, {}, [] {});
  for (const auto& metric : frozen->take_metrics())
    if (metric.name == "entropy") {
      EXPECT_LT(metric.value, 1e-3);
    }
}

TEST(PlacementSearch, finds_placements_within_little_memory) {
  const double best = found_ms(uniform("post", {"inception-v3", 2}, {{"memory_gb", 2.0}}), 1);
  EXPECT_LT(best, 225);
  const auto settings = Settings::resolve(
      *find_trainer("placement"), uniform("post", {"resnet-50", 2}, {{"memory_gb", 2.0}}), {});
  EXPECT_FALSE(make_placement({*settings, 1, 2400}).ok());
}

TEST(PlacementSearch, is_no_worse_than_any_baseline_and_far_better_than_most) {
  for (const Case& at : {Case{"inception-v3", 4}, {"rnnlm", 2}, {"transformer", 8}}) {
    const auto trainer = trainer_of({{"graph", at.graph}, {"devices", at.devices}}, 1);
    trainer->advance(2400, {}, [] {});
    const auto problem =
        placement::set_up({.graph = at.graph, .devices = static_cast<int>(at.devices)}).value();
    placement::Simulator simulator(problem);
    for (const auto& baseline : placement::baseline_table())
      EXPECT_LE(trainer->value().value(), simulator.step_ms(*baseline.place(problem, 1)) + 1e-9)
          << at.graph << " " << baseline.name;
    EXPECT_NE(trainer->facts().front().value.find("local search"), std::string::npos);
  }
}

// A chain whose first node needs most memory: the fastest placement is one device, the one that
// needs least memory spreads.
placement::Problem chain_of_four(double memory_weight) {
  placement::Graph graph;
  for (const double mb : {40.0, 20.0, 10.0, 10.0}) {
    placement::Node node;
    node.name = "op" + std::to_string(graph.nodes.size());
    node.forward_ms = 1;
    node.stored_bytes = 1e6 * mb;
    node.out_bytes = 4e6;
    if (!graph.nodes.empty()) {
      const int index = static_cast<int>(graph.nodes.size());
      graph.edges.push_back({index - 1, index, 4e6});
    }
    graph.nodes.push_back(node);
  }
  auto problem = placement::set_up(graph, {.graph = "", .devices = 3, .group = "op"}).value();
  problem.memory_weight = memory_weight;
  return problem;
}

// The least total cost of all placements.
placement::Cost best_of_all(const placement::Problem& problem) {
  placement::Simulator simulator(problem);
  placement::Cost best{0, 0, HUGE_VAL};
  for (int code = 0; code < 81; ++code) {
    const auto cost = simulator.cost({code % 3, code / 3 % 3, code / 9 % 3, code / 27});
    if (cost.total_ms < best.total_ms) best = cost;
  }
  return best;
}

TEST(MemoryWeight, finds_for_each_weight_what_trying_every_placement_finds) {
  double last_peak = HUGE_VAL, last_ms = 0;
  for (const double weight : {0.0, 0.05, 0.3, 5.0}) {
    const auto problem = chain_of_four(weight);
    const auto least = best_of_all(problem);
    for (const char* agent : {"post", "reinforce", "seq2seq"}) {
      const auto settings = Settings::resolve(*find_trainer("placement"), {},
                                              {{"agent", std::string(agent)},
                                               {"hidden", std::int64_t{8}},
                                               {"polish", std::int64_t{500}}});
      const auto found = search_placement(problem, {*settings, 1, 300}, {});
      EXPECT_EQ(placement::Simulator(problem).cost(found.placement).total_ms, least.total_ms)
          << agent << " " << weight;
    }
    EXPECT_LE(least.peak_bytes, last_peak);
    EXPECT_GE(least.step_ms, last_ms);
    last_peak = least.peak_bytes;
    last_ms = least.step_ms;
  }
  EXPECT_EQ(best_of_all(chain_of_four(0)).peak_bytes, 80e6);  // all on one device
  // Stored 40 | 20 | 10 + 10; no device with a copy of 4 needs more than the first.
  EXPECT_EQ(best_of_all(chain_of_four(5)).peak_bytes, 40e6);
}

TEST(MemoryWeight, needs_a_graph_that_takes_memory) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("hone-weightless-" + std::to_string(::getpid()) + ".json");
  std::ofstream(file) << R"({"nodes": [{"name": "a", "flop": 1e9}], "edges": []})";
  const Params params{{"graph", file.string()}, {"memory_weight", 1.0}};
  const auto made =
      make_placement({*Settings::resolve(*find_trainer("placement"), params, {}), 1, 9});
  std::filesystem::remove(file);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().at, "/memory_weight");
}

TEST(MemoryWeight, trades_time_for_memory_and_reports_both) {
  const auto fast = trainer_of(plain("post", {"resnet-50", 2}), 1);
  const auto small = trainer_of(plain("post", {"resnet-50", 2}, {{"memory_weight", 5.0}}), 1);
  for (const auto& trainer : {fast.get(), small.get()}) {
    trainer->advance(2400, {}, [] {});
    double metric = 0;
    for (const auto& point : trainer->take_metrics())
      if (point.name == "peak_gb") metric = point.value;
    EXPECT_EQ(Score::of(metric), trainer->value_of("peak_gb"));
    EXPECT_EQ(trainer->value_of("step_ms"), trainer->value());
  }
  EXPECT_NEAR(fast->value_of("peak_gb").value(), 3.85, 0.006);  // one device
  EXPECT_LT(small->value_of("peak_gb").value(), 0.7 * 3.85);
  EXPECT_GT(small->value().value(), fast->value().value());
}

class EveryAgent : public testing::TestWithParam<const char*> {};

TEST_P(EveryAgent, repeats_itself_with_any_number_of_threads_and_continues_from_its_file) {
  const bool several = std::string_view(GetParam()) == "controllers";
  const Params params{{"agent", std::string(several ? "seq2seq" : GetParam())},
                      {"polish", std::int64_t{500}},
                      {"hidden", std::int64_t{8}},
                      {"memory_weight", 0.5},
                      {"encoder", std::string(several ? "shapes" : "sizes")},
                      {"controllers", std::int64_t{several ? 3 : 1}}};
  const auto whole = trainer_of(params, 7, 150);
  whole->advance(150, {}, [] {});
  Params threaded = params;
  threaded.push_back({"threads", std::int64_t{3}});
  const auto first = trainer_of(threaded, 7, 150);
  first->advance(73, {}, [] {});
  const auto file = std::filesystem::temp_directory_path() /
                    ("hone-placement-" + std::to_string(::getpid()) + GetParam());
  ASSERT_TRUE(first->save(file).ok());
  const auto second = trainer_of(threaded, 7, 150);
  ASSERT_TRUE(second->load(file).ok());
  second->advance(150, {}, [] {});
  EXPECT_EQ(second->value(), whole->value());
  EXPECT_EQ(second->value_of("peak_gb"), whole->value_of("peak_gb"));
  ASSERT_TRUE(second->save(file).ok());
  EvaluationPlan plan;
  plan.model = file;
  const auto evaluation = evaluate_placement(plan);
  std::filesystem::remove(file);
  ASSERT_TRUE(evaluation.ok()) << evaluation.error().detail;
  EXPECT_EQ(evaluation->returns.front(), whole->value().value());
}

constexpr const char* agents[] = {"post", "ce", "ppo", "reinforce", "seq2seq", "controllers"};
INSTANTIATE_TEST_SUITE_P(Table, EveryAgent, testing::ValuesIn(agents),
                         [](const auto& row) { return std::string(row.param); });

TEST(PlacementSearch, refuses_to_encode_shapes_that_a_graph_does_not_have) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("hone-shapeless-" + std::to_string(getpid()) + ".json");
  std::ofstream(file) << R"({"nodes":[{"name":"a","forward_ms":1}],"edges":[]})";
  const auto made_with = [&](const std::string& agent) {
    const Params params{{"graph", file.string()},
                        {"agent", agent},
                        {"encoder", std::string("shapes")},
                        {"hidden", std::int64_t{4}}};
    return make_placement({*Settings::resolve(*find_trainer("placement"), params, {}), 1, 100});
  };
  const auto refused = made_with("seq2seq");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().at, "/encoder");
  EXPECT_TRUE(made_with("post").ok()) << "only seq2seq has an encoder";
  std::filesystem::remove(file);
}

TEST(PlacementSearch, refuses_a_graph_that_changed) {
  const auto settings =
      Settings::resolve(*find_trainer("placement"), {{"graph_digest", std::string("abc")}}, {});
  const auto made = make_placement({*settings, 1, 100});
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().at, "/graph_digest");
}

}  // namespace
}  // namespace hone::trainers
