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

// [1, 2] and [1.0, 2] were two choices, and only one of them could be enqueued.
TEST(SameValues, numbers_in_lists_and_objects_compare_as_numbers) {
  const auto same = [](const char* a, const char* b) {
    return same_value(JsonText{a}, JsonText{b});
  };
  EXPECT_TRUE(same("[1,2]", "[1.0,2]"));
  EXPECT_TRUE(same(R"({"a":[0.3,-1e3]})", R"({"a":[0.30000000000000004,-1000]})"));
  EXPECT_FALSE(same("[1,2]", "[1,2,3]"));
  EXPECT_FALSE(same("[1,2]", "[12]"));
  EXPECT_FALSE(same("[9007199254740993]", "[9007199254740992]"));
  EXPECT_FALSE(same(R"(["1.0"])", R"(["1"])")) << "texts";
  EXPECT_TRUE(same(R"(["a\"1.0",2])", R"(["a\"1.0",2.0])"));
  EXPECT_FALSE(same("null", "[]"));
}

TEST(SameValues, the_interval_for_sql_is_the_same_rule) {
  const SameNumbers same = same_as(-0.3);
  EXPECT_LE(same.low, -0.30000000000000004);
  EXPECT_GE(same.high, -0.3);
  EXPECT_LT(same.high, -0.299999);
}

}  // namespace
}  // namespace hone
