#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "server/search/space.hpp"

namespace hone {
namespace {

double real(const Value& value) { return std::get<double>(value); }
std::int64_t whole(const Value& value) { return std::get<std::int64_t>(value); }
constexpr double nearly_one = 1 - 0x1p-53;

TEST(Space, bounds_are_inclusive_and_never_exceeded) {
  const Domain domains[] = {FloatDomain{-3, 5, Scale::linear, {}},
                            FloatDomain{1e-5, 1e-2, Scale::log, {}},
                            FloatDomain{0, 1, Scale::linear, 0.1},
                            FloatDomain{0.1, 10, Scale::log, 0.1},
                            IntDomain{2, 100, Scale::log, 1},
                            IntDomain{-4, 9, Scale::linear, 3},
                            IntDomain{1, 1000, Scale::log, 7},
                            ChoiceDomain{{0.9, 0.95, std::string("x")}},
                            BoolDomain{},
                            FixedDomain{std::int64_t{3}}};
  for (const Domain& domain : domains)
    for (int i = 0; i <= 1000; ++i) {
      const double unit = i == 1000 ? nearly_one : i / 1000.0;
      EXPECT_TRUE(contains(domain, value_at(domain, unit))) << domain.index() << " at " << unit;
    }
}

TEST(Space, log_scale_is_uniform_in_the_exponent) {
  const Domain domain = FloatDomain{1e-5, 1e-2, Scale::log, {}};
  EXPECT_DOUBLE_EQ(real(value_at(domain, 0)), 1e-5);
  EXPECT_NEAR(real(value_at(domain, 1.0 / 3)), 1e-4, 1e-16);
  EXPECT_NEAR(real(value_at(domain, 2.0 / 3)), 1e-3, 1e-15);
}

TEST(Space, steps_are_anchored_at_min_and_keep_the_last_grid_value_that_fits) {
  const Domain domain = FloatDomain{0.1, 1.0, Scale::linear, 0.4};  // 0.1, 0.5, 0.9
  EXPECT_DOUBLE_EQ(real(value_at(domain, 0)), 0.1);
  EXPECT_DOUBLE_EQ(real(value_at(domain, 0.5)), 0.5);
  EXPECT_DOUBLE_EQ(real(value_at(domain, nearly_one)), 0.9);
  const Domain tenths = FloatDomain{0, 1, Scale::linear, 0.1};
  EXPECT_DOUBLE_EQ(real(value_at(tenths, nearly_one)), 1.0);
}

TEST(Space, linear_ints_are_equally_likely) {
  std::map<std::int64_t, int> counts;
  for (int i = 0; i < 14'000; ++i)
    ++counts[whole(value_at(IntDomain{-3, 3, Scale::linear, 1}, i / 14'000.0))];
  ASSERT_EQ(counts.size(), 7U);
  for (const auto& [value, count] : counts) EXPECT_NEAR(count, 2000, 1) << value;
}

// t_max of the sweep file: quantized log-uniform on [2, 100]: P(2) is the share of [1.5, 2.5) in
// log.
TEST(Space, log_ints_are_quantized_log_uniform) {
  const int n = 1'000'000;
  int twos = 0;
  for (int i = 0; i < n; ++i)
    twos += whole(value_at(IntDomain{2, 100, Scale::log, 1}, i / double(n))) == 2;
  EXPECT_NEAR(twos / double(n), std::log(2.5 / 1.5) / std::log(100.5 / 1.5), 1e-5);
}

TEST(Space, values_keep_their_type) {
  const Domain mixed = ChoiceDomain{{std::int64_t{1}, std::string("adam"), true}};
  EXPECT_EQ(value_at(mixed, 0), Value{std::int64_t{1}});
  EXPECT_EQ(value_at(mixed, 0.4), Value{std::string("adam")});
  EXPECT_EQ(value_at(mixed, nearly_one), Value{true});
  EXPECT_FALSE(contains(mixed, Value{1.0}));
}

}  // namespace
}  // namespace hone
