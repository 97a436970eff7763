// The turns of speakers: pure, with costs as arguments.
#include "server/http/fair_queue.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace hone::http {
namespace {

constexpr QueueBounds one_at_a_time{
    .each_max = 100, .all_max = 250, .running_max = 1, .debt_max = seconds(10)};

class Turns : public testing::Test {
 protected:
  void push(const std::string& speaker, int jobs) {
    for (int i = 0; i < jobs; ++i) ASSERT_TRUE(queue_.push(speaker, i));
  }
  // Serves the next job for `cost`, and returns its speaker.
  std::string serve(Duration cost) {
    const auto turn = queue_.take();
    if (!turn) return "none";
    queue_.finish(turn->speaker, cost);
    return turn->speaker;
  }
  // How many jobs of each speaker are served, each for the cost of its speaker, within a time.
  std::map<std::string, int> serve_for(Duration time, const std::map<std::string, Duration>& cost) {
    std::map<std::string, int> served;
    while (time > Duration{}) {
      const auto turn = queue_.take();
      if (!turn) break;
      queue_.finish(turn->speaker, cost.at(turn->speaker));
      time = time - cost.at(turn->speaker);
      ++served[turn->speaker];
    }
    return served;
  }

  FairQueue<int> queue_{one_at_a_time};
};

TEST_F(Turns, of_a_newcomer_come_after_at_most_one_job_of_a_flood) {
  push("flood", 100);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(serve(milliseconds(100)), "flood");
  push("ann", 1);
  const auto first = serve(milliseconds(100));
  EXPECT_TRUE(first == "ann" || serve(milliseconds(100)) == "ann");
}

TEST_F(Turns, of_a_newcomer_come_next_after_the_job_that_is_running) {
  push("flood", 100);
  const auto running = queue_.take();
  push("ann", 1);
  queue_.finish(running->speaker, milliseconds(100));
  EXPECT_EQ(serve(milliseconds(1)), "ann");
}

TEST_F(Turns, of_jobs_that_cost_nothing_alternate) {
  push("ann", 3);
  push("bob", 3);
  std::string order;
  for (int i = 0; i < 6; ++i) order += serve({}).front();
  EXPECT_EQ(order, "ababab");
}

TEST_F(Turns, share_the_thread_by_cost_and_not_by_number) {
  push("dear", 100);
  push("cheap", 100);
  const auto served =
      serve_for(milliseconds(1000), {{"dear", milliseconds(50)}, {"cheap", milliseconds(10)}});
  EXPECT_NEAR(served.at("dear"), 10, 1);
  EXPECT_NEAR(served.at("cheap"), 50, 5);
}

TEST_F(Turns, follow_each_other_in_the_order_of_the_jobs_of_a_speaker) {
  push("ann", 3);
  for (int i = 0; i < 3; ++i) {
    const auto turn = queue_.take();
    EXPECT_EQ(turn->job, i);
    queue_.finish(turn->speaker, milliseconds(1));
  }
}

TEST_F(Turns, are_not_saved_up_while_a_speaker_is_idle) {
  push("bob", 50);
  for (int i = 0; i < 50; ++i) serve(milliseconds(10));
  push("bob", 50);
  push("ann", 50);
  const auto served =
      serve_for(milliseconds(500), {{"ann", milliseconds(10)}, {"bob", milliseconds(10)}});
  EXPECT_NEAR(served.at("bob"), 25, 1);
}

TEST_F(Turns, are_not_saved_up_while_a_long_job_runs_for_little_cost) {
  push("slow", 50);
  const auto waits_for_disk = queue_.take();
  push("ann", 50);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(serve(milliseconds(10)), "ann");
  queue_.finish(waits_for_disk->speaker, {});
  const auto served =
      serve_for(milliseconds(200), {{"ann", milliseconds(10)}, {"slow", milliseconds(10)}});
  EXPECT_NEAR(served.at("ann"), 10, 1);
}

TEST_F(Turns, return_after_a_bounded_debt) {
  push("ann", 2);
  const auto whole_sweep = queue_.take();
  push("bob", 100);
  queue_.finish(whole_sweep->speaker, seconds(3600));
  const auto served = serve_for(seconds(100), {{"ann", seconds(1)}, {"bob", seconds(1)}});
  EXPECT_EQ(served.at("ann"), 1) << "an hour of the others' jobs would have come before it";
}

TEST_F(Turns, remember_what_a_speaker_without_waiting_jobs_owes) {
  push("dear", 1);
  push("bob", 100);
  int dear = 0, bob = 0;
  while (bob < 50) {
    const auto turn = queue_.take();
    const bool is_dear = turn->speaker == "dear";
    queue_.finish(turn->speaker, is_dear ? seconds(1) : milliseconds(100));
    ++(is_dear ? dear : bob);
    if (is_dear) push("dear", 1);  // only when the one before it is done
  }
  EXPECT_NEAR(dear, 5, 1);
}

TEST_F(Turns, go_to_one_job_of_a_speaker_at_a_time) {
  push("flood", 2);
  const auto running = queue_.take();
  EXPECT_FALSE(queue_.take());
  push("ann", 1);
  EXPECT_EQ(serve({}), "ann");
  queue_.finish(running->speaker, {});
  EXPECT_EQ(serve({}), "flood");
}

TEST_F(Turns, are_refused_beyond_the_bound_of_a_speaker_while_others_have_room) {
  push("flood", 100);
  const auto refused = queue_.push("flood", 100);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::busy);
  push("ann", 100);
  push("bob", 50);
  EXPECT_FALSE(queue_.push("zoe", 0)) << "as many as may wait in all";
  EXPECT_EQ(queue_.waiting(), 250U);
}

TEST_F(Turns, forget_speakers_that_owe_nothing) {
  for (int i = 0; i < 1000; ++i) {
    push("speaker " + std::to_string(i), 1);
    serve(milliseconds(1));
  }
  EXPECT_EQ(queue_.accounts(), 0U);
}

}  // namespace
}  // namespace hone::http
