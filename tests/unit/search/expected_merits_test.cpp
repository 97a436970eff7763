// What a model expects of noisy trials, against functions whose truth is known.
#include "server/search/seeds/expected_merits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "schemas/types/space.hpp"
#include "server/search/seeds/leaders.hpp"

namespace hone {
namespace {

using Truth = std::function<double(std::span<const double>)>;
using Noise = std::function<double(Rng&)>;

double bowl(std::span<const double> x) {
  return -std::pow(x[0] - 0.3, 2) - 2 * std::pow(x[1] - 0.6, 2);
}
double none(Rng&) { return 0; }
double normal(Rng& rng) { return 0.15 * rng.normal(); }
double heavy(Rng& rng) {  // Student's t with 2 degrees of freedom
  const double a = rng.normal(), b = rng.normal();
  return 0.1 * rng.normal() / std::sqrt((a * a + b * b) / 2);
}

SearchSpace square() {
  const FloatDomain unit{0, 1, Scale::linear, {}, {}};
  return *SearchSpace::make({{"x", unit, ""}, {"y", unit, ""}}, {});
}

// A sweep of so many uniform trials that report once.
struct Sampled {
  Sampled(std::size_t trials, const Truth& truth, const Noise& noise, std::uint64_t seed = 1)
      : history(Goal::maximize, 2) {
    Rng points(seed, Purpose::simulation, 0), luck(seed, Purpose::simulation, 1);
    for (std::size_t i = 0; i < trials; ++i) {
      const Point point{points.uniform(), points.uniform()};
      truths.push_back(truth(point));
      const std::size_t run = history.add_run(history.add_trial(point));
      history.add_report(run, 0, Score::of(truths.back() + noise(luck)));
      history.end_run(run, true, true);
    }
  }
  [[nodiscard]] ExpectedMerits expected() const { return expected_merits(square(), history); }
  // How far the named trial is from the best tried one.
  [[nodiscard]] double regret(std::size_t named) const {
    return *std::ranges::max_element(truths) - truths[named];
  }
  History history;
  std::vector<double> truths;
};

TEST(ExpectedMerits, are_none_where_there_is_no_noise) {
  for (const std::size_t trials : {20U, 60U, 200U}) {
    const ExpectedMerits found = Sampled(trials, bowl, none).expected();
    EXPECT_TRUE(found.trials.empty()) << trials;
    EXPECT_EQ(found.noise, 0);
  }
}

// A smooth process takes the waves for noise, although trials close to each other deviate alike.
TEST(ExpectedMerits, are_none_of_a_rough_function_without_noise) {
  const auto waves = [](std::span<const double> x) {
    return 4 * bowl(x) + 0.3 * std::cos(25 * x[0]) + 0.3 * std::cos(25 * x[1]);
  };
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    EXPECT_TRUE(Sampled(200, waves, none, seed).expected().trials.empty()) << seed;
    EXPECT_FALSE(Sampled(
                     200, waves, [](Rng& rng) { return 2 * normal(rng); }, seed)
                     .expected()
                     .trials.empty())
        << seed;
  }
}

TEST(ExpectedMerits, are_none_of_too_few_trials) {
  EXPECT_TRUE(Sampled(15, bowl, normal).expected().trials.empty());
  EXPECT_TRUE(Sampled(0, bowl, normal).expected().trials.empty());
}

TEST(ExpectedMerits, name_a_better_trial_than_the_luckiest_one) {
  for (const Noise& noise : {Noise(normal), Noise(heavy)}) {
    double named = 0, luckiest = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const Sampled sweep(150, bowl, noise, seed);
      const ExpectedMerits found = sweep.expected();
      ASSERT_FALSE(found.trials.empty()) << seed;
      named += sweep.regret(found.trials.front().trial);
      luckiest += sweep.regret(find_leaders(sweep.history, 1).front());
    }
    EXPECT_LT(named, luckiest / 2);
  }
}

TEST(ExpectedMerits, estimate_the_share_of_noise) {
  const Sampled sweep(200, bowl, normal);
  double squares = 0, sum = 0;
  for (const double truth : sweep.truths) sum += truth, squares += truth * truth;
  const double between = squares / 200 - sum * sum / 40000, within = 0.15 * 0.15;
  const double noise = sweep.expected().noise;
  EXPECT_GT(noise, within / (within + between) / 3);
  EXPECT_LT(noise, within / (within + between) * 3);
}

TEST(ExpectedMerits, are_shrunk_to_one_value_where_all_trials_are_alike) {
  const Sampled sweep(
      100, [](std::span<const double>) { return 5.0; }, normal);
  const ExpectedMerits found = sweep.expected();
  ASSERT_FALSE(found.trials.empty());
  EXPECT_GT(found.noise, 0.5);
  for (const ExpectedMerit& one : found.trials) EXPECT_NEAR(one.merit, 5, 0.15);
}

