// Textbook TPE against a second implementation: tests/bench/textbook_tpe.py printed the numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "server/search/samplers/tpe/textbook.hpp"
#include "tests/unit/search/sampler_given.hpp"

namespace hone {
namespace {

constexpr int given_trials = 20, proposal_count = 300;
// With this probability a sample of 300 deviates by more at some place: 1 % (Kolmogorov).
const double deviation_max = 1.63 / std::sqrt(proposal_count);

using Tenths = std::array<double, 9>;  // a cumulative distribution at 0.1, 0.2, ..., 0.9

Point textbook_point(int trial, std::size_t dimensions) {
  constexpr std::array steps{0.6180339887498949, 0.7548776662466927};
  Point point;
  for (std::size_t j = 0; j < dimensions; ++j)
    point.push_back(std::fmod((trial + 1) * steps[j], 1.0));
  return point;
}

// The loss is the squared distance to (0.3, 0.7).
History textbook_history(std::size_t dimensions) {
  History history(Goal::minimize, dimensions);
  for (int trial = 0; trial < given_trials; ++trial) {
    const Point point = textbook_point(trial, dimensions);
    double loss = (point[0] - 0.3) * (point[0] - 0.3);
    if (dimensions > 1) loss += (point[1] - 0.7) * (point[1] - 0.7);
    finish(history, point, loss);
  }
  return history;
}

// The densities of the best three trials of one dimension, and of the others.
struct GivenDensities {
  SearchSpace space = cube(1);
  TextbookDensity good = of(0, 3), bad = of(3, given_trials);

