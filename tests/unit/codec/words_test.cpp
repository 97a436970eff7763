#include "schemas/codec/words.hpp"

#include <gtest/gtest.h>

#include <array>

#include "base/nearest.hpp"
#include "schemas/codec/problem.hpp"
#include "schemas/codec/word_tables.hpp"

namespace hone {
namespace {

// Every enumerator from 0 to last has a row, in order, and no two rows share a word.
template <class E>
void expect_whole_table(E last) {
  const auto& rows = codec::words_of<E>;
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(last) + 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(rows[i].value), i);
    EXPECT_EQ(word(rows[i].value), rows[i].text);
    EXPECT_EQ(codec::parse_word<E>(rows[i].text), rows[i].value) << rows[i].text;
  }
  EXPECT_EQ(codec::parse_word<E>("no such word"), std::nullopt);
}

TEST(Words, tables_name_every_enumerator) {
  expect_whole_table(Code::rate_limited);
  expect_whole_table(Scope::admin);
  expect_whole_table(Goal::minimize);
  expect_whole_table(Scale::logit);
  expect_whole_table(Keep::all);
  expect_whole_table(SweepState::failed);
  expect_whole_table(RunState::canceled);
  expect_whole_table(EndReason::disk_limit);
  expect_whole_table(Failure::crash);
  expect_whole_table(Verb::kill);
  expect_whole_table(Told::infeasible);
  expect_whole_table(Order::gone);
  expect_whole_table(Action::stop);
  expect_whole_table(VerdictReason::outraced);
  expect_whole_table(Aggregate::lcb);
}

TEST(Words, go_on_is_continue_on_the_wire) {
  EXPECT_EQ(word(Action::go_on), "continue");
  EXPECT_EQ(parse_action("continue"), Action::go_on);
  EXPECT_EQ(parse_action("go_on"), std::nullopt);
}

constexpr std::array<std::string_view, 5> keys{"parameters", "parameter_set", "search", "min",
                                               "max"};

TEST(Nearest, finds_slips_of_the_finger) {
  EXPECT_EQ(nearest("paramters", keys), "parameters");
  EXPECT_EQ(nearest("serach", keys), "search");  // a swap costs one
  EXPECT_EQ(nearest("mim", keys), "min");
  EXPECT_EQ(nearest("Search", keys), "search");
}

TEST(Nearest, stays_silent_where_nothing_is_near) {
  EXPECT_EQ(nearest("frobnicate", keys), "");
  EXPECT_EQ(nearest("", keys), "");
  EXPECT_EQ(nearest("xy", std::array<std::string_view, 1>{"lr"}), "");
  EXPECT_EQ(nearest(std::string(10'000, 'a'), keys), "");
}

TEST(Nearest, writes_the_question) {
  EXPECT_EQ(did_you_mean("paramters", keys), " (did you mean 'parameters'?)");
  EXPECT_EQ(did_you_mean("frobnicate", keys), "");
}

TEST(Problem, every_code_has_a_status_and_knows_whether_to_try_again) {
  EXPECT_EQ(http_status(Code::invalid), 400);
  EXPECT_EQ(http_status(Code::stale_lease), 409);
  EXPECT_EQ(http_status(Code::timed_out), 504);
  EXPECT_TRUE(is_retryable(Code::busy));
  EXPECT_FALSE(is_retryable(Code::internal));
}

}  // namespace
}  // namespace hone
