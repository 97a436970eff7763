#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "server/search/samplers/cmaes/state.hpp"
#include "server/search/samplers/sampler.hpp"
#include "server/search/space/space.hpp"
#include "tests/unit/search/sampler_given.hpp"

namespace hone {
namespace {

using Objective = std::function<double(std::span<const double>)>;

// The best value after `trials`, `pending` of them always without result.
double best_of(const std::string& method, const SearchSpace& space, const Objective& objective,
               int trials, std::uint64_t seed, int pending = 0) {
  SearchSpec search;
  search.method = method;
  search.trials = trials;
  const auto sampler = *make_sampler(search, space);
  History history(Goal::minimize, space.dimensions().size());
  double best = 1e300;
  const auto tell = [&](std::size_t trial) {
    const double value = objective(history.point(trial));
    best = std::min(best, value);
    history.add_report(trial, 0, Score::of(value));
    history.end_run(trial, true, true);
  };
  for (int i = 0; i < trials; ++i) {
    const auto run =
        history.add_run(history.add_trial(*sampler->propose(space, history, {seed, i})));
    EXPECT_EQ(run, static_cast<std::size_t>(i));
    if (i >= pending) tell(static_cast<std::size_t>(i - pending));
  }
  return best;
}

double median_of(const std::string& method, const SearchSpace& space, const Objective& objective,
                 int trials, int pending = 0) {
  std::vector<double> values;
  for (std::uint64_t seed = 1; seed <= 11; ++seed)
    values.push_back(best_of(method, space, objective, trials, seed, pending));
  std::nth_element(values.begin(), values.begin() + 5, values.end());
  return values[5];
}

double sphere(std::span<const double> x) {
  double sum = 0;
  for (const double one : x) sum += (one - 0.3) * (one - 0.3);
  return sum;
}

double ellipsoid(std::span<const double> x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += std::pow(1000.0, static_cast<double>(i) / static_cast<double>(x.size() - 1)) *
           (x[i] - 0.7) * (x[i] - 0.7);
  return sum;
}

double rosenbrock(std::span<const double> unit) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < unit.size(); ++i) {
    const double x = 4 * unit[i] - 2, y = 4 * unit[i + 1] - 2;
    sum += 100 * (y - x * x) * (y - x * x) + (1 - x) * (1 - x);
  }
  return sum;
}

TEST(Cmaes, beats_random_search_by_far_on_smooth_problems) {
  const SearchSpace five = cube(5), ten = cube(10);
  EXPECT_LT(median_of("cmaes", five, sphere, 300), 1e-3 * median_of("random", five, sphere, 300));
  EXPECT_LT(median_of("cmaes", ten, sphere, 300), 0.02 * median_of("random", ten, sphere, 300));
  EXPECT_LT(median_of("cmaes", five, ellipsoid, 600),
            0.01 * median_of("random", five, ellipsoid, 600));
  EXPECT_LT(median_of("cmaes", five, rosenbrock, 600),
            0.1 * median_of("random", five, rosenbrock, 600));
}

TEST(Cmaes, learns_while_trials_are_pending) {
  const SearchSpace space = cube(5);
  EXPECT_LT(median_of("cmaes", space, sphere, 300, 8),
            0.01 * median_of("random", space, sphere, 300, 8));
}

// Krause et al. write the same strategy; 1e-10 of the sphere in 10 dimensions takes CMA-ES about
// 1800 evaluations (Hansen's tutorial, figure 6: 2000).
TEST(Cmaes, converges_as_fast_as_the_strategy_should) {
  CmaesState state(std::vector<double>(10, 0.5), 0.3);
  Rng rng(3, Purpose::simulation, 0);
  double best = 1;
  int evaluations = 0;
  while (best > 1e-10 && evaluations < 4000) {
    std::vector<std::vector<double>> points(10);
    for (auto& point : points) point = state.draw(rng);
    std::sort(points.begin(), points.end(),
              [](const auto& a, const auto& b) { return sphere(a) < sphere(b); });
    evaluations += 10;
    best = std::min(best, sphere(points.front()));
    state.update(points);
  }
  EXPECT_LT(evaluations, 2200);
}

