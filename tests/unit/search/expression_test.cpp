#include "server/search/space/expression.hpp"

#include <gtest/gtest.h>

namespace hone {
namespace {

const Params known_params{
    {"gamma", 0.95}, {"t_max", std::int64_t{8}}, {"opt", std::string("adam")}, {"clip", true}};

bool holds(const char* text) {
  const auto expression = Expression::parse(text);
  EXPECT_TRUE(expression.ok()) << text << ": "
                               << (expression.ok() ? "" : expression.error().detail);
  return expression.ok() && expression->holds(known_params);
}

TEST(Expression, conditions_that_hold) {
  for (const char* text : {"gamma > 0.9",
                           "t_max == 8",
                           "t_max == 8.0",
                           "opt == 'adam'",
                           "opt == \"adam\"",
                           "clip",
                           "not (gamma < 0.9)",
                           "gamma > 0.9 and t_max < 10",
                           "gamma > 1 or clip",
                           "t_max in [4, 8, 16]",
                           "opt in ['sgd', 'adam']",
                           "1 + 2 * 3 == 7",
                           "2 ^ 3 ^ 2 == 512",
                           "-2 ^ 2 == -4",
                           "7 % 4 == 3",
                           "-1 % 4 == 3",
                           "max(1, t_max, 3) == 8",
                           "abs(-3) == 3 && sqrt(9) == 3",
                           "!false",
                           "log(exp(1)) == 1",
                           "round(2.4) == 2 || false",
                           "opt < 'b'",
                           "t_max * gamma >= 7.6"})
    EXPECT_TRUE(holds(text)) << text;
}

TEST(Expression, conditions_that_do_not_hold) {
  for (const char* text : {"gamma > 0.95", "opt == 'sgd'", "opt == 3", "t_max", "opt < 3",
                           "1 / 0 > 0", "log(-1) < 0", "clip and t_max", "t_max in [9]"})
    EXPECT_FALSE(holds(text)) << text;
}

TEST(Expression, an_absent_parameter_makes_no_condition_hold) {
  EXPECT_FALSE(holds("absent > 1"));
  EXPECT_FALSE(holds("not (absent > 1)"));
  EXPECT_FALSE(holds("absent == absent"));
  EXPECT_TRUE(holds("clip or absent > 1"));  // settled before it is read
}

// "batch * 2" of 45 was passed as 90.0, which int() of Python refuses.
TEST(Expression, whole_numbers_of_ints_stay_ints_where_numbers_are_typed) {
  const auto value = [](const char* text, Numbers numbers = Numbers::typed) {
    const auto expression = Expression::parse(text, numbers);
    EXPECT_TRUE(expression.ok()) << text;
    return expression->evaluate(known_params).value_or(Value{std::string("none")});
  };
  for (const auto& [text, whole] :
       std::vector<std::pair<const char*, std::int64_t>>{{"t_max * 2", 16},
                                                         {"t_max + 1 - 2", 7},
                                                         {"-t_max", -8},
                                                         {"t_max % 3", 2},
                                                         {"2 ^ t_max", 256},
                                                         {"max(t_max, 3)", 8},
                                                         {"abs(-3)", 3},
                                                         {"floor(gamma * 10)", 9},
                                                         {"round(gamma)", 1},
                                                         {"ceil(t_max / 3)", 3},
                                                         {"int(t_max / 3)", 2},
                                                         {"int(-2.5)", -2}})
    EXPECT_EQ(value(text), Value{whole}) << text;
  for (const char* text :
       {"t_max / 2", "t_max * 1.0", "gamma + 1", "2 ^ -1", "sqrt(t_max + 1)", "t_max * 1e17"})
    EXPECT_TRUE(std::holds_alternative<double>(value(text))) << text;
  EXPECT_EQ(value("t_max * 2", Numbers::floats), Value{16.0});
  EXPECT_EQ(value("floor(2.5)", Numbers::floats), Value{2.0});
}

TEST(Expression, names_what_it_reads_once_and_in_order) {
  const auto expression = Expression::parse("b > a and b < 3 or true");
  EXPECT_EQ(expression->names(), (std::vector<std::string>{"b", "a"}));
}

TEST(Expression, refuses_with_the_column) {
  const std::pair<const char*, const char*> cases[] = {{"", "column 1"},
                                                       {"gamma >", "column 8"},
                                                       {"gamma > 0.9 )", "column 13"},
                                                       {"(1", "')'"},
                                                       {"foo(1)", "a function"},
                                                       {"pow(1)", "number of arguments"},
                                                       {"'open", "closing quote"},
                                                       {"1 2", "an operator"},
                                                       {"x in 3", "'['"},
                                                       {"$", "a value"}};
  for (const auto& [text, wanted] : cases) {
    const auto expression = Expression::parse(text);
    ASSERT_FALSE(expression.ok()) << text;
    EXPECT_NE(expression.error().detail.find(wanted), std::string::npos)
        << text << ": " << expression.error().detail;
  }
}

TEST(Expression, deep_nesting_and_great_length_are_refused_and_do_not_overflow) {
  EXPECT_FALSE(Expression::parse(std::string(500, '(') + "1" + std::string(499, ')')).ok());
  EXPECT_FALSE(Expression::parse(std::string(900, '-') + "1").ok());
  EXPECT_FALSE(Expression::parse(std::string(2000, '1')).ok());
  EXPECT_TRUE(Expression::parse(std::string(900, '!') + "clip").ok());
}

}  // namespace
}  // namespace hone
