// What the one reader of numbers accepts, and that what it refuses could be read in two ways.
#include "schemas/values/number.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "base/text.hpp"

namespace hone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Number, is_read_as_programs_print_it) {
  const std::pair<const char*, double> cases[] = {{"0", 0},
                                                  {"12", 12},
                                                  {" +3.5 ", 3.5},
                                                  {"-.5", -0.5},
                                                  {"5.", 5},
                                                  {"1.2e+32", 1.2e32},
                                                  {"1.5E-1", 0.15},
                                                  {"12e2", 1200},
                                                  {"-7.53e-05", -7.53e-5},
                                                  {"5e-324", 5e-324},
                                                  {"1.5d-01", 0.15},
                                                  {"0.3D+2", 30},
                                                  {"\xE2\x88\x92"
                                                   "2.5",
                                                   -2.5},
                                                  {"007", 7},
                                                  {"12.5\r\n", 12.5}};
  for (const auto& [text, value] : cases) EXPECT_EQ(read_number(text), value) << text;
}

// from_chars refuses what no double holds: a loss of 1e400 was "no number", and the run sound.
TEST(Number, beyond_a_double_is_infinity_or_zero) {
  EXPECT_EQ(read_number("1e400"), infinity);
  EXPECT_EQ(read_number("-1e400"), -infinity);
  EXPECT_EQ(read_number("1e99999999999999999999999"), infinity);
  EXPECT_EQ(read_number("1e-400"), 0);
  EXPECT_EQ(read_number("1e-99999999999999999999999"), 0);
  EXPECT_EQ(read_number("0." + std::string(500, '0') + "1"), 0);
  EXPECT_EQ(read_number("1" + std::string(500, '0')), infinity);
  EXPECT_EQ(read_number("0." + std::string(399, '0') + "1e800"), infinity);
  EXPECT_FALSE(read_finite_number("1e400"));
}

TEST(Number, that_is_not_finite_has_many_spellings) {
  for (const char* text : {"nan", "NaN", "NAN", "-nan", "np.float64(nan)", "tensor(nan)"})
    EXPECT_TRUE(std::isnan(read_number(text).value_or(0))) << text;
  for (const char* text : {"inf", "Inf", "Infinity", "INFINITY", "+inf", "tensor(inf)"})
    EXPECT_EQ(read_number(text), infinity) << text;
  EXPECT_EQ(read_number("-Infinity"), -infinity);
}

TEST(Number, is_read_as_python_and_numpy_represent_it) {
  for (const char* text : {"np.float64(0.25)",
                           "numpy.float32(0.25)",
                           "float(0.25)",
                           "tensor(0.25)",
                           "tensor(0.25, device='cuda:0')",
                           "tensor(0.25, device='cuda:0', grad_fn=<MeanBackward0>)",
                           "tensor(0.25,",
                           "tensor([0.25])",
                           "tensor([[0.25]], dtype=torch.float64)",
                           "array(0.25)",
                           "array([0.25], dtype=float32)",
                           "Array(0.25, dtype=float32)",
                           "Decimal('0.25')",
                           "mpf('0.25')",
                           "[0.25]",
                           "[[0.25]]",
                           "(0.25,)",
                           "'0.25'",
                           "\"0.25\"",
                           "[ 0.25 ]",
                           "tf.Tensor(0.25, shape=(), dtype=float32)",
                           "<tf.Tensor: shape=(), dtype=float32, numpy=0.25>",
                           "torch.tensor(0.25)"})
    EXPECT_EQ(read_number(text), 0.25) << text;
  EXPECT_EQ(read_number("np.int64(-3)"), -3);
  EXPECT_EQ(read_number("np.float64(1e400)"), infinity);
}

TEST(Number, has_separators_of_thousands_where_nothing_else_is_meant) {
  EXPECT_EQ(read_number("1_000"), 1000);
  EXPECT_EQ(read_number("1_000.5"), 1000.5);
  EXPECT_EQ(read_number("1,234.5"), 1234.5);
  EXPECT_EQ(read_number("12,345,678"), 12345678);
  EXPECT_EQ(read_number("-1,234.5e2"), -123450);
}

TEST(Number, that_can_be_read_in_two_ways_is_none) {
  for (const char* text : {"",
                           "-",
                           "+",
                           ".",
                           "-.",
                           "1,234",
                           "0,5",
                           "0,500.5",
                           "1234,567.5",
                           "1,23.5",
                           "12,34,567",
                           "1,234.5,6",
                           "12.5%",
                           "0x1p3",
                           "0x10",
                           "1 2",
                           "1.2.3",
                           "e5",
                           "1e",
                           "1e+",
                           "--1",
                           "+-1",
                           "_1",
                           "1_",
                           "1__0",
                           "True",
                           "true",
                           "None",
                           "abc",
                           "loss",
                           "1.5abc",
                           "nano",
                           "infinit",
                           "f(0.25)",
                           "loss(1)",
                           "[1,234.5]",
                           "[1, 2]",
                           "(1, 2)",
                           "tensor([1, 2])",
                           "tensor(1, 2)",
                           "tensor(0.25",
                           "tensor",
                           "np.float64()",
                           "[]",
                           "''",
                           "1d",
                           "tensor(1)(2)"})
    EXPECT_FALSE(read_number(text)) << text;
}

TEST(Number, that_is_missing_is_no_value) {
  for (const char* text : {"", " ", "None", "null", "NA", "n/a", "-", "--"})
    EXPECT_TRUE(is_no_value(text)) << text;
  for (const char* text : {"0", "nan", "no", "abc"}) EXPECT_FALSE(is_no_value(text)) << text;
}

TEST(Number, reads_back_what_is_written) {
  std::mt19937_64 random(7);
  std::uniform_int_distribution<std::uint64_t> bits;
  for (int i = 0; i < 100'000; ++i) {
    const auto value = std::bit_cast<double>(bits(random));
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(read_number(exact_number_text(value)), value);
  }
}

TEST(Number, of_any_bytes_is_read_without_fault) {
  std::mt19937 random(11);
  constexpr std::string_view alphabet =
      "0123456789.,_eEdD+-()[]<>'\"=naifNI tensor\xE2\x88\x92\r\n";
  std::uniform_int_distribution<std::size_t> pick(0, alphabet.size() - 1), size(0, 24);
  int numbers = 0;
  for (int i = 0; i < 300'000; ++i) {
    std::string text(size(random), ' ');
    for (char& c : text) c = alphabet[pick(random)];
    if (read_number(text)) ++numbers;
  }
  EXPECT_GT(numbers, 1000);
}

}  // namespace
}  // namespace hone
