// What `hone submit` adds to a sweep that places a graph.
#include "sdk/cli/local/graph_digest.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "placement/graphs/generators.hpp"

namespace hone::cli {
namespace {

TEST(SubmittedGraph, is_named_by_its_digest) {
  Json sweep{{"trainer", {{"name", "placement"}, {"graph", "resnet-50"}}}};
  ASSERT_TRUE(name_graph(sweep).ok());
  EXPECT_EQ(sweep["trainer"]["graph"], "resnet-50");
  EXPECT_EQ(sweep["trainer"]["graph_digest"],
            placement::digest_of(placement::find_graph("resnet-50")->make()));
}

TEST(SubmittedGraph, of_which_shapes_are_read_is_named_with_them) {
  const auto digest = placement::digest_with_shapes(placement::find_graph("resnet-50")->make());
  Json sweep{{"trainer", {{"name", "placement"}, {"graph", "resnet-50"}, {"encoder", "shapes"}}}};
  ASSERT_TRUE(name_graph(sweep).ok());
  EXPECT_EQ(sweep["trainer"]["graph_digest"], digest);
  sweep = {{"trainer", {{"name", "placement"}, {"graph", "resnet-50"}}},
           {"parameters", {{"encoder", {{"values", {"sizes", "shapes"}}}}}}};
  ASSERT_TRUE(name_graph(sweep).ok());
  EXPECT_EQ(sweep["trainer"]["graph_digest"], digest);
}

TEST(SubmittedGraph, that_cannot_be_read_is_refused_where_it_stands) {
  Json sweep{{"trainer", {{"name", "placement"}, {"graph", "resnet-5"}}}};
  const auto named = name_graph(sweep);
  ASSERT_FALSE(named.ok());
  EXPECT_EQ(named.error().at, "/trainer/graph");
}

TEST(SubmittedGraph, leaves_other_sweeps_alone) {
  for (const Json& sweep : {Json{{"trainer", {{"name", "ga3c"}, {"graph", "x"}}}},
                            Json{{"command", {"run"}}}, Json{{"trainer", 3}}, Json::array()}) {
    Json same = sweep;
    ASSERT_TRUE(name_graph(same).ok());
    EXPECT_EQ(same, sweep);
  }
}

}  // namespace
}  // namespace hone::cli
