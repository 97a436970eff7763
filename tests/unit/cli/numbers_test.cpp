#include "sdk/cli/render/numbers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sdk/cli/render/width.hpp"

namespace hone::cli {
namespace {

TEST(CliNumbers, four_significant_digits) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(500), "500");
  EXPECT_EQ(number_text(471.5234), "471.5");
  EXPECT_EQ(number_text(-0.00123456), "-0.001235");
  EXPECT_EQ(number_text(123456.7), "123457");
}

TEST(CliNumbers, small_exponents_are_short) {
  EXPECT_EQ(number_text(1e-5), "1e-5");
  EXPECT_EQ(number_text(1.23456e-12), "1.235e-12");
  EXPECT_EQ(number_text(3e10), "3e10");
}

TEST(CliNumbers, counts_are_cut_not_rounded_up) {
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1'000), "1k");
  EXPECT_EQ(count_text(12'345), "12.3k");
  EXPECT_EQ(count_text(999'999), "999k");  // not 1M: it is not there yet
  EXPECT_EQ(count_text(1'000'000), "1M");
  EXPECT_EQ(count_text(2'560'000'000), "2.56G");
  EXPECT_EQ(count_text(-1500), "-1.5k");
}

TEST(CliNumbers, bytes) {
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(std::int64_t{3} << 30), "3 GiB");
}

TEST(CliNumbers, durations_take_the_two_largest_units) {
  EXPECT_EQ(duration_text(milliseconds(35)), "35ms");
  EXPECT_EQ(duration_text(milliseconds(800)), "0.8s");
  EXPECT_EQ(duration_text(milliseconds(9'990)), "10s");
  EXPECT_EQ(duration_text(seconds(42)), "42s");
  EXPECT_EQ(duration_text(milliseconds(59'700)), "1m00s");
  EXPECT_EQ(duration_text(seconds(185)), "3m05s");
  EXPECT_EQ(duration_text(seconds(7'500)), "2h05m");
  EXPECT_EQ(duration_text(seconds(97'200)), "1d03h");
  EXPECT_EQ(duration_text(seconds(-3)), "0s");  // clocks of two machines differ
}

TEST(CliNumbers, ages) {
  const Instant now{1'000'000'000'000};
  EXPECT_EQ(ago_text(now - milliseconds(300), now), "just now");
  EXPECT_EQ(ago_text(now - seconds(90), now), "1m30s ago");
  EXPECT_EQ(ago_text(now + seconds(2), now), "just now");
}

TEST(CliNumbers, rates_use_the_unit_that_gives_at_least_one) {
  EXPECT_EQ(rate_text(0), "0/s");
  EXPECT_EQ(rate_text(1.26), "1.3/s");
  EXPECT_EQ(rate_text(0.5), "30/min");
  EXPECT_EQ(rate_text(0.001), "3.6/h");
}

TEST(CliNumbers, the_ends_of_all_numbers_have_a_text) {
  // count_text called itself with the opposite of -2^63, which is -2^63.
  EXPECT_EQ(count_text(std::numeric_limits<std::int64_t>::min()), "-9223372036G");
  EXPECT_EQ(count_text(std::numeric_limits<std::int64_t>::max()), "9223372036G");
  EXPECT_EQ(count_text(-12'345), "-12.3k");
  EXPECT_EQ(duration_text({std::numeric_limits<std::int64_t>::max()}), "106751991d04h");
  EXPECT_EQ(duration_text(duration_of(1e300)), "36500000d00h");
  EXPECT_EQ(duration_text(duration_of(std::nan(""))), "0s");
  EXPECT_EQ(duration_text(duration_of(90)), "1m30s");
}

TEST(CliNumbers, clock_is_utc) { EXPECT_EQ(clock_text(Instant{0}), "1970-01-01 00:00:00"); }

TEST(CliNumbers, are_rounded_to_the_second_digit_of_their_error) {
  EXPECT_EQ(rounded_text(12.7141, 0.36), "12.71");
  EXPECT_EQ(rounded_text(12.7, 0.0123), "12.700");
  EXPECT_EQ(rounded_text(1234.5, 120), "1230");
  EXPECT_EQ(rounded_text(0.00123456, 0.00002), "0.001235");
  EXPECT_EQ(rounded_text(-0.001, 0.5), "0.00") << "not -0.00";
  EXPECT_EQ(rounded_text(471.123, 0), "471.1") << "without an error as number_text";
  EXPECT_EQ(rounded_text(1.5e12, 3e10), number_text(1.5e12));
}

TEST(CliWidth, counts_columns_not_bytes) {
  EXPECT_EQ(display_width("abc"), 3);
  EXPECT_EQ(display_width("größe"), 5);
  EXPECT_EQ(display_width("日本"), 4);
  EXPECT_EQ(display_width("e\u0301"), 1);  // combining accent
}

TEST(CliWidth, truncates_between_characters) {
  EXPECT_EQ(truncated("größe", 5, true), "größe");
  EXPECT_EQ(truncated("größer", 4, true), "grö…");
  EXPECT_EQ(truncated("日本語", 4, true), "日…");
  EXPECT_EQ(truncated("abcdef", 4, false), "abc~");
  EXPECT_EQ(truncated("abc", 0, true), "");
}

TEST(CliWidth, escape_sequences_of_a_program_do_not_reach_the_terminal) {
  EXPECT_EQ(printable("a\x1b[31mb\n"), "a [31mb ");
  EXPECT_EQ(printable("caf\xc3\xa9"), "caf\xc3\xa9");
  EXPECT_EQ(printable("bad\xff"), "bad?");
  EXPECT_EQ(printable("\u202egpj.exe"), " gpj.exe") << "text that is shown backwards";
}

TEST(CliWidth, wraps_at_blanks) {
  EXPECT_EQ(wrapped("one two three", 9, "  "), "  one two\n  three");
  EXPECT_EQ(wrapped("", 9, "  "), "  ");
}

}  // namespace
}  // namespace hone::cli
