// Lineage reads, over the same small history.
#include <set>

#include "tests/unit/db/queries_given.hpp"

namespace hone {
namespace {

std::set<std::string> names_of(const LineageGraph& graph) {
  std::set<std::string> names;
  for (const auto& node : graph.nodes) names.insert(text(node.id));
  return names;
}

std::set<std::string> edges_of(const LineageGraph& graph) {
  std::set<std::string> edges;
  for (const auto& e : graph.edges)
    edges.insert(text(e.from) + " " + e.relation + " " + text(e.to));
  return edges;
}

TEST_F(Queries, LineageUpTellsWhatAModelCameFrom) {
  const auto graph = read_lineage(*db, ModelId{2}, {Direction::up, 64, 1000});
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(graph->nodes.at(0).id, LineageKey{ModelId{2}});
  EXPECT_EQ(names_of(*graph),
            (std::set<std::string>{"md_2", "md_1", "rn_1.0", "tr_1", "sw_1", "wf_1", "ds_1",
                                   "rn_1.0#1", "rn_1.0#2", "rn_1.0@0", "rn_1.0@1", "wk_1"}));
  const std::set<std::string> edges{
      "md_2 saved_by rn_1.0",          "md_2 continued_from md_1",
      "md_1 saved_by rn_1.0",          "rn_1.0 run_of tr_1",
      "tr_1 proposed_by sw_1",         "sw_1 submitted_as wf_1",
      "sw_1 trained_on ds_1",          "md_2 saved_in rn_1.0#2",
      "md_1 saved_in rn_1.0#1",        "md_2 judged_by rn_1.0@1",
      "md_1 judged_by rn_1.0@0",       "rn_1.0@0 reported_by rn_1.0",
      "rn_1.0@1 reported_by rn_1.0",   "rn_1.0@0 reported_in rn_1.0#1",
      "rn_1.0@1 reported_in rn_1.0#2", "rn_1.0#2 resumed_from md_1",
      "rn_1.0#1 attempt_of rn_1.0",    "rn_1.0#2 attempt_of rn_1.0",
      "rn_1.0#1 executed_by wk_1",     "rn_1.0#2 executed_by wk_1"};
  EXPECT_EQ(edges_of(*graph), edges);
  EXPECT_EQ(graph->edges.size(), edges.size()) << "no edge twice";
  EXPECT_FALSE(graph->truncated);
}

TEST_F(Queries, LineageDownTellsWhatCameFromIt) {
  const auto graph = read_lineage(*db, run_a, {Direction::down, 64, 1000});
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(names_of(*graph), (std::set<std::string>{"rn_1.0", "md_1", "md_2", "md_3", "rn_1.0#1",
                                                     "rn_1.0#2", "rn_1.0@0", "rn_1.0@1"}));
  EXPECT_TRUE(edges_of(*graph).contains("md_3 continued_from md_2"));
  const auto worker = read_lineage(*db, WorkerId{1}, {Direction::down, 1, 1000});
  EXPECT_EQ(worker->nodes.size(), 7U) << "the worker and its six attempts";
}

TEST_F(Queries, LineageBothIsUpAndDownFromTheRootOnly) {
  const auto graph = read_lineage(*db, run_b, {});
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(names_of(*graph), (std::set<std::string>{"rn_1.1", "rn_1.1#1", "rn_1.1@0", "tr_1",
                                                     "sw_1", "wf_1", "ds_1"}));
}

TEST_F(Queries, LineageStopsAtItsDepthAndItsBound) {
  const auto shallow = read_lineage(*db, run_a, {Direction::up, 1, 1000});
  EXPECT_EQ(names_of(*shallow), (std::set<std::string>{"rn_1.0", "tr_1"}));
  EXPECT_EQ(read_lineage(*db, run_a, {Direction::both, 0, 1000})->nodes.size(), 1U);
  const auto bounded = read_lineage(*db, SweepId{1}, {Direction::down, 64, 4});
  EXPECT_EQ(bounded->nodes.size(), 4U);
  EXPECT_TRUE(bounded->truncated);
  for (const auto& edge : bounded->edges) {
    EXPECT_TRUE(names_of(*bounded).contains(text(edge.from)));
    EXPECT_TRUE(names_of(*bounded).contains(text(edge.to)));
  }
  expect_not_found(read_lineage(*db, ModelId{9}, {}));
}

TEST_F(Queries, LineageCarriesFacts) {
  const auto facts_of = [&](const LineageKey& id) {
    return read_lineage(*db, id, {Direction::up, 0, 10})->nodes.at(0);
  };
  const auto fact = [](const LineageNode& node, const std::string& name) {
    for (const auto& [key, value] : node.facts)
      if (key == name) return value;
    return std::string("(none)");
  };
  const auto workflow = facts_of(WorkflowId{1});
  EXPECT_EQ(workflow.kind, "workflow");
  EXPECT_EQ(workflow.label, "cccccccccccc");
  EXPECT_EQ(fact(workflow, "git_commit"), std::string(40, 'c'));
  EXPECT_EQ(fact(workflow, "git_branch"), "(none)") << "what is empty is left out";
  const auto model = facts_of(ModelId{2});
  EXPECT_EQ(fact(model, "value"), "40.0");
  EXPECT_EQ(fact(model, "worker"), "wk_1");
  EXPECT_EQ(fact(model, "saved_at").substr(0, 8), "2023-11-");
  EXPECT_NE(fact(facts_of(TrialId{1}), "params.learning_rate"), "(none)");
  EXPECT_EQ(fact(facts_of(TrialId{1}), "value"), "diverged");
  EXPECT_EQ(fact(facts_of(TrialId{2}), "value"), "(none)");
  EXPECT_EQ(fact(facts_of(TrialId{3}), "value"), "(none)");
  EXPECT_EQ(fact(facts_of(AttemptId{run_a, 1}), "end_reason"), "requeue_requested");
  EXPECT_EQ(fact(facts_of(DatasetId{1}), "name"), "CartPole-v1");
  EXPECT_EQ(fact(facts_of(SweepId{1}), "search"), "random");
  EXPECT_EQ(fact(facts_of(WorkerId{1}), "host"), "host-1");
}

}  // namespace
}  // namespace hone
