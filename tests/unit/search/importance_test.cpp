// fANOVA against variances known by hand or found by plain integration.
#include "server/search/importance/importance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "server/search/importance/fanova.hpp"

namespace hone {
namespace {

Parameter real(const char* name, std::string when = {}) {
  return {name, FloatDomain{0, 1, Scale::linear, {}, {}}, std::move(when)};
}

Parameter choice(const char* name, std::vector<double> weights = {}) {
  return {name,
          ChoiceDomain{
              {std::string("a"), std::string("b"), std::string("c")}, false, std::move(weights)},
          {}};
}

SearchSpace space_of(const Space& parameters) {
  return std::move(SearchSpace::make(parameters, {})).value();
}

std::vector<Observation> observe(const SearchSpace& space, int trials,
                                 const std::function<double(const Point&, Rng&)>& value) {
  Rng rng(11, Purpose::simulation, 0);
  std::vector<Observation> out;
  for (int i = 0; i < trials; ++i) {
    Point point = space.uniform_point(rng);
    const double seen = value(point, rng);
    out.push_back({std::move(point), seen});
  }
  return out;
}

Importance importance_of(const SearchSpace& space, int trials,
                         const std::function<double(const Point&, Rng&)>& value) {
  return std::move(measure_importance(space, observe(space, trials, value), 5)).value();
}

double share(const Importance& importance, std::vector<std::size_t> dimensions) {
  for (const Effect& effect : importance.effects) {
    auto sorted = effect.dimensions;
    std::sort(sorted.begin(), sorted.end());
    if (sorted == dimensions) return effect.share;
  }
  ADD_FAILURE() << "no such effect";
  return 0;
}

// x0 < 1/4: 1, else 5 for category a and 3 for b and c.
Tree small_tree() {
  Tree tree;
  tree.nodes.resize(5);
  tree.nodes[0] = {0, 0.25, {}, 1, 0};
  tree.nodes[1].value = 1;
  tree.nodes[2] = {1, 0, {1, 0, 0, 0}, 3, 0};
  tree.nodes[3].value = 5;
  tree.nodes[4].value = 3;
  return tree;
}

TEST(Importance, variance_of_a_small_tree_is_that_of_the_hand_calculation) {
  const std::vector<Axis> axes{{{}, 0}, {{0.5, 0.3, 0.2, 0}, 0}};
  const TreeVariance variance(small_tree(), axes);
  // Mean: 1/4 * 1 + 3/8 * 5 + 3/8 * 3 = 3.25. Marginals: of x0 1 and 4; of the category 4 and 2.5.
  EXPECT_NEAR(variance.total(), 0.25 + 0.375 * 25 + 0.375 * 9 - 3.25 * 3.25, 1e-12);
  EXPECT_NEAR(variance.main(0), 0.25 * 2.25 * 2.25 + 0.75 * 0.75 * 0.75, 1e-12);
  EXPECT_NEAR(variance.main(1), 0.75 * 0.75, 1e-12);
  EXPECT_NEAR(variance.interaction(0, 1), variance.total() - variance.main(0) - variance.main(1),
              1e-12);
}

TEST(Importance, absence_is_a_separate_cell) {
  Tree tree;
  tree.nodes.resize(3);
  tree.nodes[0] = {0, 0, {}, 1, 0};  // absent goes left
  tree.nodes[1].value = 10;
  tree.nodes[2].value = 0;
  const TreeVariance variance(tree, {{{}, 0.2}});
  EXPECT_NEAR(variance.total(), 0.2 * 100 - 4, 1e-12);
  EXPECT_NEAR(variance.main(0), 0.2 * 100 - 4, 1e-12);
}

TEST(Importance, grown_trees_are_decomposed_as_plain_integration_would) {
  const SearchSpace space = space_of({real("x"), real("y")});
  TrialTable sheet{{{}, {}}, {{}, {}}, {}};
  for (const auto& one :
       observe(space, 200, [](const Point&p, Rng&) { return std::sin(7 * p[0]) * p[1] + p[0]; })) {
    sheet.columns[0].push_back(one.point[0]);
    sheet.columns[1].push_back(one.point[1]);
    sheet.values.push_back(one.value);
  }
  Rng rng(2, Purpose::importance, 1);
  const Tree tree = grow_tree(sheet, 3, rng);
  const TreeVariance variance(tree, sheet.axes);
  constexpr int n = 800;
  std::vector<double> rows(n), columns(n);
  double mean = 0, square = 0;
  TrialTable probe{sheet.axes, {{0}, {0}}, {0}};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      probe.columns[0][0] = (i + 0.5) / n;
      probe.columns[1][0] = (j + 0.5) / n;
      const double value = predict(tree, probe, 0);
      rows[static_cast<std::size_t>(i)] += value / n;
      columns[static_cast<std::size_t>(j)] += value / n;
      mean += value / n / n;
      square += value * value / n / n;
    }
  double main0 = 0, main1 = 0;
  for (int i = 0; i < n; ++i) {
    main0 += std::pow(rows[static_cast<std::size_t>(i)] - mean, 2) / n;
    main1 += std::pow(columns[static_cast<std::size_t>(i)] - mean, 2) / n;
  }
  const double total = square - mean * mean;
  EXPECT_NEAR(variance.total() / total, 1, 0.01);
  EXPECT_NEAR(variance.main(0) / total, main0 / total, 0.01);
  EXPECT_NEAR(variance.main(1) / total, main1 / total, 0.01);
  EXPECT_NEAR(variance.interaction(0, 1) / total, (total - main0 - main1) / total, 0.01);
}

TEST(Importance, shares_of_a_linear_function_are_those_of_its_squared_weights) {
  const SearchSpace space = space_of({real("a"), real("b"), real("c"), real("idle")});
  const Importance found =
      importance_of(space, 1000, [](const Point& p, Rng&) { return 3 * p[0] + 2 * p[1] + p[2]; });
  EXPECT_NEAR(share(found, {0}), 9.0 / 14, 0.06);
  EXPECT_NEAR(share(found, {1}), 4.0 / 14, 0.06);
  EXPECT_NEAR(share(found, {2}), 1.0 / 14, 0.06);
  EXPECT_LT(share(found, {3}), 0.01);
  EXPECT_LT(share(found, {0, 1}), 0.03);
  EXPECT_GT(found.explained, 0.9);
  EXPECT_EQ(found.effects[0].dimensions, std::vector<std::size_t>{0});
  EXPECT_GT(found.effects[0].deviation, 0);
  EXPECT_LT(found.effects[0].deviation, 0.1);
}

TEST(Importance, a_pure_interaction_belongs_to_the_pair) {
  const SearchSpace space = space_of({real("a"), real("b"), real("idle")});
  const Importance found = importance_of(
      space, 1000, [](const Point& p, Rng&) { return (p[0] < 0.5) == (p[1] < 0.5) ? 1.0 : 0.0; });
  EXPECT_GT(share(found, {0, 1}), 0.75);
  EXPECT_LT(share(found, {0}), 0.1);
  EXPECT_LT(share(found, {1}), 0.1);
  EXPECT_LT(share(found, {0, 2}), 0.1);
}

TEST(Importance, choices_count_as_often_as_their_weights_say) {
  const SearchSpace space = space_of({choice("kind", {0.8, 0.1, 0.1}), real("x")});
  // Variance of the choice: 0.1 * 0.9; of x: 1/12 * 0.36.
  const Importance found = importance_of(
      space, 800, [](const Point& p, Rng&) { return (p[0] == 2 ? 1.0 : 0.0) + 0.6 * p[1]; });
  EXPECT_NEAR(share(found, {0}), 0.09 / 0.12, 0.08);
  EXPECT_NEAR(share(found, {1}), 0.03 / 0.12, 0.08);
}

TEST(Importance, conditional_parameters_matter_where_they_are_active) {
  const SearchSpace space =
      space_of({choice("model"), real("depth", "model == 'a'"), real("rate", "model == 'b'")});
  const Importance found = importance_of(
      space, 1000, [](const Point& p, Rng&) { return std::isnan(p[1]) ? 0.5 : p[1]; });
  EXPECT_GT(share(found, {1}), 0.6);
  EXPECT_LT(share(found, {2}), 0.1);
}

TEST(Importance, noise_is_not_predicted) {
  const SearchSpace space = space_of({real("a"), real("b")});
  const Importance found =
      importance_of(space, 200, [](const Point&, Rng& rng) { return rng.normal(); });
  EXPECT_LT(found.explained, 0.15);
}

TEST(Importance, the_same_trials_and_seed_give_the_same_shares) {
  const SearchSpace space = space_of({real("a"), choice("b")});
  const auto value = [](const Point& p, Rng& rng) { return p[0] + p[1] + rng.uniform(); };
  const auto observations = observe(space, 60, value);
  const auto one = measure_importance(space, observations, 9).value();
  const auto two = measure_importance(space, observations, 9).value();
  const auto other = measure_importance(space, observations, 10).value();
  EXPECT_EQ(one.effects[0].share, two.effects[0].share);
  EXPECT_NE(one.effects[0].share, other.effects[0].share);
}

TEST(Importance, many_trials_are_thinned) {
  const SearchSpace space = space_of({real("a")});
  const Importance found = importance_of(space, 5000, [](const Point& p, Rng&) { return p[0]; });
  EXPECT_EQ(found.trials, importance_trials_max);
  EXPECT_NEAR(share(found, {0}), 1, 1e-6);
}

TEST(Importance, too_few_or_equal_trials_are_refused) {
  const SearchSpace space = space_of({real("a")});
  const auto slope = [](const Point& p, Rng&) { return p[0]; };
  EXPECT_FALSE(measure_importance(space, observe(space, 9, slope), 1).ok());
  EXPECT_TRUE(measure_importance(space, observe(space, 10, slope), 1).ok());
  const auto flat = [](const Point&, Rng&) { return 2.0; };
  EXPECT_FALSE(measure_importance(space, observe(space, 50, flat), 1).ok());
  EXPECT_FALSE(measure_importance(space_of({}), observe(space_of({}), 50, flat), 1).ok());
}

}  // namespace
}  // namespace hone
