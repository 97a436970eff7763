#include "schemas/codec/words.hpp"

#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "base/nearest.hpp"
#include "schemas/codec/problem.hpp"
#include "schemas/types/budget_spec.hpp"
#include "schemas/types/dataset_spec.hpp"
#include "schemas/types/replicates_spec.hpp"
#include "schemas/types/trainer_spec.hpp"

namespace hone {
namespace {

// An enumerator as the source spells it: "go_on".
template <auto value>
std::string_view spelled() {
  const std::string_view function = __PRETTY_FUNCTION__;  // "... [with auto value = hone::E::name;"
  const auto end = function.find_first_of(";]", function.find("value = "));
  const auto begin = function.find_last_of(": ", end - 1) + 1;
  return function.substr(begin, end - begin);
}

// The words that are spelled otherwise, because C++ does not allow the word or other languages know
// it already.
std::string_view word_of(std::string_view enumerator) {
  if (enumerator == "go_on") return "continue";
  if (enumerator == "flags_equals") return "flags=";
  if (enumerator == "key_value") return "key=value";
  return enumerator;
}

// Every enumerator from 0 to last has its own word, in order.
template <auto last>
void expect_whole_table() {
  using E = decltype(last);
  ASSERT_EQ(words_of<E>.size(), static_cast<std::size_t>(last) + 1);
  const auto check = []<std::size_t i>() {
    constexpr auto value = static_cast<E>(i);
    EXPECT_EQ(word(value), word_of(spelled<value>()));
    EXPECT_EQ(parse_word<E>(word(value)), value) << word(value);
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) { (check.template operator()<i>(), ...); }
  (std::make_index_sequence<words_of<E>.size()>());
  EXPECT_EQ(parse_word<E>("no such word"), std::nullopt);
}

TEST(Words, are_the_names_of_their_enumerators) {
  expect_whole_table<Code::stale_epoch>();
  expect_whole_table<Scope::replica>();
  expect_whole_table<Goal::soonest>();
  expect_whole_table<RunClock::steps>();
  expect_whole_table<Scale::logit>();
  expect_whole_table<Keep::all>();
  expect_whole_table<DatasetRole::validation>();
  expect_whole_table<ParamStyle::env>();
  expect_whole_table<WorkFolder::copy>();
  expect_whole_table<CollectFormat::tensorboard>();
  expect_whole_table<Summary::min>();
  expect_whole_table<SweepState::failed>();
  expect_whole_table<RunState::canceled>();
  expect_whole_table<EndReason::failure_limit>();
  expect_whole_table<Failure::crash>();
  expect_whole_table<Verb::kill>();
  expect_whole_table<Told::infeasible>();
  expect_whole_table<Order::gone>();
  expect_whole_table<Action::stop>();
  expect_whole_table<VerdictReason::too_late>();
  expect_whole_table<TurnRule::share>();
  expect_whole_table<Aggregate::lcb>();
  expect_whole_table<Normalize::ranks>();
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
