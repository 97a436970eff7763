// A whole space: conditions, expressions, constraints, and points of it.
#include <gtest/gtest.h>

#include <cmath>

#include "server/search/space/search_space.hpp"
#include "server/search/space/space.hpp"

namespace hone {
namespace {

const Space nested{
    {"lr", FloatDomain{1e-5, 1e-2, Scale::log, {}, {}}, ""},
    {"optimizer", ChoiceDomain{{std::string("sgd"), std::string("adam")}, false, {1, 3}}, ""},
    {"momentum", FloatDomain{0, 1, Scale::linear, 0.1, {}}, "optimizer == \"sgd\""},
    {"nesterov", BoolDomain{}, "optimizer == \"sgd\" and momentum > 0.45"},
    {"damping", FloatDomain{0, 1, Scale::linear, {}, {}}, "nesterov"},
    {"batch", IntDomain{8, 64, Scale::linear, 8, {}}, ""},
    {"last_rate", DerivedDomain{"lr / 10"}, ""},
    {"warm_up", DerivedDomain{"batch * 2"}, "last_rate > 0.0001"},
    {"layers", FixedDomain{std::int64_t{2}}, ""},
};

SearchSpace made_space(const Space& space, const std::vector<std::string>& constraints = {}) {
  auto result = SearchSpace::make(space, constraints);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().detail);
  return result.ok() ? *std::move(result) : SearchSpace{};
}

Error refusal(const Space& space, const std::vector<std::string>& constraints = {}) {
  const auto result = SearchSpace::make(space, constraints);
  EXPECT_FALSE(result.ok());
  return result.ok() ? Error{} : result.error();
}

TEST(Points, dimensions_are_the_parameters_that_vary) {
  const SearchSpace space = made_space(nested);
  ASSERT_EQ(space.dimensions().size(), 6U);
  EXPECT_EQ(space.dimensions()[0].kind, Dimension::Kind::real);
  EXPECT_EQ(space.dimensions()[1].kind, Dimension::Kind::choice);
  EXPECT_EQ(space.dimensions()[1].weights, (std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(space.dimensions()[2].levels, 11);
  EXPECT_EQ(space.dimensions()[3].kind, Dimension::Kind::choice);
  EXPECT_EQ(space.dimensions()[5].kind, Dimension::Kind::grid);
  EXPECT_FALSE(space.unconditional());
}

// Sweeps of older ledgers keep the floats that they recorded.
TEST(Points, a_derived_int_is_one_only_where_the_sweep_says_so) {
  DerivedDomain typed{"n * 2", true}, untyped{"n * 2"};
  const SearchSpace space = made_space(
      {{"n", FixedDomain{std::int64_t{45}}, ""}, {"typed", typed, ""}, {"untyped", untyped, ""}});
  const Params params = space.params_at(Point{});
  EXPECT_EQ(*find(params, "typed"), Value{std::int64_t{90}});
  EXPECT_EQ(*find(params, "untyped"), Value{90.0});
}

TEST(Points, a_choice_of_lists_and_null_round_trips) {
  const SearchSpace space = made_space(
      {{"net", ChoiceDomain{{JsonText{"null"}, JsonText{"[64,64]"}, std::string("null")}}, ""}});
  for (const double level : {0.0, 1.0, 2.0}) {
    const auto again = space.point_of(space.params_at(Point{level}));
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, Point{level});
  }
}

TEST(Points, round_trips_keep_every_value_and_every_inactive_coordinate) {
  const SearchSpace space = made_space(nested);
  Rng rng(5, Purpose::propose, 0);
  int inactive_seen = 0;
  for (int i = 0; i < 2000; ++i) {
    const Point point = space.uniform_point(rng);
    const Params params = space.params_at(point);
    const auto again = space.point_of(params);
    ASSERT_TRUE(again.has_value());
    for (std::size_t k = 0; k < point.size(); ++k) {
      EXPECT_EQ(std::isnan(point[k]), find(params, space.dimensions()[k].name) == nullptr);
      ASSERT_EQ(std::isnan(point[k]), std::isnan((*again)[k])) << space.dimensions()[k].name;
      inactive_seen += std::isnan(point[k]) ? 1 : 0;
      if (std::isnan(point[k])) continue;
      EXPECT_NEAR(point[k], (*again)[k], 1e-12);
    }
    Point settled = point;
    space.settle(settled);
    for (std::size_t k = 0; k < point.size(); ++k)
      EXPECT_TRUE(point[k] == settled[k] || std::isnan(point[k]));
  }
  EXPECT_GT(inactive_seen, 1000);
}

TEST(Points, conditions_nest_and_expressions_are_computed_in_file_order) {
  const SearchSpace space = made_space(nested);
  Point point{0.9, 0, 0.99, 1, 0.5, 0};
  space.settle(point);
  const Params params = space.params_at(point);
  std::string names;
  for (const Param& param : params) names += param.name + " ";
  EXPECT_EQ(names, "lr optimizer momentum nesterov damping batch last_rate warm_up layers ");
  EXPECT_EQ(*find(params, "warm_up"), Value{16.0});
  EXPECT_NEAR(std::get<double>(*find(params, "last_rate")),
              std::get<double>(*find(params, "lr")) / 10, 1e-18);

  Point adam = point;
  adam[1] = 1;  // momentum is off, so nesterov and damping are off too
  space.settle(adam);
  EXPECT_TRUE(std::isnan(adam[2]) && std::isnan(adam[3]) && std::isnan(adam[4]));
  EXPECT_EQ(find(space.params_at(adam), "damping"), nullptr);
}

TEST(Points, of_parameters_that_do_not_fit_there_are_none) {
  const SearchSpace space = made_space(nested);
  Params params = space.params_at(space.witness());
  EXPECT_TRUE(space.point_of(params).has_value());
  for (Param& param : params)
    if (param.name == "batch") param.value = std::int64_t{9};
  EXPECT_FALSE(space.point_of(params).has_value());
  params = space.params_at(space.witness());
  std::erase_if(params, [](const Param& param) { return param.name == "lr"; });
  EXPECT_FALSE(space.point_of(params).has_value());
  params = space.params_at(space.witness());
  for (Param& param : params)
    if (param.name == "layers") param.value = std::int64_t{3};  // fixed at 2
  EXPECT_FALSE(space.point_of(params).has_value());
}

TEST(Points, drawn_choices_follow_their_weights) {
  const SearchSpace space = made_space(nested);
  Rng rng(6, Purpose::propose, 0);
  int adam = 0;
  for (int i = 0; i < 10'000; ++i) adam += space.uniform_point(rng)[1] == 1 ? 1 : 0;
  EXPECT_NEAR(adam, 7500, 5 * std::sqrt(10'000 * 0.75 * 0.25));
}

TEST(Points, constraints_bind_where_all_they_read_is_active) {
  const SearchSpace space = made_space(nested, {"momentum < 0.3", "batch * lr < 0.1"});
  for (int i = 0; i < 200; ++i) {
    Rng rng(7, Purpose::propose, static_cast<std::uint64_t>(i));
    const Params params = space.params_at(space.uniform_point(rng));
    const Value* momentum = find(params, "momentum");
    const bool holds = (momentum == nullptr || std::get<double>(*momentum) < 0.3) &&
                       static_cast<double>(std::get<std::int64_t>(*find(params, "batch"))) *
                               std::get<double>(*find(params, "lr")) <
                           0.1;
    EXPECT_EQ(space.feasible(params), holds);
  }
  EXPECT_TRUE(space.feasible(space.witness()));
}

TEST(Points, names_that_come_later_are_refused_with_the_remedy) {
  const Error error =
      refusal({{"a", BoolDomain{}, "b > 1"}, {"b", IntDomain{0, 3, Scale::linear, 1, {}}, ""}});
  EXPECT_EQ(error.at, "/parameters/a/when");
  EXPECT_EQ(error.detail, "'b' is named after this one: move it before 'a'");
}

TEST(Points, unknown_names_are_refused_with_the_nearest) {
  const Error error = refusal({{"rate", FloatDomain{}, ""}, {"x", DerivedDomain{"rato * 2"}, ""}});
  EXPECT_EQ(error.at, "/parameters/x/expr");
  EXPECT_NE(error.detail.find("did you mean 'rate'?"), std::string::npos) << error.detail;
}

TEST(Points, cycles_are_refused_as_such) {
  Error error = refusal({{"a", BoolDomain{}, "a"}});
  EXPECT_EQ(error.at, "/parameters/a/when");
  EXPECT_NE(error.detail.find("a cycle"), std::string::npos);
  error = refusal(
      {{"a", BoolDomain{}, "b"}, {"b", BoolDomain{}, "c > 0"}, {"c", DerivedDomain{"a + 1"}, ""}});
  EXPECT_EQ(error.detail, "'a' and 'b' depend on each other: a cycle");
}

// Two conditions a parameter made the search for a cycle visit 2^40 paths.
TEST(Points, a_wrong_name_in_a_large_space_is_refused_at_once) {
  Space space{{"first", BoolDomain{}, "late"}, {"p0", BoolDomain{}, ""}, {"p1", BoolDomain{}, ""}};
  for (int i = 2; i < 40; ++i) {
    const std::string one = "p" + std::to_string(i - 1), two = "p" + std::to_string(i - 2);
    space.push_back({"p" + std::to_string(i), BoolDomain{}, one + " or " + two});
  }
  space.push_back({"late", BoolDomain{}, "p39 or p38"});
  EXPECT_EQ(refusal(space).detail, "'late' is named after this one: move it before 'first'");
}

TEST(Points, conditions_that_do_not_parse_are_refused_in_their_place) {
  EXPECT_EQ(refusal({{"a", BoolDomain{}, "1 +"}}).at, "/parameters/a/when");
  EXPECT_EQ(refusal({{"a", DerivedDomain{"("}, ""}}).at, "/parameters/a/expr");
  EXPECT_EQ(refusal({{"a", BoolDomain{}, ""}}, {"a", "b > 1"}).at, "/constraints/1");
}

TEST(Points, constraints_that_nothing_satisfies_are_refused) {
  const Error error = refusal({{"a", FloatDomain{}, ""}}, {"a > 0.5", "a < 0.4"});
  EXPECT_EQ(error.at, "/constraints");
  EXPECT_NE(error.detail.find("none of 100000 random parameter sets"), std::string::npos);
  // A constraint that is no condition holds nowhere.
  EXPECT_EQ(refusal({{"a", FloatDomain{}, ""}}, {"a + 1"}).at, "/constraints");
}

TEST(Points, rare_feasible_points_are_found) {
  const SearchSpace space =
      made_space({{"a", FloatDomain{}, ""}, {"b", FloatDomain{}, ""}}, {"a + b < 0.01"});
  EXPECT_TRUE(space.feasible(space.witness()));
}

TEST(Points, given_values_are_placed_and_the_rest_stays) {
  const SearchSpace space = made_space(nested);
  Point point(6, 0.5);
  space.place({{"optimizer", std::string("sgd")}, {"batch", std::int64_t{64}}, {"lr", 1e-3}},
              point);
  const Params params = space.params_at(point);
  EXPECT_EQ(*find(params, "batch"), Value{std::int64_t{64}});
  EXPECT_EQ(*find(params, "optimizer"), Value{std::string("sgd")});
  EXPECT_NEAR(std::get<double>(*find(params, "lr")), 1e-3, 1e-17);
  EXPECT_EQ(*find(params, "momentum"), Value{0.5});
}

// A ledger has values outside of their domains if an older version imported them.
TEST(Points, a_value_outside_of_its_domain_ended_the_placement) {
  const SearchSpace space = made_space(nested);
  const Point before(6, 0.5);
  for (const Value& value : {Value{std::string("none")}, Value{63.5}, Value{true}, Value{1e300}})
    for (const char* name : {"optimizer", "batch", "lr", "momentum"}) {
      Point point = before;
      space.place({{name, value}}, point);
      EXPECT_EQ(point, before) << name;
    }
}

}  // namespace
}  // namespace hone
