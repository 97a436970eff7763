// Generators against their published totals, co-location rules, and the errors for bad graphs.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "placement/core/group.hpp"
#include "placement/core/problem.hpp"
#include "placement/graphs/generators.hpp"
#include "placement/read/read.hpp"
#include "schemas/codec/json.hpp"
#include "tests/unit/case_name.hpp"

namespace hone::placement {
namespace {

struct Expected {
  const char* name;
  std::size_t nodes, edges;
  double params_m, gmac, out_mb, stored_mb, kernels;
  int chains;  // 0: not told
};

void PrintTo(const Expected& row, std::ostream* out) { *out << row.name; }

class Generated : public testing::TestWithParam<Expected> {};

TEST_P(Generated, has_the_totals_of_its_network) {
  const auto& row = GetParam();
  const Graph graph = find_graph(row.name)->make();
  const Totals totals = totals_of(graph);
  EXPECT_TRUE(check(graph).ok());
  EXPECT_EQ(graph.nodes.size(), row.nodes);
  EXPECT_EQ(graph.edges.size(), row.edges);
  EXPECT_NEAR(totals.params / 1e6, row.params_m, 0.00051);
  EXPECT_NEAR(totals.flop / 2 / graph.batch / 1e9, row.gmac, 0.01);
  EXPECT_NEAR(totals.out_bytes / graph.batch / 1e6, row.out_mb, 0.051);
  EXPECT_NEAR(totals.stored_bytes / graph.batch / 1e6, row.stored_mb, 0.051);
  EXPECT_EQ(totals.kernels, row.kernels);
  if (row.chains > 0) {
    EXPECT_EQ(group(graph, GroupRule::chain).groups, row.chains);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, Generated,
    testing::Values(Expected{"inception-v3", 121, 155, 23.835, 5.725, 57.7, 92.5, 310, 62},
                    Expected{"resnet-50", 73, 88, 25.557, 3.864, 65.8, 107.6, 196, 37},
                    Expected{"resnet-50-v1.5", 73, 88, 25.557, 4.096, 68.0, 111.8, 196, 37},
                    Expected{"resnet-101", 141, 173, 44.549, 7.580, 100.0, 162.2, 383, 71},
                    Expected{"resnet-101-v1.5", 141, 173, 44.549, 7.811, 102.1, 166.4, 383, 71},
                    Expected{"rnnlm", 160, 198, 108.095, 3.504, 1.0, 8.1, 640, 158},
                    Expected{"rnnlm-4", 240, 356, 54.061, 1.753, 0.8, 8.0, 1120, 0},
                    Expected{"nmt", 321, 517, 134.149, 2.911, 1.3, 21.7, 1401, 319},
                    Expected{"nmt-4", 481, 835, 167.720, 4.254, 2.0, 26.3, 2361, 479},
                    Expected{"transformer", 69, 91, 63.082, 3.195, 10.6, 44.3, 275, 0}),
    [](const auto& one) { return case_name(one.param.name, one.index); });

// Ledgers, models and sweep files name these graphs by their digests.
TEST(Generated, keep_the_digests_that_ledgers_hold) {
  for (const auto& [name, digest] :
       {std::pair{"inception-v3", "2ebe34d225be088b"}, std::pair{"resnet-50", "3da3ad6b4358bf3f"},
        std::pair{"resnet-101", "3cedefae72dd4d4a"},
        std::pair{"resnet-50-v1.5", "dcbbd05408731fa2"},
        std::pair{"resnet-101-v1.5", "d8addec18bc67049"}, std::pair{"rnnlm", "165a6b83817229e2"},
        std::pair{"rnnlm-4", "8e4bedcbd2414acb"}, std::pair{"nmt", "7a6276d089db233b"},
        std::pair{"nmt-4", "e5c92669c1acc5f7"}, std::pair{"nmt-8", "8c9d2dfcde72ddfd"},
        std::pair{"transformer", "f9af1f74ccae7653"}}) {
    const Graph graph = find_graph(name)->make();
    EXPECT_EQ(digest_of(graph).substr(0, 16), digest) << name;
    EXPECT_NE(digest_with_shapes(graph), digest_of(graph)) << name;
  }
}

TEST(Generated, have_outputs_of_the_bytes_that_their_shapes_say) {
  for (const NamedGraph& row : graph_table())
    for (const Node& node : row.make().nodes) {
      double bytes = 0;
      for (const Shape& shape : node.shapes) {
        double numbers = 1;
        for (const auto size : shape) numbers *= static_cast<double>(size);
        bytes += 4 * numbers;
      }
      EXPECT_EQ(bytes, node.out_bytes) << row.name << " " << node.name;
    }
}

TEST(Shapes, come_back_from_a_file_and_belong_to_a_chain_s_last_operation) {
  const Graph graph = find_graph("transformer")->make();
  const auto read = read_graph(json_text(graph), "g");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(digest_of(*read), digest_of(graph));
  EXPECT_EQ(digest_with_shapes(*read), digest_with_shapes(graph));
  EXPECT_EQ(read->nodes[1].shapes, (std::vector<Shape>(3, {64, 50, 512})));  // q, k and v
  Graph other = *read;
  other.nodes[1].shapes[0] = {50, 64, 512};
  EXPECT_EQ(digest_of(other), digest_of(graph));
  EXPECT_NE(digest_with_shapes(other), digest_with_shapes(graph));
  const Graph merged = merge_chains(find_graph("resnet-50")->make());
  EXPECT_EQ(merged.nodes.back().shapes, (std::vector<Shape>{{32, 1000}}));
}

TEST(Groups, keep_what_a_file_colours_alike_together) {
  Graph graph = find_graph("inception-v3")->make();
  graph.nodes[3].color = graph.nodes[50].color = 7;
  const auto grouped = group(graph, GroupRule::op);
  EXPECT_EQ(grouped.group_of_node[3], grouped.group_of_node[50]);
  EXPECT_EQ(grouped.groups, 120);
}

TEST(Groups, join_an_operation_to_its_only_consumer) {
  const auto grouped = group(find_graph("resnet-50")->make(), GroupRule::single);
  EXPECT_LT(grouped.groups, 37);
  const auto model = group(find_graph("rnnlm")->make(), GroupRule::model);
  EXPECT_EQ(model.groups, 4);  // embedding, two layers, softmax
}

std::string told(const std::string& text) {
  const auto graph = read_graph(text, "g");
  EXPECT_FALSE(graph.ok()) << text;
  return graph.ok() ? "" : graph.error().detail + " @" + graph.error().at;
}

std::string with(const std::string& nodes, const std::string& edges) {
  return R"({"nodes":[)" + nodes + R"(],"edges":[)" + edges + "]}";
}

const std::string two = R"({"name":"a","forward_ms":1},{"name":"b","forward_ms":1})";

TEST(BadGraph, is_refused_with_its_place) {
  EXPECT_NE(told(with(two, R"(["a","b",1],["b","a",1])")).find("cycle: a -> b -> a"),
            std::string::npos);
  EXPECT_NE(told(with(two, R"(["a","c",1])")).find("node 'c', which does not exist @/edges/0"),
            std::string::npos);
  EXPECT_NE(told(with(two, R"(["a","b",-1])")).find("negative cost @/edges/0"), std::string::npos);
  EXPECT_NE(told(with(R"({"name":"a","forward_ms":-2})", "")).find("negative time @/nodes/0"),
            std::string::npos);
  EXPECT_NE(told(with(R"({"name":"a","flop":-2})", "")).find("flop -2"), std::string::npos);
  EXPECT_NE(told(with(R"({"name":"a","forward_ms":NaN})", "")).find("byte"), std::string::npos);
  EXPECT_NE(told(with(R"({"name":"a","forward_ms":1e999})", "")).find("@"), std::string::npos);
  EXPECT_NE(told(with(two + "," + two, "")).find("twice @/nodes/2"), std::string::npos);
  EXPECT_NE(told(with(two, R"(["a","a",1])")).find("itself @/edges/0"), std::string::npos);
  EXPECT_NE(told(with("", "")).find("no nodes"), std::string::npos);
  EXPECT_NE(told("").find("empty"), std::string::npos);
  const auto shaped = [](const std::string& shapes) {
    return told(with(R"({"name":"a","forward_ms":1,"shapes":)" + shapes + "}", ""));
  };
  EXPECT_NE(shaped("[32,8]").find("as in [[32, 1000]] @/nodes/0/shapes"), std::string::npos);
  EXPECT_NE(shaped("[[32,2.5]]").find("@/nodes/0/shapes"), std::string::npos);
  EXPECT_NE(shaped("[[3],[32,-1]]")
                .find("a dimension of -1: it must be a whole number from 0 to "
                      "2^40 @/nodes/0/shapes/1/1"),
            std::string::npos);
  EXPECT_NE(shaped("[[1,1,1,1,1,1,1,1,1]]").find("8 dimensions @/nodes/0/shapes/0"),
            std::string::npos);
  EXPECT_NE(shaped("[[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[]]").find("16 shapes @"),
            std::string::npos);
  Graph nan = find_graph("resnet-50")->make();
  nan.nodes[4].flop = std::nan("");
  EXPECT_EQ(check(nan).error().at, "/nodes/4");
}

// Every member of a good graph becomes every kind of nonsense: refused with its place, or taken.
TEST(BadGraph, of_any_kind_is_answered) {
  const Json good = *parse_json(R"({"name":"g","batch":1,"training":true,
    "weights":[{"name":"w","bytes":4e6}],"nodes":[
    {"name":"a","flop":1e9,"out_bytes":1e6,"weights":[0],"color":1,"accelerator":true},
    {"name":"b","forward_ms":1,"stored_bytes":1e6,"color":1,"shapes":[[32,8],[4]]},{"name":"c","forward_ms":1}],
    "edges":[{"from":"a","to":"b","bytes":1e6},["b","c",1]]})");
  const Json nonsense =
      *parse_json(R"([null,true,-1,0,1e308,-1e308,"x","",[],{},[1],{"a":1},3.5,1e18,[0,0],[99],[-1],
    [null],[[]],"a",18446744073709551615])");
  const auto cluster = cluster_of(*find_device("p100"), 2, 0);
  const Json flat = good.flatten();
  int refused = 0;
  for (const auto& [leaf, unused] : flat.items())
    for (Json::json_pointer at(leaf); !at.empty(); at.pop_back())
      for (const Json& wrong : nonsense) {
        Json bad = good;
        bad[at] = wrong;
        const auto graph = read_graph(to_text(bad), "g");
        EXPECT_TRUE(graph.ok() || !graph.error().at.empty()) << to_text(bad);
        const auto problem = graph ? make_problem(*graph, {GroupRule::op, cluster}) : graph.error();
        EXPECT_TRUE(!problem.ok() || std::isfinite(problem->failed_ms)) << to_text(bad);
        refused += problem ? 0 : 1;
      }
  EXPECT_GT(refused, 300);
}

TEST(BadGraph, that_costs_nothing_or_more_than_can_be_added_is_refused) {
  EXPECT_NE(told(with(R"({"name":"a","forward_ms":1e300})", "")).find("1e30 @/nodes/0"),
            std::string::npos);
  const auto free = read_graph(with(R"({"name":"a","forward_ms":0})", ""), "g");
  const auto problem = make_problem(*free, {GroupRule::op, cluster_of(*find_device("p100"), 2, 0)});
  ASSERT_FALSE(problem.ok());
  EXPECT_NE(problem.error().detail.find("costs any time"), std::string::npos);
}

TEST(BadGraph, of_a_node_that_fits_no_device_names_it) {
  const auto cluster = cluster_of(*find_device("p100"), 2, 0);
  const auto host = read_graph(with(R"({"name":"a","cpu_ms":1,"accelerator":false})", ""), "g");
  const auto barred = make_problem(*host, {GroupRule::op, cluster});
  ASSERT_FALSE(barred.ok());
  EXPECT_NE(barred.error().detail.find("'a' runs on no accelerator"), std::string::npos);
  EXPECT_EQ(barred.error().at, "/nodes/0");
  const auto large = read_graph(with(R"({"name":"a","stored_bytes":2e10})", ""), "g");
  const auto full = make_problem(*large, {GroupRule::op, cluster});
  ASSERT_FALSE(full.ok());
  EXPECT_NE(full.error().detail.find("fits no device"), std::string::npos);
}

TEST(Reader, takes_rows_objects_and_the_published_names) {
  const auto rows = read_graph(
      R"({"maxSizePerAccelerator":100,"node_columns":["id","accel_ok","cpu_time","accel_time",)"
      R"("backward","color","bytes"],"nodes":[[7,1,30,3,0,5,10],[9,0,20,2,0,5,20]],)"
      R"("edge_columns":["src","dst","transfer_time"],"edges":[[7,9,0.5]]})",
      "g");
  const auto objects = read_graph(
      R"({"maxSizePerFPGA":100,"nodes":[{"id":7,"supportedOnFpga":1,"cpuLatency":30,)"
      R"("fpgaLatency":3,"isBackwardNode":0,"colorClass":5,"size":10},{"id":9,)"
      R"("supportedOnFpga":0,"cpuLatency":20,"fpgaLatency":2,"colorClass":5,"size":20}],)"
      R"("edges":[{"sourceId":7,"destId":9,"cost":0.5}]})",
      "g");
  ASSERT_TRUE(rows.ok());
  ASSERT_TRUE(objects.ok());
  EXPECT_EQ(canonical_text(*rows), canonical_text(*objects));
  EXPECT_FALSE(rows->training);
  EXPECT_EQ(rows->nodes[1].cpu_ms, 20);
  EXPECT_FALSE(rows->nodes[1].accelerator);
  EXPECT_EQ(rows->edges[0].leg_ms, 0.5);
  EXPECT_EQ(rows->nodes[0].color, 5);
}

// "an edge from node '1', which is not there": the edges of published files name ids, not names.
TEST(Reader, takes_published_nodes_with_both_a_name_and_an_id) {
  const std::string edges = R"("edges":[{"sourceId":1,"destId":178,"cost":0.5}]})";
  const std::string rest = R"(,"supportedOnFpga":1,"cpuLatency":12.36,"fpgaLatency":1.236,)"
                           R"("isBackwardNode":0,"colorClass":7,"size":205524992.0})";
  const auto published = [&](const std::string& first, const std::string& second) {
    return read_graph(R"({"maxSizePerFPGA":17185374208.0,"maxFPGAs":6,"maxCPUs":1,"nodes":[)"
                      R"({"name":")" +
                          first + R"(","id":1)" + rest + R"(,{"name":")" + second +
                          R"(","id":178)" + rest + "]," + edges,
                      "g");
  };
  const auto graph = published("node77", "node77grad");
  ASSERT_TRUE(graph.ok()) << graph.error().detail;
  EXPECT_EQ(graph->nodes[1].name, "node77grad");
  ASSERT_EQ(graph->edges.size(), 1U);
  EXPECT_EQ(graph->edges[0].from, 0);
  EXPECT_EQ(graph->edges[0].to, 1);
  const auto repeated = published("relu", "relu");
  ASSERT_TRUE(repeated.ok()) << repeated.error().detail;
  EXPECT_EQ(repeated->nodes[1].name, "relu #178");
  const auto crossed = published("178", "1");
  ASSERT_TRUE(crossed.ok()) << crossed.error().detail;
  EXPECT_EQ(crossed->edges[0].from, 0);
}

