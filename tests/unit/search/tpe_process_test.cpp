// The numbers were computed by an independent program from the formulas of tpe_process.hpp and, to
// 60 digits, of log_expected_improvement.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

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
