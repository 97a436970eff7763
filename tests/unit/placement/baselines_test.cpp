// Baselines against published step times, and what bounds them all.
#include "placement/baselines/baselines.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "placement/baselines/favourites.hpp"
#include "placement/bound.hpp"
#include "placement/graphs/generators.hpp"
#include "placement/read/placement_file.hpp"
#include "placement/setup.hpp"
#include "placement/simulator.hpp"
#include "placement/trace.hpp"
#include "schemas/codec/json.hpp"

namespace hone::placement {
namespace {

Problem problem_of(const char* graph, int devices) {
  return set_up({.graph = graph, .devices = devices}).value();
}

double step_of(const Problem& problem, const char* method) {
  const auto placed = find_baseline(method)->place(problem, 1);
  EXPECT_TRUE(placed.ok()) << method << ": " << (placed.ok() ? "" : placed.error().detail);
  return placed.ok() ? Simulator(problem).step_ms(*placed) : 0;
}

TEST(Baselines, take_the_published_step_times) {
  struct Row {
    const char* graph;
    int devices;
    double single, expert, m_topo, m_etf;  // 0: not told
  };
  for (const Row& row :
       {Row{"resnet-50", 2, 156.4, 165.5, 171.2, 156.4},
        Row{"inception-v3", 2, 224.0, 228.1, 224.2, 217.1},
        Row{"inception-v3", 4, 224.0, 235.9, 228.2, 217.2},
        Row{"resnet-101", 8, 304.0, 0, 392.3, 304.0}, Row{"rnnlm", 2, 274.3, 171.9, 0, 0},
        Row{"nmt", 2, 243.7, 204.2, 0, 0}, Row{"nmt-4", 4, 361.0, 248.7, 0, 0}}) {
    const Problem problem = problem_of(row.graph, row.devices);
    EXPECT_NEAR(step_of(problem, "single"), row.single, 0.01 * row.single) << row.graph;
    if (row.expert > 0) {
      EXPECT_NEAR(step_of(problem, "expert"), row.expert, 0.01 * row.expert) << row.graph;
    }
    if (row.m_etf == 0) continue;
    EXPECT_NEAR(step_of(problem, "m-topo"), row.m_topo, 0.01 * row.m_topo) << row.graph;
    EXPECT_NEAR(step_of(problem, "m-etf"), row.m_etf, 0.01 * row.m_etf) << row.graph;
    EXPECT_LE(step_of(problem, "m-etf"), step_of(problem, "single") + 1e-9) << row.graph;
  }
}

TEST(Baselines, are_never_below_the_bound_and_repeat_themselves) {
  for (const char* graph : {"inception-v3", "rnnlm", "transformer"})
    for (const int devices : {1, 2, 8}) {
      const Problem problem = problem_of(graph, devices);
      const double bound = lower_bound_ms(problem);
      EXPECT_GE(bound, critical_path_ms(problem));
      for (const auto& baseline : baseline_table()) {
        const auto placed = baseline.place(problem, 3);
        ASSERT_TRUE(placed.ok()) << baseline.name << ": " << placed.error().detail;
        EXPECT_EQ(*baseline.place(problem, 3), *placed) << baseline.name;
        EXPECT_GE(Simulator(problem).makespan(*placed), bound - 1e-9) << baseline.name;
      }
    }
}

TEST(Baselines, keep_what_must_run_on_a_cpu_off_accelerators) {
  Graph graph = find_graph("inception-v3")->make();
  graph.nodes[5].accelerator = false;
  const Problem problem =
      set_up(graph, {.graph = "", .devices = 2, .cpus = 1, .group = "op"}).value();
  for (const auto& baseline : baseline_table()) {
    const auto placed = baseline.place(problem, 1);
    ASSERT_TRUE(placed.ok()) << baseline.name;
    EXPECT_EQ((*placed)[5], 2) << baseline.name;
  }
}

TEST(Baselines, say_when_memory_does_not_suffice) {
  const auto refused = set_up({.graph = "resnet-50", .devices = 2, .memory_gb = 2.0});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().detail.find("take more or larger"), std::string::npos);
  const Problem tight = set_up({.graph = "inception-v3", .devices = 2, .memory_gb = 2.0}).value();
  EXPECT_GE(step_of(tight, "single"), tight.failed_ms);
}

// A diamond whose heavy edge is worth keeping on one device.
TEST(Favourites, are_the_children_that_cost_most_to_send_to) {
  Graph graph;
  graph.training = false;
  for (const char* name : {"a", "b", "c", "d"}) {
    Node node;
    node.name = name;
    node.forward_ms = 1;
    graph.nodes.push_back(node);
  }
  graph.edges = {{0, 1, 1e9}, {0, 2, 1e6}, {1, 3, 1e9}, {2, 3, 1e6}};
  const Problem problem = set_up(graph, {.graph = "", .devices = 2, .group = "op"}).value();
  EXPECT_EQ(favourite_children(problem), (std::vector<int>{1, 3, -1, -1}));
  const auto fraction = relaxed_favourites(problem, 4000);
  EXPECT_LE(fraction[0] + fraction[1], 1.01);
  EXPECT_LE(fraction[2] + fraction[3], 1.01);
}

TEST(PlacementFile, is_read_back_and_refused_where_it_is_wrong) {
  const Problem problem = problem_of("inception-v3", 4);
  const auto placed = find_baseline("m-etf")->place(problem, 1);
  const auto text = placement_text(problem, *placed);
  EXPECT_EQ(*read_placement(problem, text), *placed);
  auto document = *parse_json(text);
  const auto name = document["placement"].begin().key();
  document["placement"][name] = 4;
  EXPECT_EQ(read_placement(problem, to_text(document)).error().at, "/placement/" + name);
  document["placement"].erase(name);
  EXPECT_NE(read_placement(problem, to_text(document)).error().detail.find("has no device"),
            std::string::npos);
}

TEST(Trace, has_every_task_and_transfer_of_the_step) {
  const Problem problem = problem_of("rnnlm", 2);
  const auto placed = find_baseline("expert")->place(problem, 1);
  const auto timeline = Simulator(problem).trace(*placed);
  const auto trace = parse_json(chrome_trace(problem, *placed));
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ((*trace)["traceEvents"].size(),
            static_cast<std::size_t>(problem.tasks) + timeline.transfers.size() + 4);
  double end_us = 0;
  for (const auto& event : (*trace)["traceEvents"])
    if (event["ph"] == "X")
      end_us = std::max(end_us, event["ts"].get<double>() + event["dur"].get<double>());
  EXPECT_NEAR(end_us, 1000 * timeline.makespan_ms, 1e-3);
}

TEST(Digest, belongs_to_the_graph_alone) {
  Graph graph = find_graph("resnet-50")->make();
  const auto digest = digest_of(graph);
  graph.name = "another name";
  EXPECT_EQ(digest_of(graph), digest);
  graph.nodes[3].flop += 1;
  EXPECT_NE(digest_of(graph), digest);
}

}  // namespace
}  // namespace hone::placement
