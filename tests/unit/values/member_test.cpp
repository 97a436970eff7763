#include "schemas/values/member.hpp"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace hone {
namespace {

FloatDomain stepped(double min, double max, double step) {
  return {min, max, Scale::linear, step, {}};
}

Value whole(std::int64_t value) { return value; }

TEST(Members, tenths_are_the_numbers_that_people_write) {
  const FloatDomain tenths = stepped(0, 1, 0.1);
  const double written[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
  ASSERT_EQ(member_count(tenths), 11);
  for (std::int64_t k = 0; k < 11; ++k) EXPECT_EQ(member_at(tenths, k), written[k]) << k;
}

// Against decimal arithmetic on texts: cents from a lower bound with as many decimals.
TEST(Members, every_member_is_the_double_nearest_to_its_decimal) {
  const FloatDomain cents = stepped(-2.05, 8, 0.01);
  for (std::int64_t k = 0; k < member_count(cents); ++k) {
    const auto hundredths = static_cast<long>(k) - 205;
    std::string text = std::to_string(std::abs(hundredths));
    if (text.size() < 3) text.insert(0, 3 - text.size(), '0');
    text.insert(text.size() - 2, ".");
    const double written = (hundredths < 0 ? -1 : 1) * std::stod(text);
    EXPECT_EQ(member_at(cents, k), written) << k;
  }
}

TEST(Members, members_of_any_size_and_exponent) {
  EXPECT_EQ(member_at(stepped(0, 1e-5, 1e-6), 3), 3e-6);
  EXPECT_EQ(member_at(stepped(1e-7, 1e-5, 1e-7), 2), 3e-7);
  EXPECT_EQ(member_at(stepped(-1, 1, 0.1), 8), -0.2);
  EXPECT_EQ(member_at(stepped(100, 1e6, 0.3), 1), 100.3);
  EXPECT_EQ(member_at(stepped(0, 3e20, 1e20), 2), 2e20);
  EXPECT_EQ(member_at(stepped(1e-300, 1, 0.5), 1), 0.5) << "too many digits: as binary numbers do";
}

TEST(Members, a_step_that_does_not_divide_the_range_ends_below_max) {
  EXPECT_EQ(member_count(stepped(0, 1, 0.3)), 4);
  EXPECT_EQ(member_at(stepped(0, 1, 0.3), 3), 0.9);
  EXPECT_EQ(member_at(stepped(0, 0.3, 0.1), 3), 0.3);
  EXPECT_EQ(member_at(stepped(0, 1, 1.0 / 3), 3), 1) << "0.9999999999999999 is meant as max";
  EXPECT_EQ(member_at(stepped(0, 0.1 + 0.2, 0.1), 3), 0.3) << "max is 0.30000000000000004";
}

TEST(Members, enqueueing_0_3_of_tenths_was_refused) {
  const Domain tenths = stepped(0, 1, 0.1);
  for (const double value : {0.3, 0.1 + 0.2, 3 * 0.1, 0.30000000000000004, 0.3 + 1e-8})
    EXPECT_EQ(member_of(tenths, value), Value{0.3}) << value;
  EXPECT_EQ(member_of(tenths, 1.0000000000000002), Value{1.0});
  EXPECT_EQ(member_of(tenths, -1e-18), Value{0.0});
  for (const double value : {0.35, 0.301, 1.1, -0.1, 1e300, -1e300})
    EXPECT_FALSE(member_of(tenths, value)) << value;
}

TEST(Members, a_whole_number_was_refused_for_a_float) {
  const Domain real = FloatDomain{0, 2, Scale::linear, {}, {}};
  EXPECT_EQ(member_of(real, whole(1)), Value{1.0});
  EXPECT_EQ(member_of(stepped(0, 4, 0.5), whole(3)), Value{3.0});
  EXPECT_FALSE(member_of(real, whole(3)));
}

TEST(Members, a_float_that_is_whole_was_refused_for_an_int) {
  const Domain steps = IntDomain{2, 10, Scale::linear, 3, {}};  // 2, 5, 8
  EXPECT_EQ(member_of(steps, 5.0), whole(5));
  EXPECT_EQ(member_of(steps, 4.9999999999999991), whole(5));
  EXPECT_EQ(member_of(steps, whole(8)), whole(8));
  for (const Value& value : {Value{5.5}, Value{4.0}, whole(9), whole(11), Value{1e300}})
    EXPECT_FALSE(member_of(steps, value));
}

TEST(Members, one_point_zero_was_refused_for_the_choice_1) {
  const Domain mixed = ChoiceDomain{{whole(1), 2.5, std::string("a"), true, 0.3}, false, {}};
  EXPECT_EQ(member_of(mixed, 1.0), whole(1));
  EXPECT_EQ(member_of(mixed, 0.1 + 0.2), Value{0.3});
  EXPECT_EQ(member_of(mixed, true), Value{true});
  EXPECT_FALSE(member_of(mixed, false));
  EXPECT_FALSE(member_of(mixed, std::string("1"))) << "a text is never a number";
}

TEST(Members, texts_truth_values_and_what_is_not_finite_are_no_numbers) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const Domain real = FloatDomain{0, 2, Scale::linear, {}, {}};
  const Domain count = IntDomain{0, 2, Scale::linear, 1, {}};
  for (const Domain& domain : {real, count, Domain{stepped(0, 2, 0.5)}})
    for (const Value& value :
         {Value{std::string("1")}, Value{true}, Value{nan}, Value{infinity}, Value{-infinity}})
      EXPECT_FALSE(member_of(domain, value)) << domain.index() << " " << value.index();
  EXPECT_FALSE(member_of(BoolDomain{}, whole(1)));
}

TEST(Members, numbers_beyond_2_to_the_53_are_not_rounded_to_an_int) {
  constexpr std::int64_t large = (std::int64_t{1} << 53) + 1;
  EXPECT_FALSE(member_of(IntDomain{0, 10, Scale::linear, 1, {}}, whole(large)));
  EXPECT_EQ(member_of(ChoiceDomain{{whole(large)}, false, {}}, whole(large)), whole(large));
  EXPECT_FALSE(member_of(ChoiceDomain{{whole(large)}, false, {}}, whole(large - 1)));
}

TEST(Members, a_refusal_names_the_domain_and_the_nearest_member) {
  EXPECT_EQ(not_a_member(stepped(0, 1, 0.1), 0.35),
            "0.35 is not in [0, 1] in steps of 0.1; the nearest value is 0.3");
  EXPECT_EQ(not_a_member(FloatDomain{0, 2, Scale::linear, {}, {}}, whole(3)),
            "3 is not in [0, 2]; the nearest value is 2");
  EXPECT_EQ(not_a_member(IntDomain{2, 10, Scale::linear, 3, {}}, 9.5),
            "9.5 is not in the whole numbers of [2, 10] in steps of 3; the nearest value is 8");
  EXPECT_EQ(
      not_a_member(ChoiceDomain{{std::string("adam"), whole(1)}, false, {}}, std::string("adm")),
      "'adm' is none of its values 'adam', 1 (did you mean 'adam'?)");
  EXPECT_EQ(not_a_member(BoolDomain{}, whole(1)), "1 is neither true nor false");
  // The sentence about null ended the server: it was formatted without an end.
  EXPECT_EQ(not_a_member(FloatDomain{0, 2, Scale::linear, {}, {}}, JsonText{}),
            "'null' is no number of [0, 2]");
}

}  // namespace
}  // namespace hone
