// The explore step of pb2: its process against closed formulas, and what its bandit chooses.
#include <gtest/gtest.h>

#include <cmath>

#include "server/search/samplers/population/bandit.hpp"
#include "server/search/samplers/population/time_varying_process.hpp"
#include "tests/unit/search/sampler_given.hpp"

namespace hone {
namespace {

TEST(TimeVaryingProcess, agrees_with_the_formulas_for_two_observations) {
  const TimeVaryingKernel kernel{2, 0.5, 0.2, 0.1};
  const std::vector<TimedInput> inputs{{0, {0.1}}, {1, {0.4}}};
  const std::vector<double> values{1, -0.5};
  const TimeVaryingProcess process(inputs, values, kernel);
  ASSERT_TRUE(process.fits());
  const double own = 2.1, shared = 2 * std::exp(-0.09 / 0.5) * std::pow(0.8, 0.5);
  const double det = own * own - shared * shared;
  const double fit = (own * (1 + 0.25) - 2 * shared * 1 * -0.5) / det;
  EXPECT_NEAR(process.log_likelihood(),
              -0.5 * fit - 0.5 * std::log(det) - std::log(2 * std::acos(-1.0)), 1e-12);
  const TimedInput at{1, {0.2}};
  const double a = 2 * std::exp(-0.01 / 0.5) * std::pow(0.8, 0.5), b = 2 * std::exp(-0.04 / 0.5);
  EXPECT_NEAR(process.mean(at), (a * (own - shared * -0.5) + b * (own * -0.5 - shared)) / det,
              1e-12);
  const double left = 2 - (own * a * a - 2 * shared * a * b + own * b * b) / det;
  EXPECT_NEAR(process.deviation(at), std::sqrt(left), 1e-12);
}

TEST(TimeVaryingProcess, the_fitted_kernel_is_likelier_than_the_default) {
  std::vector<TimedInput> inputs;
  std::vector<double> values;
  for (int i = 0; i < 40; ++i) {
    const double x = i / 40.0;
    inputs.push_back({x, {x}});
    values.push_back(std::sin(12 * x));
  }
  const TimeVaryingKernel fitted = fit_kernel(inputs, values);
  const auto likelihood = [&](const TimeVaryingKernel& kernel) {
    return TimeVaryingProcess(inputs, values, kernel).log_likelihood();
  };
  EXPECT_GT(likelihood(fitted), likelihood({}) + 10);
  EXPECT_LT(fitted.length, 0.5);
  EXPECT_LE(fitted.forgetting, 0.5);
}

const Space pb2_parameters{
    {"rate", FloatDomain{1e-4, 1, Scale::log, {}, {}}, ""},
    {"width", IntDomain{8, 64, Scale::linear, 1, {}}, ""},
    {"kind", ChoiceDomain{{std::string("a"), std::string("b")}, false, {}}, ""},
};
const std::vector<std::string> may_move{"rate", "kind"};

// Members whose gain is largest at a position of the first parameter.
BanditData gains_around(const SearchSpace& space, double best, int count) {
  BanditData data;
  for (int i = 0; i < count; ++i) {
    Rng rng(3, Purpose::simulation, static_cast<std::uint64_t>(i));
    const Point point = space.uniform_point(rng);
    const double gain = 1 - std::pow(point[0] - best, 2) * 8 + 0.02 * rng.normal();
    data.changes.push_back({1.0 + i / 4, 1.0 + i / 8, gain, point});
  }
  data.time = 1.0 + count / 4;
  data.before = 1.0 + count / 8;
  return data;
}

class Bandit : public testing::Test {
 protected:
  [[nodiscard]] Params explored(const BanditData& data, std::uint64_t number = 0) const {
    return explore_by_bandit(space_, of_, may_move, data, {7, Purpose::explore, number});
  }
  [[nodiscard]] double position(const Params& params) const {
    return space_.point_of(params).value()[0];
  }

  SearchSpace space_ = space_of(pb2_parameters);
  Params of_{{"rate", 0.01}, {"width", std::int64_t{16}}, {"kind", std::string("b")}};
};

TEST_F(Bandit, goes_where_members_gained_most) {
  for (const double best : {0.2, 0.7}) {
    const Params params = explored(gains_around(space_, best, 48));
    EXPECT_NEAR(position(params), best, 0.15);
    EXPECT_EQ(*find(params, "width"), Value(std::int64_t{16}));  // may not change
    EXPECT_EQ(*find(params, "kind"), Value(std::string("b")));   // no number
  }
}

TEST_F(Bandit, keeps_the_parameters_until_two_gains_are_known) {
  EXPECT_EQ(explored({}), of_);
  EXPECT_EQ(explored(gains_around(space_, 0.5, 1)), of_);
}

TEST_F(Bandit, forgets_gains_that_later_ones_contradict) {
  BanditData data = gains_around(space_, 0.1, 300);
  const BanditData later = gains_around(space_, 0.9, 200);
  for (RewardChange one : later.changes) one.time += 1000, data.changes.push_back(std::move(one));
  data.time = later.time + 1000;
  EXPECT_NEAR(position(explored(data)), 0.9, 0.15);
}

TEST_F(Bandit, forks_of_the_same_time_differ) {
  BanditData data = gains_around(space_, 0.5, 4);
  const double first = position(explored(data));
  for (int i = 0; i < 5; ++i) {
    Point point = space_.point_of(of_).value();
    point[0] = first;
    data.pending.push_back(point);
  }
  EXPECT_GT(std::abs(position(explored(data)) - first), 0.02);
}

TEST_F(Bandit, the_same_address_gives_the_same_parameters) {
  const BanditData data = gains_around(space_, 0.4, 30);
  EXPECT_EQ(explored(data, 3), explored(data, 3));
}

}  // namespace
}  // namespace hone