  TextbookDensity of(std::size_t first, std::size_t end) const {
    const History history = textbook_history(1);
    std::vector<double> coordinates;
    for (std::size_t place = first; place < end; ++place)
      coordinates.push_back(history.point(history.ranked()[place])[0]);
    return {space.dimensions()[0], coordinates};
  }
};

Params textbook(std::int64_t candidates = 24) {
  return {{"variant", std::string("textbook")}, {"candidates", candidates}};
}

std::vector<Point> proposed(std::size_t dimensions, std::int64_t candidates) {
  const SearchSpace space = cube(dimensions);
  const auto sampler = tpe(space, textbook(candidates));
  const History history = textbook_history(dimensions);
  std::vector<Point> points;
  for (int number = given_trials; number < given_trials + proposal_count; ++number)
    points.push_back(*sampler->propose(space, history, {7, number}));
  return points;
}

void expect_distribution(const std::vector<Point>& points, std::size_t axis, const Tenths& golden) {
  for (std::size_t k = 0; k < golden.size(); ++k) {
    const double place = static_cast<double>(k + 1) / 10;
    const auto below = std::count_if(points.begin(), points.end(),
                                     [&](const Point& point) { return point[axis] < place; });
    EXPECT_NEAR(static_cast<double>(below) / proposal_count, golden[k], deviation_max) << place;
  }
}

TEST(TextbookTpe, has_the_published_densities) {
  const GivenDensities given;
  const std::array good_deviations{0.270509831, 0.250000000, 0.639320225};
  ASSERT_EQ(given.good.deviations().size(), good_deviations.size());
  for (std::size_t i = 0; i < good_deviations.size(); ++i)
    EXPECT_NEAR(given.good.deviations()[i], good_deviations[i], 1e-9);
  ASSERT_EQ(given.bad.deviations().size(), 17U);
  for (std::size_t i = 0; i < 17; ++i)
    EXPECT_NEAR(given.bad.deviations()[i], i == 4 || i == 5 ? 0.180339887 : 0.055728090, 1e-9);
  const std::array places{0.0, 0.1, 0.3, 0.55, 1.0};
  const std::array l{0.943638160, 1.166851688, 1.419281789, 1.072188341, 0.443187672};
  const std::array g{0.608194199, 1.312166912, 0.328803886, 1.323825675, 0.377928904};
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_NEAR(given.good.at(places[i]), l[i], 1e-9);
    EXPECT_NEAR(given.bad.at(places[i]), g[i], 1e-9);
  }
}

TEST(TextbookTpe, proposes_with_the_published_distribution) {
  const auto by_l = proposed(1, 1), by_ratio = proposed(1, 24), on_a_plane = proposed(2, 24);
  expect_distribution(by_l, 0,
                      {0.105600503, 0.231925992, 0.371310887, 0.511184253, 0.638761140, 0.745929100,
                       0.831253846, 0.898430704, 0.953050844});
  expect_distribution(by_ratio, 0,
                      {0.000015321, 0.000042532, 0.099585924, 0.998791672, 0.999999938, 0.999999939,
                       0.999999939, 0.999999939, 0.999999939});
  expect_distribution(on_a_plane, 0,
                      {0.051662752, 0.766982309, 0.999745712, 0.999993669, 0.999996168, 0.999996264,
                       0.999996266, 0.999996266, 0.999996266});
  expect_distribution(on_a_plane, 1,
                      {0.000000234, 0.002156522, 0.002922179, 0.006497810, 0.190566910, 0.554051800,
                       0.754184263, 0.758051610, 0.762105194});
  const GivenDensities given;
  const auto mean_ratio = [&](const std::vector<Point>& points) {
    double sum = 0;
    for (const Point& point : points)
      sum += std::log(given.good.at(point[0]) / given.bad.at(point[0]));
    return sum / proposal_count;
  };
  EXPECT_NEAR(mean_ratio(by_l), 0.223636667, 0.1);
  EXPECT_NEAR(mean_ratio(by_ratio), 1.477353002, 0.02);
}

// N p_i + C_i over N + n, and cells of a grid that make up the whole range.
TEST(TextbookTpe, has_the_published_shares_of_choices_and_grids) {
  const SearchSpace space = space_of(
      {{"kind", ChoiceDomain{{std::string("a"), std::string("b"), std::string("c")}, false, {}},
        ""},
       {"layers", IntDomain{1, 5, Scale::linear, 1, {}}, ""}});
  const TextbookDensity kinds(space.dimensions()[0], {1, 1, 2});
  EXPECT_NEAR(kinds.at(0), 1.0 / 6, 1e-12);
  EXPECT_NEAR(kinds.at(1), 3.0 / 6, 1e-12);
  EXPECT_NEAR(kinds.at(2), 2.0 / 6, 1e-12);
  const TextbookDensity layers(space.dimensions()[1], {0.3, 0.3, 0.9});
  double sum = 0;
  for (const double middle : {0.1, 0.3, 0.5, 0.7, 0.9}) sum += layers.within(space.cell(1, middle));
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_GT(layers.within(space.cell(1, 0.3)), layers.within(space.cell(1, 0.5)));
}

TEST(TextbookTpe, begins_with_draws_from_the_prior) {
  const SearchSpace space = cube(2);
  const auto sampler = tpe(space, textbook());
  const auto random = std::move(make_sampler({.method = "random"}, space)).value();
  const History none(Goal::minimize, 2);
  for (std::int64_t number = 0; number < 20; ++number)
    EXPECT_EQ(sampler->propose(space, none, {3, number}),
              random->propose(space, none, {3, number}));
}

TEST(TextbookTpe, learns_from_a_branch_only_where_it_is_active) {
  const SearchSpace space =
      space_of({{"kind", ChoiceDomain{{std::string("a"), std::string("b")}, false, {}}, ""},
                {"depth", FloatDomain{0, 1, Scale::linear, {}, {}}, "kind == 'b'"}});
  const auto loss = [](const Point& point) {
    return point[0] == 0 ? 1.0 : (point[1] - 0.8) * (point[1] - 0.8);
  };
  const auto sampler = tpe(space, textbook());
  EXPECT_LT(best_loss(run_sweep(space, *sampler, 1, 60, loss)), 1e-3);
}

TEST(TextbookTpe, refuses_the_settings_of_our_own_variant_and_too_many_trials) {
  const SearchSpace space = cube(1);
  SearchSpec search{.method = "tpe", .trials = 100, .settings = textbook()};
  EXPECT_TRUE(make_sampler(search, space).ok());
  search.settings.push_back({"surrogate", false});
  EXPECT_EQ(make_sampler(search, space).error().at, "/search/surrogate");
  search.settings = {{"variant", std::string("book")}};
  EXPECT_EQ(make_sampler(search, space).error().at, "/search/variant");
  search.settings = textbook();
  search.trials = 10'001;
  EXPECT_EQ(make_sampler(search, space).error().at, "/search/trials");
}

}  // namespace
}  // namespace hone
