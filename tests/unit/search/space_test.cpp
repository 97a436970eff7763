#include "server/search/space/space.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <utility>

#include "schemas/values/member.hpp"

namespace hone {
namespace {

double real(const Value& value) { return std::get<double>(value); }
std::int64_t whole(const Value& value) { return std::get<std::int64_t>(value); }
constexpr double nearly_one = 1 - 0x1p-53;

const Domain domains[] = {
    FloatDomain{-3, 5, Scale::linear, {}, {}},
    FloatDomain{1e-5, 1e-2, Scale::log, {}, {}},
    FloatDomain{1e-5, 1e-2, Scale::log, {}, Prior{3e-4, 0.2}},
    FloatDomain{0, 1, Scale::linear, {}, Prior{0, 0.001}},
    FloatDomain{0.001, 0.999, Scale::logit, {}, {}},
    FloatDomain{0, 1, Scale::linear, 0.1, {}},
    FloatDomain{0, 1, Scale::linear, 0.1, Prior{0.5, 0.01}},
    FloatDomain{0.1, 10, Scale::log, 0.1, {}},
    FloatDomain{0.5, 0.99, Scale::logit, 0.01, Prior{0.9, 0.3}},
    FloatDomain{2, 2, Scale::linear, {}, {}},
    IntDomain{2, 100, Scale::log, 1, {}},
    IntDomain{2, 100, Scale::log, 1, Prior{5, 0.25}},
    IntDomain{-4, 9, Scale::linear, 3, {}},
    IntDomain{1, 1000, Scale::log, 7, {}},
    IntDomain{5, 5, Scale::log, 1, {}},
    IntDomain{0, 1000, Scale::linear, 1, Prior{900, 0.01}},
    ChoiceDomain{{0.9, 0.95, std::string("x")}, false, {}},
    ChoiceDomain{{std::int64_t{8}, std::int64_t{16}, std::int64_t{32}}, true, {1, 2, 5}},
    BoolDomain{},
    FixedDomain{std::int64_t{3}},
};

TEST(Space, bounds_are_inclusive_and_never_exceeded) {
  for (const Domain& domain : domains)
    for (int i = 0; i <= 1000; ++i) {
      const double unit = i == 1000 ? nearly_one : i / 1000.0;
      EXPECT_EQ(member_of(domain, value_at(domain, unit)), value_at(domain, unit))
          << domain.index() << " at " << unit;
    }
}

TEST(Space, log_scale_is_uniform_in_the_exponent) {
  const Domain domain = FloatDomain{1e-5, 1e-2, Scale::log, {}, {}};
  EXPECT_DOUBLE_EQ(real(value_at(domain, 0)), 1e-5);
  EXPECT_NEAR(real(value_at(domain, 1.0 / 3)), 1e-4, 1e-16);
  EXPECT_NEAR(real(value_at(domain, 2.0 / 3)), 1e-3, 1e-15);
}

TEST(Space, steps_are_anchored_at_min_and_keep_the_last_grid_value_that_fits) {
  const Domain domain = FloatDomain{0.1, 1.0, Scale::linear, 0.4, {}};  // 0.1, 0.5, 0.9
  EXPECT_DOUBLE_EQ(real(value_at(domain, 0)), 0.1);
  EXPECT_DOUBLE_EQ(real(value_at(domain, 0.5)), 0.5);
  EXPECT_DOUBLE_EQ(real(value_at(domain, nearly_one)), 0.9);
  const Domain tenths = FloatDomain{0, 1, Scale::linear, 0.1, {}};
  EXPECT_DOUBLE_EQ(real(value_at(tenths, nearly_one)), 1.0);
}

TEST(Space, linear_ints_are_equally_likely) {
  std::map<std::int64_t, int> counts;
  for (int i = 0; i < 14'000; ++i)
    ++counts[whole(value_at(IntDomain{-3, 3, Scale::linear, 1, {}}, i / 14'000.0))];
  ASSERT_EQ(counts.size(), 7U);
  for (const auto& [value, count] : counts) EXPECT_NEAR(count, 2000, 1) << value;
}

// t_max of the sweep file: quantized log-uniform on [2, 100]: P(2) is the share of [1.5, 2.5) in
// log.
TEST(Space, log_ints_are_quantized_log_uniform) {
  const int n = 1'000'000;
  int twos = 0;
  for (int i = 0; i < n; ++i)
    twos += whole(value_at(IntDomain{2, 100, Scale::log, 1, {}}, i / double(n))) == 2;
  EXPECT_NEAR(twos / double(n), std::log(2.5 / 1.5) / std::log(100.5 / 1.5), 1e-5);
}

TEST(Space, values_keep_their_type) {
  const Domain mixed = ChoiceDomain{{std::int64_t{1}, std::string("adam"), true}, false, {}};
  EXPECT_EQ(value_at(mixed, 0), Value{std::int64_t{1}});
  EXPECT_EQ(value_at(mixed, 0.4), Value{std::string("adam")});
  EXPECT_EQ(value_at(mixed, nearly_one), Value{true});
  EXPECT_EQ(member_of(mixed, Value{1.0}), Value{std::int64_t{1}});
}

double scale_share(double value, double low, double high) {
  return std::log(value / low) / std::log(high / low);
}

TEST(Space, a_value_lies_where_unit_of_says) {
  for (const Domain& domain : domains)
    for (int i = 0; i <= 200; ++i) {
      const Value value = value_at(domain, i / 200.0);
      const double unit = unit_of(domain, value);
      EXPECT_GE(unit, 0);
      EXPECT_LE(unit, 1);
      const Value again = value_at(domain, unit);
      if (levels(domain) > 0 || !std::holds_alternative<double>(value)) {
        EXPECT_EQ(again, value) << domain.index() << " at " << i;
      } else {
        EXPECT_NEAR(real(again), real(value), 1e-12 * (1 + std::abs(real(value))));
      }
    }
}

// Far from a narrow prior's center the normal distribution has no mass that a double could tell
// from none; what a user enqueues there must still come back.
TEST(Space, a_prior_puts_no_value_out_of_reach) {
  const Domain domain = FloatDomain{0, 1, Scale::linear, {}, Prior{0.5, 0.001}};
  for (const double value : {0.0, 0.01, 0.4, 0.6, 0.9, 1.0})
    EXPECT_NEAR(real(value_at(domain, unit_of(domain, Value{value}))), value, 1e-13);
  const Domain whole_domain = IntDomain{0, 1000, Scale::linear, 1, Prior{900, 0.001}};
  for (std::int64_t value = 0; value <= 1000; ++value)
    EXPECT_EQ(whole(value_at(whole_domain, unit_of(whole_domain, Value{value}))), value);
}

TEST(Space, cells_part_the_unit_interval) {
  for (const Domain& domain : domains) {
    const std::int64_t size = levels(domain);
    double end = 0;
    for (std::int64_t k = 0; k < size; ++k) {
      const Cell cell = cell_at(domain, end + 1e-9);
      EXPECT_NEAR(cell.low, end, 1e-12) << domain.index() << ", value " << k;
      EXPECT_GT(cell.high, cell.low);
      EXPECT_EQ(value_at(domain, cell.middle()), value_at(domain, end + 1e-9));
      end = cell.high;
    }
    if (size > 0) {
      EXPECT_EQ(end, 1) << domain.index();
    }
  }
}

TEST(Space, values_grow_with_the_unit) {
  const auto number = [](const Value& value) {
    if (const auto* real = std::get_if<double>(&value)) return *real;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    return std::get<bool>(value) ? 1.0 : 0.0;
  };
  for (const Domain& domain : domains) {
    if (std::holds_alternative<ChoiceDomain>(domain)) continue;
    for (int i = 0; i < 500; ++i)
      EXPECT_LE(number(value_at(domain, i / 500.0)), number(value_at(domain, (i + 1) / 500.0)))
          << domain.index();
  }
}

// Quartiles by hand: 1 / (1 + exp(-(logit(0.9) + u (logit(0.999) - logit(0.9))))).
TEST(Space, logit_scale_is_uniform_in_the_log_odds) {
  const Domain domain = FloatDomain{0.9, 0.999, Scale::logit, {}, {}};
  EXPECT_NEAR(real(value_at(domain, 0.25)), 0.9669014508101523, 1e-14);
  EXPECT_NEAR(real(value_at(domain, 0.5)), 0.9895638616489795, 1e-14);
  EXPECT_NEAR(real(value_at(domain, 0.75)), 0.9967614062709582, 1e-14);
  EXPECT_DOUBLE_EQ(real(value_at(domain, 0)), 0.9);
  EXPECT_DOUBLE_EQ(real(value_at(domain, 1)), 0.999);
}

// Quantiles of 0.95 of a truncated normal and 0.05 of a uniform distribution, from SciPy's
// truncnorm and a root finder.
TEST(Space, a_prior_has_the_quantiles_of_its_distribution) {
  const Domain domain = FloatDomain{1e-5, 1e-2, Scale::log, {}, Prior{3e-4, 0.2}};
  const std::pair<double, double> quantiles[] = {
      {0.01, 1.4652350828389991e-05}, {0.1, 5.053825836126787e-05}, {0.25, 0.00011725674370708061},
      {0.5, 0.0003010808906730737},   {0.9, 0.0018097322333451944}, {0.999, 0.009484128183591596}};
  for (const auto& [unit, value] : quantiles)
    EXPECT_NEAR(scale_share(real(value_at(domain, unit)), 1e-5, 1e-2),
                scale_share(value, 1e-5, 1e-2), 1e-12);
}

TEST(Space, a_prior_gives_grid_values_their_share) {
  const Domain domain = IntDomain{1, 5, Scale::linear, 1, Prior{2, 0.25}};
  const double shares[] = {0.2570980132895858, 0.34466637462657324, 0.2570980132895857,
                           0.10939486220230576, 0.03174273659194948};
  for (std::int64_t value = 1; value <= 5; ++value) {
    const Cell cell = cell_at(domain, unit_of(domain, Value{value}));
    EXPECT_NEAR(cell.high - cell.low, shares[value - 1], 1e-12) << value;
  }
}

TEST(Space, steps_on_a_log_scale_have_their_share_of_it) {
  const Domain domain = FloatDomain{0.1, 10, Scale::log, 0.1, {}};
  EXPECT_EQ(levels(domain), 100);
  EXPECT_NEAR(cell_at(domain, 0).high, 0.08804562952784058, 1e-14);
  const Cell second = cell_at(domain, 0.1);
  EXPECT_NEAR(second.high - second.low, 0.11092437480817818, 1e-14);
}

TEST(Space, weights_are_the_chances_of_choices) {
  const Domain domain = ChoiceDomain{{true, std::int64_t{2}, 3.5}, false, {1, 3, 4}};
  EXPECT_EQ(value_at(domain, 0.124), Value{true});
  EXPECT_EQ(value_at(domain, 0.126), Value{std::int64_t{2}});
  EXPECT_EQ(value_at(domain, 0.499), Value{std::int64_t{2}});
  EXPECT_EQ(value_at(domain, 0.501), Value{3.5});
}

// Against SciPy's norm.ppf.
TEST(Space, normal_quantiles_are_exact) {
  const std::pair<double, double> quantiles[] = {{1e-20, -9.262340089798409},
                                                 {1e-5, -4.264890793922825},
                                                 {0.02, -2.053748910631823},
                                                 {0.3, -0.5244005127080409},
                                                 {0.5, 0.0},
                                                 {0.975, 1.959963984540054}};
  for (const auto& [p, x] : quantiles) {
    EXPECT_NEAR(normal_quantile(p), x, 1e-13 * (1 + std::abs(x)));
    EXPECT_NEAR(normal_cdf(x), p, 1e-13 * p);
  }
}

}  // namespace
}  // namespace hone
