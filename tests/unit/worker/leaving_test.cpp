// How a worker leaves: at its known end, on a hint, and when it is idle.
#include "tests/unit/worker/given.hpp"
#include "worker/agent/limits.hpp"

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
  EXPECT_FALSE(given.agent.done()) << "its request for work may be granted at this instant";
  given.grant(small_grant());
  EXPECT_FALSE(given.has<Spawn>());
  EXPECT_EQ(given.request<EndCall>().request.reason, EndReason::requeue_requested);
  given.reply<EndCall>(CallReply{Done{}});
  EXPECT_FALSE(given.agent.done());
  given.no_work();
  EXPECT_TRUE(given.agent.done());
}

// A worker with two slots got its own run back through the request of its free slot, and exited:
// the run was lost with the worker.
TEST(WorkerLeaving, a_request_for_work_that_waits_is_withdrawn_before_a_run_is_returned) {
  for (const Input& signal : {Input{Drain{}}, Input{Leave{"SIGUSR1"}}}) {
    GivenAgent given;
    given.run();
    const auto waiting = given.request<AcquireRequest>();
    EXPECT_EQ(waiting.cpus, 1);
    given.when(signal);
    const auto sent = given.all<Send>();
    ASSERT_EQ(sent.size(), 1U) << "before the end of the run is";
    const auto& withdrawal = std::get<AcquireRequest>(sent[0].call);
    EXPECT_NE(withdrawal.request_id, waiting.request_id);
    EXPECT_EQ(withdrawal.cpus + withdrawal.gpus, 0);
    EXPECT_EQ(withdrawal.wait, Duration{});
    given.exit(143);
    given.reply<EndCall>(CallReply{Done{}});
    EXPECT_FALSE(given.agent.done()) << "a grant may be on its way";
    given.no_work();
    EXPECT_TRUE(given.agent.done());
  }
}

// The withdrawal may overtake the request: then the request waits at the server after it.
TEST(WorkerLeaving, a_request_that_is_not_answered_is_withdrawn_again) {
  GivenAgent given;
  given.run();
  given.when(Drain{});
  const auto withdrawal = given.all<Send>().at(0);
  std::erase_if(given.open, [&](const Send& one) { return one.id == withdrawal.id; });
  given.when(Replied{withdrawal.id, CallReply{std::optional<LeaseGrant>{}}});
  given.at_deadline();
  const auto again = given.all<Send>();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(std::get<AcquireRequest>(again[0].call).cpus, 0);
}

// Whether the lost reply was a grant is asked under the same id, for nothing else.
TEST(WorkerLeaving, a_request_whose_reply_was_lost_is_repeated_without_an_offer) {
  GivenAgent given;
  given.run();
  given.when(Drain{});
  const auto waiting = given.request<AcquireRequest>();
  given.reply<AcquireRequest>(refuse(Code::timed_out, "no answer"));
  given.at_deadline();
  const auto again = given.all<Send>();
  ASSERT_EQ(again.size(), 1U);
  const auto& repeated = std::get<AcquireRequest>(again[0].call);
  EXPECT_EQ(repeated.request_id, waiting.request_id);
  EXPECT_EQ(repeated.cpus, 0);
}

TEST(WorkerLeaving, an_idle_worker_leaves_at_once_where_no_server_answers) {
  GivenAgent given;
  given.join();
  given.when(Drain{});
  given.reply<AcquireRequest>(away());
  EXPECT_TRUE(given.agent.done());
}

TEST(WorkerLeaving, an_idle_worker_waits_two_seconds_for_a_server_that_hangs) {
  GivenAgent given;
  given.join();
  given.when(Drain{});
  EXPECT_FALSE(given.agent.done());
  given.after(seconds(2));
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
  EXPECT_EQ(given.all<Send>().size(), 1U) << "its request is withdrawn";
  given.no_work();
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

TEST(WorkerLeaving, the_agent_wakes_when_the_time_of_its_last_reports_begins) {
  GivenAgent given(ending_in(seconds(600), seconds(100)));
  const Instant begun = given.now;
  given.run();
  for (int i = 0; i < 1000 && given.now < begun + seconds(500); ++i) {
    given.at_deadline();
    if (given.call<BeatCall>())
      given.reply<BeatCall>(CallReply{BeatReply{{{LeaseId{1}, Order::none, {}}}}});
  }
  EXPECT_EQ(given.now, begun + seconds(500));
}

TEST(WorkerLeaving, an_idle_worker_wakes_at_its_end) {
  GivenAgent given(ending_in(seconds(600), seconds(100)));
  const Instant begun = given.now;
  given.join();
  EXPECT_EQ(given.agent.next_deadline(), begun + seconds(500));
}

TEST(WorkerLeaving, a_request_for_work_waits_no_longer_than_the_worker_lives) {
  GivenAgent given(ending_in(seconds(120), seconds(100)));
  given.join();
  EXPECT_EQ(given.request<AcquireRequest>().wait, limits::acquire_wait);
  given.now = given.now + seconds(15);
  given.no_work();
  for (int i = 0; i < 10 && !given.call<AcquireRequest>(); ++i) given.at_deadline();
  const auto request = given.request<AcquireRequest>();
  EXPECT_LE(request.wait, seconds(5));
  EXPECT_EQ(request.wait, request.time_left);
}

}  // namespace
}  // namespace hone::worker