TEST(ExpectedMerits, lie_within_what_was_reported_and_within_their_spread) {
  const Sampled sweep(120, bowl, heavy);
  double least = 1e9, most = -1e9;
  for (std::size_t i = 0; i < 120; ++i) {
    least = std::min(least, sweep.history.outcome(i).merit);
    most = std::max(most, sweep.history.outcome(i).merit);
  }
  const ExpectedMerits found = sweep.expected();
  ASSERT_FALSE(found.trials.empty());
  double before = most;
  for (const ExpectedMerit& one : found.trials) {
    EXPECT_LE(one.merit, before) << "best first";
    before = one.merit;
    EXPECT_LE(one.low, one.merit);
    EXPECT_GE(one.high, one.merit);
    EXPECT_GE(one.low, least);
    EXPECT_LE(one.high, most);
  }
}

TEST(ExpectedMerits, are_of_a_bounded_number_of_trials_and_the_same_each_time) {
  const Sampled sweep(3000, bowl, normal);
  const ExpectedMerits once = sweep.expected(), again = sweep.expected();
  ASSERT_EQ(once.trials.size(), 64U);
  for (std::size_t i = 0; i < once.trials.size(); ++i) {
    EXPECT_EQ(once.trials[i].trial, again.trials[i].trial);
    EXPECT_EQ(once.trials[i].merit, again.trials[i].merit);
  }
}

TEST(ExpectedMerits, of_many_trials_include_the_best) {
  const Sampled sweep(6000, bowl, normal);
  const auto leaders = find_leaders(sweep.history, 5);
  const auto trials = comparable_trials(sweep.history, 1000);
  EXPECT_LE(trials.size(), 1000U);
  EXPECT_TRUE(std::equal(leaders.begin(), leaders.end(), trials.begin()));
  const auto merit = [&](std::size_t trial) { return sweep.history.outcome(trial).merit; };
  for (std::size_t i = 1; i < trials.size(); ++i) ASSERT_GT(merit(trials[i - 1]), merit(trials[i]));
  EXPECT_LT(merit(trials.back()), merit(find_leaders(sweep.history, 6000)[5900]));
}

// They took seconds of the engine.
TEST(ExpectedMerits, are_none_of_many_parameters) {
  for (const std::size_t parameters : {16U, 17U}) {
    Space described;
    for (std::size_t j = 0; j < parameters; ++j)
      described.push_back({"x" + std::to_string(j), FloatDomain{0, 1, Scale::linear, {}, {}}, ""});
    History history(Goal::maximize, parameters);
    Rng luck(1, Purpose::simulation, 0);
    for (int i = 0; i < 60; ++i) {
      const std::size_t run = history.add_run(history.add_trial(Point(parameters, 0.5)));
      history.add_report(run, 0, Score::of(luck.normal()));
    }
    EXPECT_EQ(expected_merits(*SearchSpace::make(described, {}), history).trials.empty(),
              parameters == 17);
  }
}

// Computed by the version that recorded the ledgers of these rules.
TEST(ExpectedMerits, of_earlier_rules_are_the_same_again) {
  const Sampled sweep(200, bowl, normal);
  const ExpectedMerits found = expected_merits(square(), sweep.history, earlier_estimate_effort);
  ASSERT_EQ(found.trials.size(), 64U);
  EXPECT_EQ(found.trials.front().trial, 130U);
  EXPECT_NEAR(found.trials.front().merit, -0x1.5fe6130cdca16p-6, 1e-12);
  EXPECT_NEAR(found.trials.front().low, -0x1.c2ba58062d357p-5, 1e-12);
  EXPECT_NEAR(found.trials.front().high, 0x1.8b5113e542539p-7, 1e-12);
}

TEST(ExpectedMerits, leave_out_trials_that_cannot_be_compared) {
  Sampled sweep(60, bowl, normal);
  // One trial trains for ten phases: those of one phase are too short.
  const std::size_t run = sweep.history.add_run(sweep.history.add_trial(Point{0.5, 0.5}));
  for (int phase = 0; phase < 10; ++phase) sweep.history.add_report(run, phase, Score::of(1));
  EXPECT_TRUE(sweep.expected().trials.empty());
}

TEST(ExpectedMerits, of_equal_values_are_none) {
  const auto same = [](std::span<const double>) { return 1.0; };
  EXPECT_TRUE(Sampled(50, same, none).expected().trials.empty());
}

TEST(ExpectedMerits, are_due_rarely_in_a_large_sweep) {
  int due = 0;
  for (std::int64_t reports = 0; reports <= 1'000'000; ++reports) due += is_due(reports) ? 1 : 0;
  EXPECT_FALSE(is_due(15));
  EXPECT_TRUE(is_due(16));
  EXPECT_LT(due, 120);
}

TEST(Leaders, are_sorted_by_what_is_expected_of_them) {
  Sampled sweep(4, bowl, none);
  const auto by_value = find_leaders(sweep.history, 9);
  sweep.history.note_expected(by_value[3], 0.1);
  sweep.history.note_expected(by_value[2], 0.2);
  EXPECT_EQ(find_leaders(sweep.history, 9),
            (std::vector<std::size_t>{by_value[2], by_value[3], by_value[0], by_value[1]}));
  sweep.history.forget_expected();
  EXPECT_EQ(find_leaders(sweep.history, 9), by_value);
}

}  // namespace
}  // namespace hone
