// Against SciPy 1.17.1: rankdata, friedmanchisquare, studentized_range, chi2.sf,
// wilcoxon(method="exact"), and the enumeration of all signs where there are ties.
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "schemas/types/aggregate.hpp"
#include "server/search/statistics/bootstrap.hpp"
#include "study/statistics/intervals.hpp"
#include "study/statistics/pairs.hpp"
#include "study/statistics/ranks.hpp"
#include "study/statistics/sequential.hpp"

namespace hone::study {
namespace {

constexpr double tolerance = 1e-9;
const std::vector<Block> blocks{
    {.9, .8, .7, .6}, {.5, .7, .6, .1}, {.9, .9, .2, .3}, {.4, .3, .2, .1}, {.8, .9, .5, .5}};

TEST(StudyRanks, equal_scipy) {
  EXPECT_EQ(mean_ranks(blocks), (std::vector<double>{1.7, 1.5, 3.1, 3.7}));
  const Friedman test = friedman(blocks);
  EXPECT_NEAR(test.chi_square, 10.75, tolerance);
  EXPECT_NEAR(test.p, 0.01315745941944372, tolerance);
  EXPECT_EQ(friedman(std::vector<Block>{{1, 1}, {2, 2}}).p, 1);
  EXPECT_NEAR(chi_square_tail(3.84, 1), 0.05004352124870519, tolerance);
  EXPECT_NEAR(chi_square_tail(0.5, 4), 0.9735009788392561, tolerance);
  EXPECT_NEAR(chi_square_tail(30, 9), 0.00043872177097947936, tolerance);
  EXPECT_NEAR(chi_square_tail(2, 9), 0.9914676066288135, tolerance);
}

TEST(StudyRanks, critical_differences_equal_scipy_and_demsar) {
  EXPECT_NEAR(normal_range_cdf(1, 3), 0.24071264122933875, 1e-7);
  EXPECT_NEAR(normal_range_cdf(3, 3), 0.9144574283450421, 1e-7);
  EXPECT_NEAR(normal_range_cdf(4, 8), 0.9119567886453371, 1e-7);
  EXPECT_NEAR(critical_difference(2, 10, 0.05), 0.6197950323045613, 1e-6);
  EXPECT_NEAR(critical_difference(4, 14, 0.05), 1.2535591471176057, 1e-6);
  EXPECT_NEAR(critical_difference(10, 20, 0.05), 3.028996417034437, 1e-6);
}

TEST(StudyRanks, groups_are_maximal) {
  EXPECT_EQ(groups_within(std::vector<double>{1, 1.5, 2.2, 4}, 1),
            (std::vector<RankGroup>{{0, 1}, {1, 2}}));
  EXPECT_TRUE(groups_within(std::vector<double>{1, 3}, 1).empty());
}

TEST(StudyPairs, signed_ranks_equal_scipy_and_the_enumeration_of_ties) {
  const std::vector<double> x{1.1, 2.5, 3.2, 4.8, 5.0, 6.1, 7.7, 8.2};
  const std::vector<double> y{1.0, 2.9, 2.2, 4.1, 3.0, 6.6, 5.2, 8.1};
  EXPECT_NEAR(signed_rank_p(x, y), 0.1484375, tolerance);
  EXPECT_NEAR(signed_rank_p(y, x), 0.1484375, tolerance);
  const std::vector<double> ties{1, 1, -1, 2, 2, -3, 4, 4, 0.5}, zeros(9);
  EXPECT_NEAR(signed_rank_p(ties, zeros), 0.16015625, tolerance);
  EXPECT_EQ(signed_rank_p(zeros, zeros), 1);
}

// Where the exact distribution ends, the normal one continues it.
TEST(StudyPairs, many_pairs_have_nearly_the_exact_p_value) {
  std::vector<double> a, zeros(300);
  for (int i = 1; i <= 300; ++i) a.push_back(i % 9 < 4 ? -i : i);
  const double exact = signed_rank_p(a, zeros);
  a.push_back(0.5), zeros.push_back(0);
  EXPECT_NEAR(signed_rank_p(a, zeros), exact, 0.005);
}

TEST(StudyPairs, holm_and_effects_equal_hand_computed_values) {
  const std::vector<double> adjusted{0.03, 0.06, 0.06, 0.02};
  const auto got = holm(std::vector<double>{0.01, 0.04, 0.03, 0.005});
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], adjusted[i], tolerance);
  const Effect effect = effect_of(std::vector<double>{3, 5, 4}, std::vector<double>{1, 5, 1});
  EXPECT_NEAR(effect.difference, 5.0 / 3, tolerance);
  EXPECT_NEAR(effect.cohen, 5.0 / 3 / 1.5275252316519468, tolerance);
  EXPECT_NEAR(effect.better, 2.5 / 3, tolerance);
}

