// The problems against the values that the published comparison gives for its own definitions, and
// the driver against its protocol.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <vector>

#include "bench/search/driver.hpp"
#include "bench/search/problems.hpp"
#include "bench/search/study.hpp"

namespace hone::bench {
namespace {

Params at(std::initializer_list<double> coordinates) {
  Params params;
  for (const double x : coordinates) params.push_back({"x" + std::to_string(params.size()), x});
  return params;
}

Value word(const char* text) { return std::string(text); }
Value whole(std::int64_t number) { return number; }

struct Known {
  std::string_view problem;
  Params params;
  double loss;
};

std::vector<Known> known() {
  return {
      {"branin", at({std::numbers::pi, 2.275}), 0.39788735772973816},
      {"branin", at({0, 0}), 55.602112642270264},
      {"hartmann3", at({0.114614, 0.555649, 0.852547}), -3.862782147819745},
      {"hartmann3", at({.5, .5, .5}), -0.6280220961750616},
      {"hartmann6", at({0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573}),
       -3.322368011391339},
      {"hartmann6", at({.5, .5, .5, .5, .5, .5}), -0.5053149917022333},
      {"ackley5", at({3.2768, -9.8304, 16.384, -6.5536, 13.1072}), 4.440892098500626e-16},
      {"ackley5", at({0, 0, 0, 0, 0}), 19.55452074652594},
      {"levy4", at({1, 1, 1, 1}), 1.4997597826618576e-32},
      {"levy4", at({-3, -3, -3, -3}), 25.242202548207132},
      {"rosenbrock4", at({1, 1, 1, 1}), 0},
      {"rosenbrock4", at({2, 2, 2, 2}), 1203},
      {"mixed6",
       {{"lr", 1e-3},
        {"wd", 1e-4},
        {"layers", whole(4)},
        {"width", whole(96)},
        {"opt", word("adam")},
        {"act", word("gelu")}},
       0},
      {"mixed6",
       {{"lr", 1e-2},
        {"wd", 1e-3},
        {"layers", whole(7)},
        {"width", whole(32)},
        {"opt", word("sgd")},
        {"act", word("tanh")}},
       4.253631838607678},
      {"cond",
       {{"model", word("mlp")},
        {"lr", 1e-3},
        {"layers", whole(2)},
        {"units0", whole(32)},
        {"units1", whole(32)}},
       0},
      {"cond", {{"model", word("svm")}, {"C", 1.0}, {"kernel", word("rbf")}, {"gamma", .1}}, 0.55},
      {"cond",
       {{"model", word("svm")}, {"C", 1.0}, {"kernel", word("linear")}},
       0.6000000000000001},
      {"cond",
       {{"model", word("forest")}, {"trees", whole(100)}, {"depth", whole(20)}},
       0.4666666666666667},
  };
}

TEST(SearchBench, problems_have_their_published_values) {
  for (const Known& one : known()) {
    const Problem* problem = find_problem(one.problem);
    ASSERT_NE(problem, nullptr) << one.problem;
    EXPECT_NEAR(problem->loss(one.params), one.loss, 1e-15 * std::max(1.0, std::abs(one.loss)))
        << one.problem;
  }
}

TEST(SearchBench, published_points_lie_in_the_spaces) {
  for (const Known& one : known()) {
    const auto space = SearchSpace::make(find_problem(one.problem)->space(), {});
    ASSERT_TRUE(space.ok()) << one.problem;
    const auto point = space->point_of(one.params);
    ASSERT_TRUE(point.has_value()) << one.problem;
    EXPECT_EQ(space->params_at(*point).size(), one.params.size()) << one.problem;
  }
}

TEST(SearchBench, every_draw_of_a_space_has_a_loss_above_the_minimum) {
  for (const Problem& problem : problems()) {
    const auto space = SearchSpace::make(problem.space(), {});
    Rng rng(3, Purpose::simulation, 0);
    for (int i = 0; i < 500; ++i)
      EXPECT_GE(problem.loss(space->params_at(space->uniform_point(rng))), problem.lowest)
          << problem.name;
  }
}

TEST(SearchBench, latency_loss_scales_parameters_to_the_unit_interval) {
  const Params low{{"p00", 1e-5}, {"p01", whole(1)}, {"p02", whole(0)}, {"p03", -1.0}};
  const Params high{{"p00", 1.0}, {"p01", whole(64)}, {"p02", whole(3)}, {"p03", 1.0}};
  EXPECT_NEAR(latency_loss(low), 4 * 0.09, 1e-12);
  EXPECT_NEAR(latency_loss(high), 4 * 0.49, 1e-12);
}

std::vector<Json> answer(const std::string& task, const Arguments& words) {
  std::vector<Json> lines;
  const auto done = run_task(task, words, [&](const Json& line) { lines.push_back(line); });
  EXPECT_TRUE(done.ok());
  return lines;
}

TEST(SearchBench, quality_traces_fall_and_repeat) {
  const Arguments words{{"problem", "cond"}, {"seeds", "3-4"}, {"n", "60"}, {"workers", "8"}};
  const auto lines = answer("quality", words), again = answer("quality", words);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1]["seed"], 4);
  EXPECT_EQ(lines[0]["trace"], again[0]["trace"]);
  EXPECT_NE(lines[0]["trace"], lines[1]["trace"]);
  double last = 1e9;
  for (const Json& step : lines[0]["trace"]) {
    EXPECT_LT(step[1].get<double>(), last);
    EXPECT_LE(step[0], 60);
    last = step[1].get<double>();
  }
}

TEST(SearchBench, latency_answers_for_every_size) {
  const auto lines =
      answer("latency", {{"mode", "uni"}, {"d", "4"}, {"ns", "10,30"}, {"reps", "3,2"}});
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0]["ask_ms"].size(), 3u);
  EXPECT_EQ(lines[1]["n"], 30);
}

TEST(SearchBench, what_it_does_not_know_is_refused) {
  const Emit nowhere = [](const Json&) {};
  EXPECT_FALSE(run_task("qualty", {}, nowhere).ok());
  EXPECT_FALSE(run_task("quality", {{"problem", "none"}}, nowhere).ok());
  EXPECT_FALSE(run_task("quality", {{"problem", "branin"}, {"algo", "x"}}, nowhere).ok());
  EXPECT_FALSE(run_task("quality", {{"problem", "branin"}, {"n", "many"}}, nowhere).ok());
  EXPECT_FALSE(run_task("storage-create", {{"backend", "sqlite"}}, nowhere).ok());
}

}  // namespace
}  // namespace hone::bench
