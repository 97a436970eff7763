// The numbers were computed by an independent program from the formulas of tpe_process.hpp and, to
// 60 digits, of log_expected_improvement.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "server/search/samplers/tpe/fits.hpp"
#include "server/search/samplers/tpe/process.hpp"
#include "server/search/samplers/tpe/surrogate.hpp"

namespace hone {
namespace {

// A real and a choice; the last of four points is pending.
class Process : public testing::Test {
 protected:
  const std::array<double, 8> columns_{0.1, 0.5, 0.9, 0.3, 0, 1, 1, 0};
  const std::array<std::uint8_t, 2> choice_{0, 1};
  const std::array<double, 3> values_{1, -0.5, 0.25};
  const ProcessShape shape_{{4, 0.7}, 0.01};
};

TEST_F(Process, likelihood_counts_observed_points_only) {
  GaussianProcess process({columns_, 4}, choice_);
  ASSERT_TRUE(process.fit(shape_, values_));
  EXPECT_NEAR(process.log_likelihood(), 0.652003520466668, 1e-9);
  ASSERT_EQ(process.means().size(), 3U);
  EXPECT_NEAR(process.means()[1], -0.479361599013797, 1e-9);  // of the three, the least
}

TEST_F(Process, pending_points_take_uncertainty_away_and_leave_the_mean) {
  GaussianProcess process({columns_, 4}, choice_);
  ASSERT_TRUE(process.fit(shape_, values_));
  const std::array<double, 6> at{0.2, 0.6, 0.95, 0, 1, 0};
  const Prediction predicted = process.predict({at, 3});
  constexpr double single = 1e-5;  // predictions are made in single precision
  EXPECT_NEAR(predicted.mean[0], 0.848141441610708, single);
  EXPECT_NEAR(predicted.mean[1], -0.397254618818116, single);
  EXPECT_NEAR(predicted.mean[2], 0.460864115121108, single);
  EXPECT_NEAR(predicted.spread[0], 0.091677540229248, single);
  EXPECT_NEAR(predicted.spread[1], 0.164458963178038, single);
  EXPECT_NEAR(predicted.spread[2], 0.675142315107941, single);
}

TEST_F(Process, slopes_are_the_differences_of_the_likelihood) {
  const std::array<double, 10> columns{0.1, 0.4, 0.75, 0.3, 0.9, 0, 1, 0, 0, 1};
  const std::array<double, 5> values{1.2, -0.5, 0.4, 0.1, -1.0};
  GaussianProcess process({columns, 5}, choice_);
  ASSERT_TRUE(process.fit(shape_, values));
  const auto slopes = process.slopes();
  ASSERT_EQ(slopes.size(), 2U);
  for (std::size_t j = 0; j < 2; ++j) {
    constexpr double step = 1e-4;
    std::array<double, 2> at{};
    for (std::size_t side = 0; side < 2; ++side) {
      auto shape = shape_;
      shape.weights[j] *= std::exp(side == 0 ? -step : step);
      ASSERT_TRUE(process.fit(shape, values));
      at.at(side) = process.log_likelihood();
    }
    EXPECT_NEAR(slopes[j], (at[1] - at[0]) / (2 * step), 1e-5) << j;
    EXPECT_GT(std::abs(slopes[j]), 1e-2) << "nothing was tested";
  }
}

TEST(Fits, a_dimension_that_does_not_matter_gets_a_wide_kernel) {
  // Points of a recurrence; the losses follow the first dimension alone.
  constexpr std::size_t n = 32;
  TrainingSet set;
  set.observed = n;
  set.choice = {0, 0};
  set.spreads = {1, 1};  // the best trials tell nothing
  set.columns.resize(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto k = static_cast<double>(i);
    set.trials.push_back(static_cast<std::uint32_t>(i));
    set.columns[i] = k / n;
    set.columns[n + i] = std::fmod(0.5 + 0.6180339887498949 * k, 1.0);
    set.scaled.push_back(k * k / 64);
  }
  double ratio = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed, Purpose::simulation, 0);
    const auto weights = choose_fit(set, Focus{}, rng).shape.weights;
    ratio += std::log(weights[0] / weights[1]) / 20;
  }
  EXPECT_GT(ratio, 0.7) << "of the logarithms of weights";
}

TEST_F(Process, a_singular_covariance_is_refused) {
  const std::array<double, 4> twice{0.5, 0.5, 1, 1};
  GaussianProcess process({twice, 2}, choice_);
  EXPECT_FALSE(process.fit({{4, 0.7}, 0}, std::array{1.0, 1.0}));
}

TEST(ExpectedImprovement, is_exact_far_into_the_tail) {
  EXPECT_NEAR(log_expected_improvement(2.5), 0.917092065592164, 1e-9);
  EXPECT_NEAR(log_expected_improvement(0), -0.918938533204673, 1e-9);
  EXPECT_NEAR(log_expected_improvement(-1), -2.48512102571264, 1e-9);
  EXPECT_NEAR(log_expected_improvement(-4.9), -16.2128164078977, 1e-9);
  EXPECT_NEAR(log_expected_improvement(-5.1), -17.2851857747048, 1e-9);
  EXPECT_NEAR(log_expected_improvement(-8), -37.1223642616926, 1e-9);
  EXPECT_NEAR(log_expected_improvement(-25.0001) - log_expected_improvement(-24.9999), -0.005,
              1e-4);
  EXPECT_GT(log_expected_improvement(-1e4), -1e9);
}

}  // namespace
}  // namespace hone