// A made-up study: scores of methods on problems with a known mean and noise of three kinds.
constexpr int simulations = 200, problems = 6, repetitions = 10;

double noise(Rng& rng, int problem) {
  const double draw = rng.normal();
  if (problem % 3 == 0) return 0.1 * draw;
  if (problem % 3 == 1)
    return rng.uniform() < 0.2 ? -0.3 : 0.05 * draw;  // sometimes nothing learnt
  return 0.05 * (draw * draw - 1);                    // skewed
}

Strata scores_of(double mean, int count, Rng& rng) {
  Strata rows;
  for (int problem = 0; problem < problems; ++problem) {
    auto& row = rows.emplace_back();
    for (int i = 0; i < count; ++i) row.push_back(mean + 0.04 * problem + noise(rng, problem));
  }
  return rows;
}

TEST(MadeUpStudy, intervals_cover_the_truth_as_often_as_they_say) {
  Rng many(1, Purpose::simulation, 1'000'000);
  const double truth = iqm_of(flattened(scores_of(0.5, 50'000, many)));
  int covered = 0;
  for (int i = 0; i < simulations; ++i) {
    Rng rng(1, Purpose::simulation, static_cast<std::uint64_t>(i));
    const auto scores = scores_of(0.5, repetitions, rng);
    const Interval interval = iqm_interval(scores, {7, 1000, 0.95});
    covered += interval.low <= truth && truth <= interval.high;
  }
  EXPECT_GE(covered, 0.93 * simulations);
  EXPECT_LE(covered, 0.97 * simulations);
}

TEST(MadeUpStudy, a_method_differs_from_itself_in_at_most_one_of_twenty) {
  int differs = 0;
  for (int i = 0; i < simulations; ++i) {
    Rng rng(2, Purpose::simulation, static_cast<std::uint64_t>(i));
    differs += signed_rank_p(flattened(scores_of(0.5, repetitions, rng)),
                             flattened(scores_of(0.5, repetitions, rng))) <= 0.05;
  }
  EXPECT_LE(differs, 0.05 * simulations);
}

// Repetitions of methods with these means; all repetitions that the plan allows.
std::vector<std::vector<std::vector<double>>> made_up(const std::vector<double>& means, int count,
                                                      std::uint64_t index) {
  Rng rng(3, Purpose::simulation, index);
  std::vector<std::vector<std::vector<double>>> scores;
  for (int repetition = 0; repetition < count; ++repetition) {
    auto& methods = scores.emplace_back();
    for (const double mean : means) methods.push_back(flattened(scores_of(mean, 1, rng)));
  }
  return scores;
}

TEST(MadeUpStudy, the_sequential_stop_keeps_its_error) {
  const SequentialPlan plan{0.05, 4, 20};
  int claims = 0;
  for (int i = 0; i < simulations; ++i) {
    const auto verdict =
        judge(made_up({0.5, 0.5, 0.5}, plan.most, static_cast<std::uint64_t>(i)), plan);
    EXPECT_NE(verdict.answer, Answer::open);
    claims += verdict.answer == Answer::known;
  }
  EXPECT_LE(claims, 0.05 * simulations);
}

TEST(MadeUpStudy, the_sequential_stop_finds_the_best_early) {
  const SequentialPlan plan{0.02, 4, 20};
  int early = 0;
  for (int i = 0; i < 50; ++i) {
    const auto verdict =
        judge(made_up({0.5, 0.7, 0.55}, plan.most, static_cast<std::uint64_t>(i)), plan);
    ASSERT_EQ(verdict.answer, Answer::known);
    ASSERT_EQ(verdict.best, 1U);
    early += verdict.repetitions < plan.most;
  }
  EXPECT_GE(early, 45);
}

TEST(StudyStop, looks_only_at_whole_steps) {
  const SequentialPlan plan{0.05, 4, 20};
  EXPECT_EQ(looks_of(plan), (std::vector<int>{4, 6, 9, 14, 20}));
  const auto scores = made_up({0.5, 0.9}, 20, 0);
  EXPECT_EQ(judge(std::span(scores).first(3), plan).answer, Answer::open);
  EXPECT_EQ(judge(std::span(scores).first(5), plan).repetitions, 4);
  EXPECT_EQ(judge(made_up({0.5}, 20, 0), plan).answer, Answer::unknown);
}

}  // namespace
}  // namespace hone::study
