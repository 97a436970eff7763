// When hone's sampler spreads its points and when it asks its model (docs/hone.md).
#include <gtest/gtest.h>

#include "server/search/history/history.hpp"
#include "server/search/samplers/sampler.hpp"
#include "tests/unit/search/sampler_given.hpp"

namespace hone {
namespace {

constexpr int draws = 100;

std::unique_ptr<Sampler> sampler(const char* method, const SearchSpace& space) {
  SearchSpec search;
  search.method = method;
  search.trials = 1000;
  return std::move(make_sampler(search, space)).value();
}

// Trials along the diagonal of the cube, each with a first report: the larger its place the better.
History trials_on_the_diagonal(std::size_t dimensions, int trials, bool finished) {
  History history(Goal::maximize, dimensions);
  for (int i = 0; i < trials; ++i) {
    const Point point(dimensions, (i + 0.5) / trials);
    const auto run = history.add_run(history.add_trial(point));
    history.add_report(run, 0, Score::of(i));
    if (finished) history.end_run(run, true, true);
  }
  return history;
}

// How many of the draws are points of the Sobol sequence.
int spread(std::size_t dimensions, const History& history) {
  const auto space = cube(dimensions);
  const auto hone = sampler("hone", space);
  const auto sobol = sampler("sobol", space);
  int count = 0;
  for (std::int64_t number = 0; number < draws; ++number) {
    const Draw draw{17, number};
    if (hone->propose(space, history, draw) == sobol->propose(space, history, draw)) ++count;
  }
  return count;
}

TEST(HoneSampler, spreads_its_points_until_a_grid_of_three_levels_would_be_full) {
  EXPECT_EQ(spread(2, trials_on_the_diagonal(2, 8, false)), draws);
  EXPECT_EQ(spread(3, trials_on_the_diagonal(3, 26, false)), draws);
  EXPECT_EQ(spread(8, trials_on_the_diagonal(8, 300, false)), draws);
}

TEST(HoneSampler, from_then_on_leaves_about_every_second_point_to_its_model) {
  for (const int trials : {9, 40}) {
    const int points = spread(2, trials_on_the_diagonal(2, trials, false));
    EXPECT_GT(points, 30);
    EXPECT_LT(points, 70);
  }
}

TEST(HoneSampler, from_a_dozen_finished_trials_on_asks_its_model_alone) {
  EXPECT_EQ(spread(8, trials_on_the_diagonal(8, 11, true)), draws);
  EXPECT_EQ(spread(8, trials_on_the_diagonal(8, 12, true)), 0);
}

TEST(HoneSampler, counts_the_values_of_a_small_choice_instead_of_three) {
  Space space{{"x", FloatDomain{}, ""}, {"b", BoolDomain{}, ""}};
  const auto compiled = *SearchSpace::make(space, {});
  const auto hone = sampler("hone", compiled);
  const auto sobol = sampler("sobol", compiled);
  const auto differs = [&](int trials) {
    History history(Goal::maximize, 2);
    for (int i = 0; i < trials; ++i)
      history.add_report(history.add_run(history.add_trial(Point{(i + 0.5) / trials, 0.25})), 0,
                         Score::of(i));
    for (std::int64_t number = 0; number < draws; ++number)
      if (hone->propose(compiled, history, {17, number}) !=
          sobol->propose(compiled, history, {17, number}))
        return true;
    return false;
  };
  EXPECT_FALSE(differs(5));
  EXPECT_TRUE(differs(6));
}

}  // namespace
}  // namespace hone
