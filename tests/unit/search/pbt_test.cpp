// Population-based training: how members explore and whom they follow.
#include <gtest/gtest.h>

#include <cmath>

#include "server/search/samplers/population/population.hpp"
#include "server/search/space/space.hpp"
#include "tests/unit/search/play.hpp"

namespace hone {
namespace {

const Space pbt_parameters{
    {"rate", FloatDomain{1e-5, 1e-1, Scale::log, {}, {}}, ""},
    {"steps", IntDomain{1, 64, Scale::log, 1, {}}, ""},
    {"share", FloatDomain{0, 1, Scale::linear, 0.25, {}}, ""},
    {"size", ChoiceDomain{{std::int64_t{8}, std::int64_t{16}, std::int64_t{32}}, true, {}}, ""},
    {"kind", ChoiceDomain{{std::string("a"), std::string("b")}, false, {}}, ""},
    {"width", IntDomain{1, 512, Scale::linear, 1, {}}, ""},
    {"end", DerivedDomain{"rate * 0.1"}, ""},
};
const std::vector<std::string> changeable{"rate", "steps", "share", "size", "kind", "end"};

Params given_params(double rate = 1e-3, std::int64_t steps = 2) {
  return {{"rate", rate},
          {"steps", steps},
          {"share", 0.5},
          {"size", std::int64_t{16}},
          {"kind", std::string("a")},
          {"width", std::int64_t{300}},
          {"end", rate * 0.1}};
}

SearchSpace pbt_space(const std::vector<std::string>& constraints = {}) {
  return std::move(SearchSpace::make(pbt_parameters, constraints)).value();
}

Params explored(std::uint64_t number, const Population& how, const Params& of = given_params(),
                const std::vector<std::string>& constraints = {}) {
  return explore(pbt_space(constraints), of, changeable, how, {7, Purpose::explore, number});
}

TEST(Explore, multiplies_numbers_by_a_factor_and_moves_steps_to_a_neighbour) {
  Population how;
  how.resample = 0;
  for (std::uint64_t number = 0; number < 100; ++number) {
    const Params params = explored(number, how);
    const double rate = std::get<double>(*find(params, "rate"));
    EXPECT_TRUE(rate == 1e-3 * 0.8 || rate == 1e-3 * 1.2) << rate;
    const auto steps = std::get<std::int64_t>(*find(params, "steps"));
    EXPECT_TRUE(steps == 1 || steps == 3) << steps;  // 1.6 and 2.4 round to 2: one step instead
    const double share = std::get<double>(*find(params, "share"));
    EXPECT_TRUE(share == 0.25 || share == 0.75) << share;
    const auto size = std::get<std::int64_t>(*find(params, "size"));
    EXPECT_TRUE(size == 8 || size == 32) << size;
    EXPECT_EQ(*find(params, "kind"), Value(std::string("a")));
    EXPECT_EQ(*find(params, "width"), Value(std::int64_t{300}));  // it may not change
    EXPECT_NEAR(std::get<double>(*find(params, "end")), rate * 0.1, 1e-12);
  }
}

TEST(Explore, stays_within_the_bounds) {
  Population how;
  how.resample = 0;
  how.perturb = {1.5};
  const Params params = explored(1, how, given_params(0.09, 64));
  EXPECT_EQ(*find(params, "rate"), Value(0.1));
  EXPECT_EQ(*find(params, "steps"), Value(std::int64_t{64}));
}

TEST(Explore, draws_from_the_prior_with_the_given_probability) {
  Population how;
  how.resample = 0.25;
  int drawn = 0;
  for (std::uint64_t number = 0; number < 2000; ++number) {
    const double rate = std::get<double>(*find(explored(number, how), "rate"));
    drawn += rate == 1e-3 * 0.8 || rate == 1e-3 * 1.2 ? 0 : 1;
  }
  EXPECT_NEAR(drawn / 2000.0, 0.25, 0.04);
}

TEST(Explore, keeps_the_constraints_or_changes_nothing) {
  Population how;
  how.resample = 0;
  for (std::uint64_t number = 0; number < 50; ++number)
    EXPECT_LE(
        std::get<double>(*find(explored(number, how, given_params(), {"rate < 0.001"}), "rate")),
        1e-3);
  how.perturb = {2};
  const Params stuck{given_params(1e-3, 2)};
  EXPECT_EQ(explored(1, how, stuck, {"rate <= 0.001"}), stuck);
}

TEST(Explore, leaves_out_moves_that_would_change_what_may_not_change) {
  Space parameters = pbt_parameters;
  parameters.push_back({"extra", FloatDomain{0, 1, Scale::linear, {}, {}}, "kind == 'b'"});
  const SearchSpace space = std::move(SearchSpace::make(parameters, {})).value();
  const std::vector<std::string> names{"rate", "steps", "share", "size", "kind"};  // not "end"
  Population how;
  how.resample = 0.5;
  int moved = 0;
  for (std::uint64_t number = 0; number < 100; ++number) {
    const Params params = explore(space, given_params(), names, how, {7, Purpose::explore, number});
    EXPECT_EQ(*find(params, "rate"), Value(1e-3));  // else "end" would change
    EXPECT_EQ(*find(params, "end"), Value(1e-3 * 0.1));
    EXPECT_EQ(*find(params, "kind"), Value(std::string("a")));  // else "extra" would appear
    EXPECT_EQ(find(params, "extra"), nullptr);
    moved += *find(params, "size") != Value(std::int64_t{16}) ? 1 : 0;
  }
  EXPECT_GT(moved, 50);
}

// Each of these parameters decides whether one that may not change is active, so that every move is
// tried alone; without a bound one proposal takes minutes.
TEST(Explore, ends_soon_where_a_thousand_moves_are_not_permitted) {
  Space parameters;
  std::vector<std::string> names;
  Params of;
  for (int i = 0; i < 500; ++i) {
    const std::string name = "p" + std::to_string(i);
    names.push_back(name);
    parameters.push_back({name, FloatDomain{0.001, 1, Scale::linear, {}, {}}, ""});
    of.push_back({name, 0.5});
  }
  for (int i = 0; i < 500; ++i) {
    const std::string read = "p" + std::to_string(i);
    parameters.push_back({"d" + std::to_string(i), DerivedDomain{read + "*2"}, ""});
    of.push_back({"d" + std::to_string(i), 1.0});
  }
  const SearchSpace space = std::move(SearchSpace::make(parameters, {})).value();
  EXPECT_EQ(explore(space, of, names, {}, {7, Purpose::explore, 1}), of);
}

TEST(Explore, equal_addresses_give_equal_parameters) {
  EXPECT_EQ(explored(3, {}), explored(3, {}));
  EXPECT_NE(explored(3, {}), explored(4, {}));
}

SweepShape shape_of(const Population& population, std::int64_t members, int phases) {
  SweepShape shape{members, 1, phases};
  shape.population = population;
  shape.seed = 5;
  return shape;
}

// Runs whose curves are known, all of them active.
History members_with(const std::vector<std::vector<double>>& curves, Goal goal = Goal::maximize) {
  History history(goal, 0);
  for (const auto& curve : curves) {
    const std::size_t run = history.add_run(history.add_trial({}));
    for (const double value : curve)
      history.add_report(run, static_cast<int>(history.runs()[run].merits.size()),
                         Score::of(value));
  }
  return history;
}

double input_of(const Verdict& verdict, std::string_view name) {
  for (const VerdictInput& one : verdict.inputs)
    if (one.name == name) return one.value;
  return std::nan("");
}

TEST(Truncation, the_poorest_fifth_follows_one_of_the_best_fifth) {
  std::vector<std::vector<double>> curves;
  for (int i = 0; i < 10; ++i) curves.push_back({static_cast<double>(i)});
  curves[1] = {};
  const History history = members_with(curves);
  const auto rule = made(spec_of("pbt"), shape_of({}, 10, 10));
  std::set<double> donors;
  const Verdict poor = rule->judge(history, 1, 0, Score::of(0.5));
  EXPECT_EQ(poor.reason, VerdictReason::replaced);
  EXPECT_EQ(input_of(poor, "worse"), 1);
  EXPECT_EQ(input_of(poor, "cutoff"), 2);
  EXPECT_GE(input_of(poor, "donor"), 8);
  EXPECT_EQ(rule->donor(history, 1, 0, poor), static_cast<std::size_t>(input_of(poor, "donor")));
  EXPECT_EQ(rule->judge(history, 1, 0, Score::of(2.5)).reason, VerdictReason::good_enough);
  const auto inverse = members_with(curves, Goal::minimize);
  EXPECT_EQ(rule->judge(inverse, 1, 0, Score::of(8.5)).reason, VerdictReason::replaced);
  EXPECT_LE(input_of(rule->judge(inverse, 1, 0, Score::of(8.5)), "donor"), 2);
}

TEST(Truncation, follows_no_equal_and_none_whose_budget_is_used) {
  const auto rule = made(spec_of("pbt"), shape_of({}, 3, 3));
  EXPECT_EQ(rule->judge(members_with({{1}, {}, {1}}), 1, 0, Score::of(1)).reason,
            VerdictReason::good_enough);
  EXPECT_EQ(rule->judge(members_with({{1, 2, 9}, {}, {1}}), 1, 0, Score::of(0)).reason,
            VerdictReason::good_enough);
}

TEST(TTest, follows_a_significantly_better_member_only) {
  Population how;
  how.exploit = Exploit::t_test;
  const auto rule = made(spec_of("pbt"), shape_of(how, 2, 10));
  const Verdict far = rule->judge(members_with({{1, 1.1, 0.9}, {5, 5.1, 4.9}}), 0, 3, Score::of(1));
  EXPECT_EQ(far.reason, VerdictReason::replaced);
  EXPECT_LT(input_of(far, "p"), 0.05);
  EXPECT_EQ(input_of(far, "donor"), 1);
  const Verdict near = rule->judge(members_with({{1, 9, 2}, {2, 8, 3}}), 0, 3, Score::of(8));
  EXPECT_EQ(near.reason, VerdictReason::good_enough);
  EXPECT_GT(input_of(near, "p"), 0.05);
}

TEST(Ready, members_are_compared_at_their_ready_points_only) {
  Population how;
  how.ready = 3;
  const auto rule = made(spec_of("pbt"), shape_of(how, 2, 9));
  const History history = members_with({{}, {9}});
  EXPECT_EQ(rule->judge(history, 0, 0, Score::of(0)).reason, VerdictReason::between_rungs);
  EXPECT_EQ(rule->judge(members_with({{0, 0}, {9}}), 0, 2, Score::of(0)).reason,
            VerdictReason::replaced);
}

}  // namespace
}  // namespace hone
