#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "server/search/samplers/tpe/split.hpp"
#include "tests/unit/search/sampler_given.hpp"

namespace hone {
namespace {

const Space mixed{
    {"rate", FloatDomain{1e-5, 1e-1, Scale::log, {}, {}}, ""},
    {"layers", IntDomain{1, 4, Scale::linear, 1, {}}, ""},
    {"kind", ChoiceDomain{{std::string("a"), std::string("b"), std::string("c")}, false, {}}, ""},
    {"depth", FloatDomain{0, 1, Scale::linear, {}, {}}, "kind == 'b'"},
};

// Least at rate 0.3, 3 layers, kind b, depth 0.8.
double mixed_loss(const Point& point) {
  const double rate = point[0] - 0.3, layers = point[1] - 0.625;
  const double kind = point[2] == 1 ? (point[3] - 0.8) * (point[3] - 0.8) : 0.1 + 0.1 * point[2];
  return rate * rate + layers * layers + kind;
}

TEST(Tpe, the_same_arguments_give_the_same_proposal) {
  const SearchSpace space = space_of(mixed);
  const auto sampler = tpe(space), another = tpe(space);
  const History history = run_sweep(space, *sampler, 3, 40, mixed_loss);
  std::set<Point> proposals;
  for (std::int64_t number = 0; number < 50; ++number) {
    const auto point = sampler->propose(space, history, {3, number});
    const auto again = another->propose(space, history, {3, number});
    ASSERT_EQ(space.params_at(*point), space.params_at(*again));
    proposals.insert((*point)[0] < 2 ? Point{(*point)[0]} : Point{});
  }
  EXPECT_GT(proposals.size(), 40U);
}

TEST(Tpe, finds_the_optimum_of_a_mixed_conditional_space) {
  const SearchSpace space = space_of(mixed);
  const auto sampler = tpe(space);
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    EXPECT_LT(best_loss(run_sweep(space, *sampler, seed, 80, mixed_loss)), 0.003) << seed;
}

// Summed over ten sweeps of 60 trials.
double total_loss(const SearchSpace& space, const Sampler& sampler,
                  const std::function<double(const Point&)>& loss) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    sum += best_loss(run_sweep(space, sampler, seed, 60, loss));
  return sum;
}

TEST(Tpe, beats_random_search_with_and_without_surrogate) {
  const SearchSpace space = space_of(mixed);
  const double by_random =
      total_loss(space, *std::move(make_sampler({.method = "random"}, space)).value(), mixed_loss);
  EXPECT_LT(total_loss(space, *tpe(space), mixed_loss), 0.1 * by_random);
  EXPECT_LT(total_loss(space, *tpe(space, {{"surrogate", false}}), mixed_loss), 0.9 * by_random);
}

TEST(Tpe, one_dimension_at_a_time_beats_random_search_on_a_sum) {
  Space named(4, {"", unit_float(), ""});
  for (std::size_t j = 0; j < named.size(); ++j) named[j].name = "x" + std::to_string(j);
  const SearchSpace space = space_of(named);
  const auto loss = [](const Point& point) {
    double sum = 0;
    for (const double x : point) sum += std::abs(x - 0.3);
    return sum;
  };
  const auto sampler = tpe(space, {{"surrogate", false}, {"multivariate", false}});
  const double by_random =
      total_loss(space, *std::move(make_sampler({.method = "random"}, space)).value(), loss);
  EXPECT_LT(total_loss(space, *sampler, loss), 0.8 * by_random);
}

TEST(Tpe, the_first_trials_cover_the_range_evenly) {
  const SearchSpace space = space_of({{"x", unit_float(), ""}, {"y", unit_float(), ""}});
  const auto sampler = tpe(space);
  const History none(Goal::minimize, 2);
  for (std::size_t j = 0; j < 2; ++j) {
    std::set<int> fifths;
    for (std::int64_t number = 0; number < 16; ++number)
      fifths.insert(static_cast<int>(5 * (*sampler->propose(space, none, {9, number}))[j]));
    EXPECT_EQ(fifths.size(), 5U);
  }
}

TEST(Tpe, without_surrogate_proposes_the_draw_with_the_best_ratio) {
  const SearchSpace space = space_of({{"x", unit_float(), ""}, {"y", unit_float(), ""}});
  const auto sampler = tpe(space, {{"surrogate", false}, {"explore", 0.0}});
  const History history = run_sweep(space, *sampler, 1, 30, [](const Point& point) {
    return std::abs(point[0] - 0.4) + std::abs(point[1] - 0.7);
  });
  TpeSettings settings;
  const Draw draw{1, 30};
  Rng rng = draw.rng();
  const Evidence evidence(history, 0, rng);
  const TpeSplit split(space, evidence, settings);
  const TpeDensities densities(split);
  EXPECT_EQ(split.good_count(), 3U);
  double most = -1e9;
  Point best(2), point(2);
  for (std::size_t i = 0; i < settings.candidates; ++i) {
    densities.good.draw(rng, true, point);
    const double ratio = densities.log_ratio(point);
    if (ratio > most) best = point;
    most = std::max(most, ratio);
  }
  EXPECT_EQ(*sampler->propose(space, history, draw), best);
}

// How far proposals lie from x, on average.
double mean_distance(const SearchSpace& space, const History& history, const Params& settings,
                     double x) {
  const auto sampler = tpe(space, settings);
  double sum = 0;
  for (std::int64_t number = 1000; number < 1100; ++number)
    sum += std::abs((*sampler->propose(space, history, {4, number}))[0] - x) / 100;
  return sum;
}

TEST(Tpe, pending_trials_repel_proposals) {
  const SearchSpace space = space_of({{"x", unit_float(), ""}});
  History history(Goal::minimize, 1);
  for (int i = 0; i < 20; ++i) {
    const double x = i / 19.0;
    finish(history, std::array{x}, (x - 0.5) * (x - 0.5));
  }
  for (int i = 0; i < 12; ++i) history.add_trial(std::array{0.5 + 0.002 * (i - 6)});
  for (const bool surrogate : {false, true}) {
    const double honest = mean_distance(space, history, {{"surrogate", surrogate}}, 0.5);
    const double blind =
        mean_distance(space, history, {{"surrogate", surrogate}, {"liar", false}}, 0.5);
    EXPECT_GT(honest, 1.3 * blind) << surrogate;
  }
}

TEST(Tpe, failed_trials_inform_it) {
  const SearchSpace space = space_of({{"x", unit_float(), ""}, {"y", unit_float(), ""}});
  const auto sampler = tpe(space);
  History history(Goal::minimize, 2);
  Rng rng(1, Purpose::simulation, 0);
  for (int i = 0; i < 40; ++i) {  // nothing separates the finished ones
    const std::array point{rng.uniform(), rng.uniform()};
    if (point[0] > 0.5)
      fail(history, point);
    else
      finish(history, point, 1 + 0.1 * point[1]);
  }
  int beyond = 0;
  for (std::int64_t number = 0; number < 100; ++number)
    beyond += (*sampler->propose(space, history, {5, number}))[0] > 0.5 ? 1 : 0;
  EXPECT_LT(beyond, 25);
}

TEST(Tpe, keeps_spreading_while_everything_fails) {
  const SearchSpace space = space_of({{"x", unit_float(), ""}});
  const auto sampler = tpe(space);
  History history(Goal::minimize, 1);
  std::set<int> tenths;
  for (std::int64_t number = 0; number < 40; ++number) {
    const Point point = *sampler->propose(space, history, {6, number});
    tenths.insert(static_cast<int>(10 * point[0]));
    fail(history, point);
  }
  EXPECT_EQ(tenths.size(), 10U);
}

TEST(Tpe, a_branch_that_looked_bad_is_visited_again) {
  const SearchSpace space =
      space_of({{"kind", BoolDomain{}, ""}, {"x", unit_float(), ""}, {"y", unit_float(), ""}});
  const auto sampler = tpe(space);
  const History history = run_sweep(space, *sampler, 2, 120, [](const Point& point) {
    const double x = point[1] - 0.2, y = point[2] - 0.9;
    return point[0] == 1 ? 4 * (x * x + y * y) : 0.3 + x * x;  // true is better, but narrow
  });
  EXPECT_LT(best_loss(history), 0.05);
  int other = 0;
  const double best = history.point(history.ranked()[0])[0];
  for (std::int64_t number = 200; number < 300; ++number)
    other += (*sampler->propose(space, history, {2, number}))[0] != best ? 1 : 0;
  EXPECT_GE(other, 3);
  EXPECT_LE(other, 60);
}

TEST(Tpe, enormous_and_equal_losses_are_no_obstacle) {
  const SearchSpace space = space_of(mixed);
  const auto sampler = tpe(space);
  const auto enormous = [](const Point& point) { return (2 * point[0] - 1) * 1.7e308; };
  EXPECT_LT(best_loss(run_sweep(space, *sampler, 1, 60, enormous)), -1e308);
  const auto outlying = [](const Point& point) { return point[0] > 0.5 ? 1e300 : point[0]; };
  EXPECT_LT(best_loss(run_sweep(space, *sampler, 1, 60, outlying)), 0.05);
  const History equal = run_sweep(space, *sampler, 1, 60, [](const Point&) { return 1.0; });
  std::set<double> rates;
  for (std::size_t i = 0; i < 60; ++i) rates.insert(equal.point(i)[0]);
  EXPECT_GT(rates.size(), 50U);
}

TEST(Tpe, a_small_space_that_is_used_up_is_no_obstacle) {
  const SearchSpace space =
      space_of({{"a", BoolDomain{}, ""}, {"b", IntDomain{1, 2, Scale::linear, 1, {}}, ""}});
  const auto sampler = tpe(space, {{"startup", std::int64_t{2}}});
  const History history =
      run_sweep(space, *sampler, 8, 30, [](const Point& point) { return point[0] + point[1]; });
  std::set<Point> seen;
  for (std::size_t i = 0; i < 10; ++i)
    seen.insert(Point(history.point(i).begin(), history.point(i).end()));
  EXPECT_EQ(seen.size(), 4U);  // and no value is tried again before all were
}

TEST(Tpe, constraints_hold_for_every_proposal) {
  const SearchSpace space =
      space_of({{"x", unit_float(), ""}, {"y", unit_float(), ""}}, {"x + y < 1"});
  const auto sampler = tpe(space);
  const History history = run_sweep(space, *sampler, 11, 60, [](const Point& point) {
    return (point[0] - 0.7) * (point[0] - 0.7) + (point[1] - 0.7) * (point[1] - 0.7);
  });
  for (std::size_t i = 0; i < history.trials().size(); ++i)
    EXPECT_LT(history.point(i)[0] + history.point(i)[1], 1);
  EXPECT_LT(best_loss(history), 0.09);  // 0.08 on the edge
}

TEST(Tpe, settings_out_of_range_and_unknown_ones_are_refused) {
  const SearchSpace space = space_of(mixed);
  const std::vector<Params> wrong{{{"gamma", 1.5}},
                                  {{"startup", std::int64_t{0}}},
                                  {{"candidates", std::string("many")}},
                                  {{"gama", 0.1}}};
  for (const Params& settings : wrong) {
    SearchSpec search;
    search.method = "tpe";
    search.settings = settings;
    const auto made = make_sampler(search, space);
    ASSERT_FALSE(made.ok()) << settings[0].name;
    EXPECT_EQ(made.error().at.rfind("/search", 0), 0U) << made.error().at;
  }
}

TEST(TpeFocus, distance_is_infinite_between_branches) {
  const SearchSpace space = space_of(mixed);
  const Point a{0.2, 0.125, 0, inactive}, b{0.5, 0.125, 0, inactive}, c{0.2, 0.125, 1, 0.4};
  EXPECT_NEAR(distance(space, a, b), 0.3 / std::sqrt(3), 1e-12);
  EXPECT_TRUE(std::isinf(distance(space, a, c)));
  const Focus branch{Focus::Kind::branch, 2, 1};
  EXPECT_TRUE(branch.allows(space, a, c));
  EXPECT_FALSE(branch.allows(space, a, b));
  EXPECT_FALSE((Focus{Focus::Kind::branch, 3, 0.4}).allows(space, a, b));
  EXPECT_TRUE((Focus{Focus::Kind::elsewhere, 0, 0}).allows(space, a, c));
  EXPECT_FALSE((Focus{Focus::Kind::elsewhere, 0, 0}).allows(space, a, a));
}

}  // namespace
}  // namespace hone