TEST(Cmaes, an_unknown_coordinate_leaves_its_mean_and_deviation) {
  CmaesState state({0.5, 0.5}, 0.2);
  const double nan = std::nan("");
  const std::vector<std::vector<double>> points{{0.4, nan}, {0.45, nan}, {0.5, nan}, {0.6, nan}};
  for (int i = 0; i < 10; ++i) state.update(points);
  EXPECT_LT(state.mean()[0], 0.45);
  EXPECT_EQ(state.mean()[1], 0.5);
}

TEST(Cmaes, prefers_the_better_choice_and_stays_open_to_others) {
  const SearchSpace space = *SearchSpace::make(
      {{"c", ChoiceDomain{{std::int64_t{0}, std::int64_t{1}, std::int64_t{2}}, false, {}}, ""},
       {"x", FloatDomain{}, ""}},
      {});
  const auto objective = [](std::span<const double> p) {
    return (p[0] == 2 ? 0 : 1) + (p[1] - 0.2) * (p[1] - 0.2);
  };
  SearchSpec search;
  search.method = "cmaes";
  const auto sampler = *make_sampler(search, space);
  History history(Goal::minimize, 2);
  int good = 0;
  for (int i = 0; i < 200; ++i) {
    const auto point = *sampler->propose(space, history, {1, i});
    const auto run = history.add_run(history.add_trial(point));
    history.add_report(run, 0, Score::of(objective(point)));
    history.end_run(run, true, true);
    good += i >= 100 && point[0] == 2 ? 1 : 0;
  }
  EXPECT_GT(good, 80);
  EXPECT_LT(good, 100);
}

TEST(Cmaes, a_coarse_grid_does_not_freeze) {
  const SearchSpace space = *SearchSpace::make(
      {{"n", IntDomain{1, 16, Scale::linear, 1, {}}, ""}, {"x", FloatDomain{}, ""}}, {});
  const auto objective = [](std::span<const double> p) {
    return std::abs(p[0] * 16 - 12.5) + (p[1] - 0.3) * (p[1] - 0.3);
  };
  EXPECT_LT(median_of("cmaes", space, objective, 150), 1e-3);
}

TEST(Cmaes, a_warm_start_begins_where_earlier_trials_were_good) {
  const SearchSpace space = cube(4);
  History history(Goal::minimize, 4);
  for (int i = 0; i < 100; ++i) {
    Rng rng(8, Purpose::propose, static_cast<std::uint64_t>(i));
    const Point point = space.uniform_point(rng);
    history.add_foreign(point, {TrialOutcome::Grade::finished, 0, -sphere(point), {}});
  }
  SearchSpec search;
  search.method = "cmaes";
  const auto sampler = *make_sampler(search, space);
  double warm = 0, cold = 0;
  for (int i = 0; i < 64; ++i) {
    warm += sphere(*sampler->propose(space, history, {1, i})) / 64;
    cold += sphere(*sampler->propose(space, History(Goal::minimize, 4), {1, i})) / 64;
  }
  EXPECT_LT(warm, 0.6 * cold);
}

TEST(Cmaes, failed_trials_have_no_say) {
  const SearchSpace space = cube(2);
  SearchSpec search;
  search.method = "cmaes";
  const auto sampler = *make_sampler(search, space);
  History history(Goal::minimize, 2);
  for (int i = 0; i < 60; ++i)
    history.end_run(history.add_run(history.add_trial(*sampler->propose(space, history, {1, i}))),
                    false, true);
  const auto fresh = sampler->propose(space, History(Goal::minimize, 2), {1, 60});
  EXPECT_EQ(sampler->propose(space, history, {1, 60}), fresh);
}

}  // namespace
}  // namespace hone
