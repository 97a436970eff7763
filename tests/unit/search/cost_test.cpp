// The setting `cost: seconds` of the methods hone and tpe.
#include "server/search/samplers/tpe/cost.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/search/sampler_given.hpp"

namespace hone {
namespace {

// One to a hundred seconds, by the first coordinate.
double seconds_at(const Point& point) { return std::pow(100.0, point[0]); }

// The best value needs an expensive first coordinate.
double expensive(const Point& point) {
  double loss = std::exp(-4 * point[0]) - std::exp(-4.0);
  for (std::size_t i = 1; i < point.size(); ++i) loss += 2 * (point[i] - 0.3) * (point[i] - 0.3);
  return loss;
}

std::unique_ptr<Sampler> method(const std::string& name, const SearchSpace& space, bool cost) {
  SearchSpec search;
  search.method = name;
  search.trials = 100;
  if (cost) search.settings = {{"cost", std::string("seconds")}};
  return std::move(make_sampler(search, space)).value();
}

struct Sweep {
  History history;
  std::vector<Point> points;
  double seconds = 0;
};

Sweep swept(const Sampler& sampler, const SearchSpace& space, int trials, bool measured,
            std::uint64_t seed = 5) {
  Sweep sweep{History(Goal::minimize, space.dimensions().size()), {}, 0};
  for (int number = 0; number < trials; ++number) {
    const Point point = *sampler.propose(space, sweep.history, {seed, number});
    finish(sweep.history, point, expensive(point));
    const auto run = sweep.history.runs().size() - 1;
    if (measured) sweep.history.add_seconds(run, seconds_at(point));
    sweep.points.push_back(point);
    sweep.seconds += seconds_at(point);
  }
  return sweep;
}

TEST(Cost, WithoutTheSettingProposalsDoNotDependOnIt) {
  const SearchSpace space = cube(3);
  for (const char* name : {"hone", "tpe"})
    EXPECT_EQ(swept(*method(name, space, false), space, 40, true).points,
              swept(*method(name, space, false), space, 40, false).points)
        << name;
}

TEST(Cost, WithoutMeasurementsProposalsAreThoseWithoutTheSetting) {
  const SearchSpace space = cube(3);
  for (const char* name : {"hone", "tpe"})
    EXPECT_EQ(swept(*method(name, space, true), space, 40, false).points,
              swept(*method(name, space, false), space, 40, false).points)
        << name;
}

TEST(Cost, StartsAtTheCheapEndAndStillFindsAnExpensiveOptimum) {
  const SearchSpace space = cube(4);
  for (const char* name : {"hone", "tpe"}) {
    double with = 0, without = 0;
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      with += swept(*method(name, space, true), space, 12, true, seed).seconds;
      without += swept(*method(name, space, false), space, 12, true, seed).seconds;
      const Sweep whole = swept(*method(name, space, true), space, 80, true, seed);
      EXPECT_LT(best_loss(whole.history), 0.05) << name << " " << seed;
    }
    EXPECT_LT(with, 0.6 * without) << name;
  }
}

TEST(Cost, IsPredictedForEveryKindOfDimension) {
  const SearchSpace space =
      space_of({{"width", IntDomain{8, 512, Scale::log, 1, {}}, ""},
                {"net", ChoiceDomain{{std::string("mlp"), std::string("cnn")}, false, {}}, ""},
                {"layers", IntDomain{1, 4, Scale::linear, 1, {}}, "net == 'cnn'"}});
  const auto price = [](const Point& point) {
    const double layers = std::isnan(point[2]) ? 0 : point[2];
    return std::exp(3 * point[0] + (point[1] > 0 ? 1 + layers : 0));
  };
  History history(Goal::minimize, 3);
  Rng rng(3, Purpose::simulation, 0);
  for (int i = 0; i < 60; ++i) {
    const Point point = random_point(space, rng);
    finish(history, point, rng.uniform());
    history.add_seconds(static_cast<std::size_t>(i), price(point));
  }
  const CostModel model(space, history);
  ASSERT_TRUE(model.known());
  for (int i = 0; i < 40; ++i) {
    const Point point = random_point(space, rng);
    EXPECT_NEAR(model.log_seconds(point), std::log(price(point)), 0.5) << i;
  }
}

TEST(Cost, IsUnknownUntilFourTrialsAreMeasured) {
  const SearchSpace space = cube(2);
  const auto sampler = method("tpe", space, true);
  for (int trials = 0; trials < 7; ++trials) {
    const Sweep sweep = swept(*sampler, space, trials, true);
    const Draw draw{5, trials};
    const auto next = sampler->propose(space, sweep.history, draw);
    const auto cost = sampler->cost_of(space, sweep.history, draw, *next);
    EXPECT_EQ(cost.has_value(), trials >= 4) << trials;
    if (!cost) continue;
    EXPECT_GT(cost->phase_seconds, 0);
    EXPECT_TRUE(cost->weight >= 0 && cost->weight <= 1) << cost->weight;
  }
  const Sweep sweep = swept(*sampler, space, 6, true);
  EXPECT_EQ(method("tpe", space, false)->cost_of(space, sweep.history, {5, 6}, Point{0, 0}),
            std::nullopt);
}

TEST(Cost, IsAPhaseOfARunHoweverLongItTrained) {
  History history(Goal::minimize, 1);
  const auto run = history.add_run(history.add_trial(Point{0.5}));
  EXPECT_EQ(history.phase_seconds(0), std::nullopt);
  history.add_report(run, 0, Score::of(1));
  history.add_seconds(run, 10);
  EXPECT_EQ(history.phase_seconds(0), 10);
  history.add_report(run, 1, Score::of(1));
  history.add_report(run, 2, Score::of(1));
  history.add_seconds(run, 20);
  EXPECT_EQ(history.phase_seconds(0), 15);
}

TEST(Cost, IsRefusedWhereItMeansNothing) {
  const SearchSpace space = cube(2);
  const auto refusal = [&](const std::string& name, const Value& cost) {
    SearchSpec search;
    search.method = name;
    search.trials = 10;
    search.settings = {{"cost", cost}};
    return make_sampler(search, space).error();
  };
  for (const char* name : {"hone", "tpe"}) {
    EXPECT_EQ(refusal(name, std::string("money")).at, "/search/cost");
    EXPECT_NE(refusal(name, true).detail.find("must be seconds"), std::string::npos);
  }
  EXPECT_NE(refusal("random", std::string("seconds")).detail.find("has no setting 'cost'"),
            std::string::npos);
}

}  // namespace
}  // namespace hone
