#include "schemas/codec/words.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <string>

#include "base/nearest.hpp"
#include "schemas/codec/problem.hpp"
#include "schemas/types/budget_spec.hpp"
#include "schemas/types/dataset_spec.hpp"
#include "schemas/types/replicates_spec.hpp"
#include "schemas/types/trainer_spec.hpp"
#include "schemas/types/width.hpp"

namespace hone {
namespace {

// The words of E in order, each of which reads back as its enumerator.
template <class E>
std::string words_both_ways() {
  std::string all;
  for (std::size_t i = 0; i < words_of<E>.size(); ++i) {
    const auto value = static_cast<E>(i);
    EXPECT_EQ(parse_word<E>(word(value)), value) << word(value);
    all.append(all.empty() ? "" : " ").append(word(value));
  }
  EXPECT_EQ(word(static_cast<E>(words_of<E>.size())), "unknown");
  EXPECT_EQ(parse_word<E>("no such word"), std::nullopt);
  return all;
}

// Ledgers, sweep files and clients have them: an enumerator may be added at the end, but neither
// renamed nor moved.
TEST(Words, are_permanent) {
  EXPECT_EQ(words_both_ways<Code>(),
            "invalid not_found conflict stale_lease forbidden too_large busy unavailable "
            "timed_out internal unauthenticated rate_limited stale_epoch");
  EXPECT_EQ(words_both_ways<Scope>(), "read submit worker admin replica");
  EXPECT_EQ(words_both_ways<Goal>(), "maximize minimize soonest");
  EXPECT_EQ(words_both_ways<Scale>(), "linear log logit");
  EXPECT_EQ(words_both_ways<Keep>(), "best all");
  EXPECT_EQ(words_both_ways<DatasetRole>(), "train validation");
  EXPECT_EQ(words_both_ways<ParamStyle>(), "none flags flags= key=value json env switches pairs");
  EXPECT_EQ(words_both_ways<WorkFolder>(), "shared fresh copy");
  EXPECT_EQ(words_both_ways<CollectFormat>(), "csv jsonl regex tensorboard");
  EXPECT_EQ(words_both_ways<Summary>(), "last mean median max min");
  EXPECT_EQ(words_both_ways<NanRule>(), "diverged skip");
  EXPECT_EQ(words_both_ways<SweepState>(),
            "running paused stopping completed canceled failed quarantined");
  EXPECT_EQ(words_both_ways<RunState>(),
            "queued leased running paused completed stopped failed canceled");
  EXPECT_EQ(words_both_ways<EndReason>(),
            "none budget_reached exited_early bar_reached evicted not_promoted diverged "
            "no_report exit_code signal told_failed cannot_start infeasible requeue_requested "
            "worker_lost retries_exhausted user_stop user_cancel user_kill time_limit "
            "disk_limit failure_limit");
  EXPECT_EQ(words_both_ways<Failure>(),
            "none oom infra preempted infeasible diverged timed_out user_error crash");
  EXPECT_EQ(words_both_ways<Verb>(), "pause resume stop cancel kill");
  EXPECT_EQ(words_both_ways<Order>(), "none cancel kill gone");
  EXPECT_EQ(words_both_ways<Action>(), "continue pause stop");
  EXPECT_EQ(words_both_ways<VerdictReason>(),
            "no_rule last_phase diverged collecting good_enough evicted between_rungs "
            "promoted awaits_promotion awaits_seeds outraced no_checkpoint finishes replaced "
            "awaits_turn step_follows yields reached too_late");
  EXPECT_EQ(words_both_ways<RunClock>(), "seconds cpu_seconds steps");
  EXPECT_EQ(words_both_ways<TurnRule>(), "minimum share");
  EXPECT_EQ(words_both_ways<WidthRule>(), "waiting full most measured gain others");
  EXPECT_EQ(words_both_ways<Aggregate>(), "mean median iqm lcb");
  EXPECT_EQ(words_both_ways<Normalize>(), "references ranks");
  EXPECT_EQ(words_both_ways<Told>(), "value failed infeasible");
  EXPECT_EQ(words_both_ways<FleetState>(), "running halted stopping stopped");
  EXPECT_EQ(words_both_ways<PilotState>(), "wanted unknown pending held running absent ended");
  EXPECT_EQ(words_both_ways<FleetRule>(),
            "demand minimum probe enough at_max backlog back_off halted limited stopping "
            "over_max surplus adopted completed failed vanished never_seen rejected");
}

TEST(Words, go_on_is_continue_on_the_wire) {
  EXPECT_EQ(word(Action::go_on), "continue");
  EXPECT_EQ(parse_word<Action>("continue"), Action::go_on);
  EXPECT_EQ(parse_word<Action>("go_on"), std::nullopt);
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
  const std::map<Code, int> statuses{
      {Code::invalid, 400},    {Code::not_found, 404},       {Code::conflict, 409},
      {Code::busy, 503},       {Code::stale_lease, 409},     {Code::forbidden, 403},
      {Code::timed_out, 504},  {Code::unavailable, 503},     {Code::too_large, 413},
      {Code::internal, 500},   {Code::unauthenticated, 401}, {Code::rate_limited, 429},
      {Code::stale_epoch, 409}};
  EXPECT_EQ(statuses.size(), words_of<Code>.size());
  for (const auto& [code, status] : statuses) EXPECT_EQ(http_status(code), status) << word(code);
  std::set<Code> retryable;
  for (const auto& [code, status] : statuses)
    if (is_retryable(code)) retryable.insert(code);
  EXPECT_EQ(retryable,
            (std::set{Code::busy, Code::unavailable, Code::timed_out, Code::rate_limited}));
}

}  // namespace
}  // namespace hone
