#include "base/text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace hone {
namespace {

TEST(Text, writes_numbers_of_sentences_with_six_digits) {
  EXPECT_EQ(number_text(112.5), "112.5");
  EXPECT_EQ(number_text(0.001), "0.001");
  EXPECT_EQ(number_text(1.5e-7), "1.5e-07");
  EXPECT_EQ(number_text(1234567), "1.23457e+06");
  EXPECT_EQ(number_text(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(Text, writes_numbers_of_tables_with_four_digits) {
  EXPECT_EQ(short_number_text(0), "0");
  EXPECT_EQ(short_number_text(471.52), "471.5");
  EXPECT_EQ(short_number_text(123456.7), "123457");
  EXPECT_EQ(short_number_text(1.2e-5), "1.2e-5");
  EXPECT_EQ(short_number_text(3e9), "3e9");
}

TEST(Text, writes_plain_numbers_without_exponents) {
  EXPECT_EQ(plain_number_text(3), "3");
  EXPECT_EQ(plain_number_text(8.5e15), "8500000000000000");
  EXPECT_EQ(plain_number_text(0.25), "0.25");
  EXPECT_EQ(plain_number_text(1.5e-7), "0.00000015");
}

TEST(Text, writes_exact_numbers_that_read_back_the_same) {
  for (const double number : {0.1, 1.0 / 3, 1e300, 2.2250738585072014e-308})
    EXPECT_EQ(std::stod(exact_number_text(number)), number);
}

TEST(Text, counts_in_the_singular_and_the_plural) {
  EXPECT_EQ(counted(1, "report"), "1 report");
  EXPECT_EQ(counted(0, "report"), "0 reports");
  EXPECT_EQ(counted(2.0, "run"), "2 runs");
  EXPECT_EQ(counted(std::int64_t{1'000'000}, "run"), "1000000 runs");
}

TEST(Text, escapes_quotes_and_backslashes) {
  EXPECT_EQ(quoted_text("a"), R"("a")");
  EXPECT_EQ(quoted_text(R"(say "\")"), R"("say \"\\\"")");
}

TEST(Text, quotes_the_cells_of_a_table_that_need_it) {
  EXPECT_EQ(csv_line({"a", "b,c", "say \"hi\"", "two\nlines", ""}),
            "a,\"b,c\",\"say \"\"hi\"\"\",\"two\nlines\",\n");
}

TEST(Text, finds_characters_that_are_not_shown_as_themselves) {
  for (const char* text : {"\x1b[2J", "a\nb", "a\x7f", "\u0085", "\u061c", "\u200f", "\u2028",
                           "safe\u202egpj.exe", "\u2066x\u2069", "\ufeff"})
    EXPECT_TRUE(has_control_characters(text)) << text;
  for (const char* text : {"", "plain", "größe", "日本語", "\u0645\u06cc\u200c\u062e", "👩\u200d🔬"})
    EXPECT_FALSE(has_control_characters(text)) << text;
}

TEST(Text, reads_the_cells_that_it_writes) {
  const std::vector<std::string> cells{"a", "", "b,c", "say \"hi\"", "\"", ""};
  EXPECT_EQ(csv_cells(csv_line(cells)), cells);
  EXPECT_EQ(csv_cells("1,2\r\n"), (std::vector<std::string>{"1", "2"}));
}

}  // namespace
}  // namespace hone
