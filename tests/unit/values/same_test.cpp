#include "schemas/values/same.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hone {
namespace {

TEST(SameValues, numbers_that_differ_by_rounding_alone) {
  EXPECT_TRUE(same_number(0.3, 0.1 + 0.2));
  EXPECT_TRUE(same_number(1e-300, 1e-300 * (1 + 1e-15)));
  EXPECT_FALSE(same_number(1e-18, 2e-18)) << "small is not zero";
  EXPECT_FALSE(same_number(0, 1e-300));
  EXPECT_FALSE(same_number(std::nan(""), std::nan("")));
  EXPECT_FALSE(same_number(std::numeric_limits<double>::infinity(), 1e308));
}

TEST(SameValues, numbers_compare_as_numbers_and_others_by_type) {
  EXPECT_TRUE(same_value(std::int64_t{1}, 1.0));
  EXPECT_FALSE(same_value(std::int64_t{1}, true));
  EXPECT_FALSE(same_value(std::int64_t{1}, std::string("1")));
  EXPECT_FALSE(same_value((std::int64_t{1} << 53) + 1, std::int64_t{1} << 53));
}

TEST(SameValues, the_interval_for_sql_is_the_same_rule) {
  const SameNumbers same = same_as(-0.3);
  EXPECT_LE(same.low, -0.30000000000000004);
  EXPECT_GE(same.high, -0.3);
  EXPECT_LT(same.high, -0.299999);
}

}  // namespace
}  // namespace hone
