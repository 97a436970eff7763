// How a worker leaves: at its known end, on a hint, and when it is idle.
#include "tests/unit/worker/given.hpp"

namespace hone::worker {
namespace {

AgentConfig ending_in(Duration life, Duration drain) {
  auto config = GivenAgent::with_slots(1);
  config.ends_in = life;
  config.drain = drain;
  return config;
}

TEST(WorkerLeaving, offers_tell_how_much_time_is_left) {
  GivenAgent given(ending_in(seconds(600), seconds(100)));
  given.join();
  EXPECT_EQ(given.request<AcquireRequest>().time_left, seconds(500));
}

TEST(WorkerLeaving, a_worker_without_an_end_names_none) {
  GivenAgent given;
  given.join();
  EXPECT_EQ(given.request<AcquireRequest>().time_left, std::nullopt);
}

// The run is returned after the report whose checkpoint is stored, without blame.
TEST(WorkerLeaving, near_its_end_a_run_is_returned_after_its_next_report) {
  GivenAgent given(ending_in(seconds(600), seconds(100)));
  given.run();
  given.after(seconds(500));
  EXPECT_FALSE(given.has<Terminate>());
  given.report(0);
  given.verdict(Action::go_on);
  EXPECT_TRUE(given.has<AnswerTrial>());
  EXPECT_TRUE(given.has<Terminate>());
  given.killed_by(15);
  const auto end = given.request<EndCall>().request;
  EXPECT_EQ(end.reason, EndReason::requeue_requested);
  EXPECT_EQ(end.failure, Failure::preempted);
  given.reply<EndCall>(CallReply{Done{}});
  EXPECT_TRUE(given.has<Quit>());
}

// With a wall time of 60 s a phase of 20 s that began at 21 s was cut at 40 s.
TEST(WorkerLeaving, a_run_is_returned_at_a_report_when_its_next_phase_would_be_cut) {
  GivenAgent given(ending_in(seconds(60), seconds(1)));
  given.join();
  EXPECT_EQ(given.request<AcquireRequest>().time_left, seconds(40))
      << "processes get TERM 20 s before the end, whatever `drain` is";
  given.grant(small_grant());
  given.after(seconds(15));
  given.report(0);
  given.verdict(Action::go_on);
  EXPECT_FALSE(given.has<Terminate>()) << "15 s more fit";
  given.after(seconds(15));
  given.report(1);
  given.verdict(Action::go_on);
  EXPECT_TRUE(given.has<Terminate>());
  given.killed_by(15);
  EXPECT_EQ(given.request<EndCall>().request.failure, Failure::preempted);
}

TEST(WorkerLeaving, a_run_that_reports_nothing_is_ended_shortly_before_the_end) {
  GivenAgent given(ending_in(seconds(600), seconds(100)));
  given.run();
  given.after(seconds(500));
  given.after(seconds(79));
  EXPECT_FALSE(given.has<Terminate>());
  given.after(seconds(1));
  EXPECT_TRUE(given.has<Terminate>());
}

TEST(WorkerLeaving, requests_no_run_any_more) {
  GivenAgent given(ending_in(seconds(600), seconds(100)));
  given.run();
  given.after(seconds(500));
  given.exit(0);
  given.reply<EndCall>(CallReply{Done{}});
  EXPECT_FALSE(given.call<AcquireRequest>());
  EXPECT_TRUE(given.agent.done());
}

TEST(WorkerLeaving, a_hint_begins_it_early) {
  GivenAgent given;
  given.run();
  given.when(Leave{"SIGUSR1"});
  given.report(0);
  given.verdict(Action::go_on);
  EXPECT_TRUE(given.has<Terminate>());
}

TEST(WorkerLeaving, a_grant_that_comes_too_late_is_returned_unstarted) {
  GivenAgent given;
  given.join();
  given.when(Leave{"SIGUSR1"});
  EXPECT_TRUE(given.agent.done());
}

TEST(WorkerLeaving, an_idle_worker_quits_after_its_time) {
  auto config = GivenAgent::with_slots(1);
  config.idle = seconds(30);
  GivenAgent given(config);
  given.join();
  given.after(seconds(29));
  EXPECT_FALSE(given.has<Quit>());
  given.after(seconds(1));
  EXPECT_TRUE(given.has<Quit>());
}

TEST(WorkerLeaving, a_run_restarts_the_idle_time) {
  auto config = GivenAgent::with_slots(1);
  config.idle = seconds(30);
  GivenAgent given(config);
  given.join();
  given.after(seconds(20));
  given.grant(small_grant());
  given.after(seconds(60));
  EXPECT_FALSE(given.agent.done());
}

// --until-idle: exits when there is no work and no run is left.
TEST(WorkerLeaving, leaves_when_idle) {
  auto config = GivenAgent::with_slots(2);
  config.until_idle = true;
  GivenAgent given(config);
  given.run();
  given.reply<AcquireRequest>(CallReply{std::optional<LeaseGrant>{}});
  EXPECT_FALSE(given.has<Quit>()) << "a run is under way";
  given.exit(1);
  given.reply<EndCall>(CallReply{Done{}});
  given.after(seconds(1));
  given.reply<AcquireRequest>(CallReply{std::optional<LeaseGrant>{}});
  EXPECT_TRUE(given.has<Quit>());
}

}  // namespace
}  // namespace hone::worker