TEST(Reader, reads_back_what_it_writes) {
  for (const auto& row : graph_table()) {
    const Graph graph = row.make();
    const auto again = read_graph(json_text(graph), "other");
    ASSERT_TRUE(again.ok()) << row.name << ": " << again.error().detail;
    EXPECT_EQ(canonical_text(*again), canonical_text(graph)) << row.name;
  }
}

constexpr auto profile =
    "node1 -- Input0 -- forward_compute_time=0.000, backward_compute_time=0.000, "
    "activation_size=100.0, parameter_size=0.000\n"
    "node4 -- Conv2d(3, 64, kernel_size=(7, 7)) -- forward_compute_time=3.5, "
    "backward_compute_time=4.5, activation_size=[10.0; 20.0], parameter_size=64.0 -- stage_id=1\n"
    "\tnode1 -- node4\n";

// Its export had a replacement character in the name, and so another digest.
TEST(Reader, refuses_a_profile_that_is_not_utf8) {
  for (const char* name :
       {"Co\xffnv", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82"}) {
    const auto graph = read_graph(
        std::string("node1 -- ") + name + " -- forward_compute_time=1, backward_compute_time=1",
        "net");
    ASSERT_FALSE(graph.ok()) << name;
    EXPECT_EQ(graph.error().detail, "line 1: it is not valid UTF-8");
  }
  EXPECT_TRUE(
      read_graph("node1 -- \u00e9\u20ac\U0001f600 -- forward_compute_time=1, "
                 "backward_compute_time=1",
                 "net"));
}

TEST(Reader, reads_back_a_number_below_zero_that_is_zero) {
  const auto graph = read_graph(with(R"({"name":"a","forward_ms":-0.0,"flop":-0.0})", ""), "g");
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(canonical_text(*read_graph(json_text(*graph), "g")), canonical_text(*graph));
}

TEST(BadGraph, is_refused_if_the_index_of_a_weight_was_cut_to_a_smaller_one) {
  const std::string text = R"({"weights":[{"name":"w","bytes":1}],"edges":[],)"
                           R"("nodes":[{"name":"a","weights":[4294967296]}]})";
  EXPECT_NE(told(text).find("weights is a list of indexes"), std::string::npos);
}

TEST(Reader, takes_a_pipedream_profile) {
  const auto graph = read_graph(profile, "net");
  ASSERT_TRUE(graph.ok()) << graph.error().detail;
  ASSERT_EQ(graph->nodes.size(), 2U);
  EXPECT_EQ(graph->nodes[1].kind, "Conv2d");
  EXPECT_EQ(graph->nodes[1].backward_ms, 4.5);
  EXPECT_EQ(graph->nodes[1].out_bytes, 30);
  EXPECT_EQ(graph->edges[0].bytes, 100);
  EXPECT_TRUE(graph->training);
  std::string bad = profile;
  bad.replace(bad.find("3.5"), 3, "nan");
  EXPECT_NE(told(bad).find("line 2: 'nan'"), std::string::npos);
  EXPECT_NE(told(std::string(profile) + "\tnode1 -- node9\n").find("line 4"), std::string::npos);
}

}  // namespace
}  // namespace hone::placement
