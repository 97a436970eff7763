// The words that a command becomes.
#include "schemas/codec/command_fill.hpp"

#include <gtest/gtest.h>

namespace hone {
namespace {

using Words = std::vector<std::string>;

const Params given{{"lr", 0.001},
                   {"bias", -1e-05},
                   {"n", std::int64_t{-3}},
                   {"fast", true},
                   {"slow", false},
                   {"zero", std::int64_t{0}},
                   {"act", std::string("relu")},
                   {"empty", std::string()},
                   {"sizes", JsonText{"[64,\"a b\"]"}},
                   {"none", JsonText{"null"}},
                   {"no_sizes", JsonText{"[]"}},
                   {"text_sizes", std::string("64  32")}};

std::optional<Value> value_of(const std::string& name) {
  const Value* value = find(given, name);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

Words filled(const std::string& word) {
  const auto words = filled_word(
      word, value_of, [](const std::string& name) { return refuse(Code::invalid, "no " + name); });
  EXPECT_TRUE(words) << word << (words ? "" : words.error().detail);
  return words ? *words : Words{"refused"};
}

TEST(CommandFill, a_switch_could_not_be_left_out) {
  EXPECT_EQ(filled("${fast?--fast}"), Words{"--fast"});
  EXPECT_EQ(filled("${slow?--slow}"), Words{});
  EXPECT_EQ(filled("${slow?--slow:--no-slow}"), Words{"--no-slow"});
  EXPECT_EQ(filled("${fast?:--no-fast}"), Words{});
  EXPECT_EQ(filled("${slow?:--no-slow}"), Words{"--no-slow"});
  EXPECT_EQ(filled("${zero?--zero}"), Words{});
  EXPECT_EQ(filled("${none?--none}"), Words{});
  EXPECT_EQ(filled("${absent?--a:--b}"), Words{});
  EXPECT_EQ(filled("--mode=${slow?a:b}"), Words{"--mode=b"});
}

TEST(CommandFill, an_empty_word_was_passed_and_refused) {
  EXPECT_EQ(filled("${empty?}"), Words{});
  EXPECT_EQ(filled("--clip=${none?}"), Words{});
  EXPECT_EQ(filled("--act=${act?}"), Words{"--act=relu"});
  EXPECT_EQ(filled("--zero=${zero?}"), Words{"--zero=0"});
  EXPECT_EQ(filled("${absent?}"), Words{});
  EXPECT_EQ(filled("${empty}"), Words{""});  // as before
  EXPECT_EQ(filled("${absent:-}"), Words{""});
}

TEST(CommandFill, several_words_of_a_list_were_one) {
  EXPECT_EQ(filled("${sizes*}"), (Words{"64", "a b"}));
  EXPECT_EQ(filled("--size=${sizes*}"), (Words{"--size=64", "--size=a b"}));
  EXPECT_EQ(filled("${text_sizes*}"), (Words{"64", "32"}));
  EXPECT_EQ(filled("${no_sizes*}"), Words{});
  EXPECT_EQ(filled("${none*}"), Words{});
  EXPECT_EQ(filled("${lr*}"), Words{"0.001"});
  EXPECT_EQ(filled("${sizes}"), Words{"[64,\"a b\"]"});
}

TEST(CommandFill, argparse_took_a_negative_number_for_an_option) {
  EXPECT_EQ(filled("${bias}"), Words{"-0.00001"});
  EXPECT_EQ(filled("--bias=${bias}"), Words{"--bias=-1e-05"});
  EXPECT_EQ(filled("${n}"), Words{"-3"});
  EXPECT_EQ(passed_words({"bias", -1e-05}, ParamStyle::flags), Words{"--bias=-1e-05"});
  EXPECT_EQ(passed_words({"lr", 0.5}, ParamStyle::flags), (Words{"--lr", "0.5"}));
}

TEST(CommandFill, styles_of_argparse) {
  const auto words = [](ParamStyle style) {
    Words all;
    for (const Param& param : given)
      for (const std::string& word : passed_words(param, style)) all.push_back(word);
    return all;
  };
  EXPECT_EQ(words(ParamStyle::switches),
            (Words{"--lr=0.001", "--bias=-1e-05", "--n=-3", "--fast", "--zero=0", "--act=relu",
                   "--empty=", "--sizes", "64", "a b", "--no_sizes", "--text_sizes=64  32"}));
  const Words pairs = words(ParamStyle::pairs);
  EXPECT_NE(std::find(pairs.begin(), pairs.end(), "--no-slow"), pairs.end());
  EXPECT_EQ(words(ParamStyle::env), Words{});
}

TEST(CommandFill, what_has_no_value_is_refused) {
  const auto missing = [](const std::string& name) { return refuse(Code::invalid, "no " + name); };
  EXPECT_EQ(filled_word("--x=${x}", value_of, missing).error().detail, "no x");
  EXPECT_FALSE(filled_word("${sizes*}${sizes*}", value_of, missing));
  EXPECT_FALSE(filled_word("${lr", value_of, missing));
}

}  // namespace
}  // namespace hone
