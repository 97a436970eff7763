// What a server counts of events.
#include "server/engine/counters.hpp"

#include <gtest/gtest.h>

#include "schemas/types/event.hpp"
#include "server/engine/clock_meter.hpp"

namespace hone {
namespace {

// Reasons that were added later had no place in the table: they were counted as failures.
TEST(Counters, have_a_place_for_every_reason_of_a_verdict_that_stops) {
  Counters counters;
  ClockMeter meter(counters);
  for (std::size_t i = 0; i < words_of<VerdictReason>.size(); ++i) {
    VerdictGiven given;
    given.verdict.action = Action::stop;
    given.verdict.reason = static_cast<VerdictReason>(i);
    meter.happened(given);
    EXPECT_EQ(counters.stops.of(i), 1U) << words_of<VerdictReason>[i];
  }
  EXPECT_EQ(counters.stops.size, words_of<VerdictReason>.size());
  for (std::size_t i = 0; i < counters.failures.size; ++i) EXPECT_EQ(counters.failures.of(i), 0U);
}

TEST(Counters, have_a_place_for_every_class_of_failure_and_reason_of_a_return) {
  Counters counters;
  ClockMeter meter(counters);
  for (std::size_t i = 0; i < words_of<EndReason>.size(); ++i) {
    RunReturned returned;
    returned.reason = static_cast<EndReason>(i);
    meter.happened(returned);
    EXPECT_EQ(counters.returns.of(i), 1U) << words_of<EndReason>[i];
  }
  for (std::size_t i = 1; i < words_of<Failure>.size(); ++i) {
    RunEnded ended;
    ended.failure = static_cast<Failure>(i);
    meter.happened(ended);
    EXPECT_EQ(counters.failures.of(i), 1U) << words_of<Failure>[i];
  }
}

}  // namespace
}  // namespace hone
