// limits.run and limits.phase at a worker.
#include "tests/unit/worker/given.hpp"

namespace hone::worker {
namespace {

LeaseGrant with_limits(std::optional<Duration> run, std::optional<Duration> phase) {
  LeaseGrant grant = small_grant();
  grant.limits = {run, phase};
  return grant;
}

TEST(WorkerLimits, a_silent_process_is_ended_for_its_phase_limit) {
  GivenAgent given;
  given.run(with_limits({}, seconds(60)));
  given.after(seconds(60) - microseconds(1));
  EXPECT_FALSE(given.has<Terminate>());
  given.after(microseconds(1));
  EXPECT_TRUE(given.has<Terminate>());
  given.after(seconds(10));
  EXPECT_TRUE(given.has<Kill>());
  given.killed_by(9);
  const auto end = given.request<EndCall>().request;
  EXPECT_EQ(end.reason, EndReason::time_limit);
  EXPECT_EQ(end.failure, Failure::timed_out);
  EXPECT_EQ(end.detail, "no report and no checkpoint for 60 s (limits.phase)");
}

TEST(WorkerLimits, a_report_is_a_sign_of_life_and_waiting_for_its_verdict_is_not_silence) {
  GivenAgent given;
  given.run(with_limits({}, seconds(60)));
  given.after(seconds(59));
  given.report(0);
  given.after(seconds(3600));
  EXPECT_FALSE(given.has<Terminate>()) << "it waits for the server";
  given.verdict(Action::go_on);
  given.after(seconds(59));
  EXPECT_FALSE(given.has<Terminate>());
  given.after(seconds(1));
  EXPECT_TRUE(given.has<Terminate>());
}

TEST(WorkerLimits, the_time_of_a_run_adds_up_over_its_reports) {
  GivenAgent given;
  given.run(with_limits(seconds(100), {}));
  given.after(seconds(60));
  given.report(0);
  given.after(seconds(1000));
  given.verdict(Action::go_on);
  given.after(seconds(40) - microseconds(1));
  EXPECT_FALSE(given.has<Terminate>());
  given.after(microseconds(1));
  EXPECT_TRUE(given.has<Terminate>());
  given.exit(143);
  EXPECT_EQ(given.request<EndCall>().request.detail, "the run used up its time (limits.run)");
}

TEST(WorkerLimits, a_report_tells_what_its_phase_took_without_waiting_for_the_server) {
  GivenAgent given;
  given.join({WorkerId{1}, seconds(15), seconds(3), {}, true});
  given.grant(small_grant());
  given.after(seconds(20));
  given.report(0);
  EXPECT_EQ(given.request<ReportCall>().request.phase_seconds, 20);
  given.after(seconds(1000));
  given.verdict(Action::go_on);
  given.after(seconds(30));
  given.when(LineReceived{LeaseId{1}, CheckpointLine{"1.pt", 20, 1}, Origin::output});
  given.after(seconds(1));
  given.report(1);
  given.reply<StoreBlob>(CallReply{StoredBlob{"abc", 5}});
  given.reply<SaveModelCall>(CallReply{SaveModelReply{}});
  EXPECT_EQ(given.request<ReportCall>().request.phase_seconds, 30) << "without its checkpoint";
}

// It trained while the report before waited. Such phases had no time at all, and the first one's
// counted for each of them.
TEST(WorkerLimits, phases_of_a_process_that_does_not_wait_last_from_report_to_report) {
  GivenAgent given;
  given.join({WorkerId{1}, seconds(15), seconds(3), {}, true});
  given.grant(small_grant());
  given.after(seconds(20));
  given.report(0);
  given.after(seconds(20));
  given.report(1);
  given.verdict(Action::go_on);
  EXPECT_EQ(given.request<ReportCall>().request.phase_seconds, 20);
  given.after(seconds(15));
  given.verdict(Action::go_on);
  given.after(seconds(7));
  given.report(2);
  EXPECT_EQ(given.request<ReportCall>().request.phase_seconds, 22) << "of 22 s, 7 counted";
  given.report(3);
  given.verdict(Action::go_on);
  EXPECT_EQ(given.request<ReportCall>().request.phase_seconds, 0) << "in one write with the last";
}

TEST(WorkerLimits, an_older_server_is_not_told_what_a_phase_took) {
  GivenAgent given;
  given.run();
  given.after(seconds(20));
  given.report(0);
  EXPECT_EQ(given.request<ReportCall>().request.phase_seconds, std::nullopt);
}

TEST(WorkerLimits, none_is_no_deadline) {
  GivenAgent given;
  given.run();
  given.after(seconds(1'000'000));
  EXPECT_FALSE(given.has<Terminate>());
}

TEST(WorkerLimits, a_stopped_process_has_its_grace_and_no_other_clock) {
  GivenAgent given;
  given.run(with_limits(seconds(5), seconds(5)));
  given.report(0);
  given.verdict(Action::stop, VerdictReason::evicted);
  given.after(seconds(9));
  EXPECT_FALSE(given.has<Terminate>());
  given.exit(0);
  EXPECT_TRUE(given.has<Forget>());
}

TEST(WorkerLimits, a_disk_that_is_still_full_after_the_rest_is_noted_again) {
  GivenAgent given;
  given.join();
  given.when(DiskFull{"no space"});
  EXPECT_TRUE(given.has<Note>());
  given.when(DiskFull{"no space"});
  EXPECT_FALSE(given.has<Note>());
  given.now = given.now + limits::rest;
  given.when(DiskFull{"no space"});
  EXPECT_TRUE(given.has<Note>());
}

TEST(WorkerLimits, the_agent_wakes_when_a_limit_is_exceeded) {
  GivenAgent given;
  given.run(with_limits({}, seconds(1)));
  ASSERT_TRUE(given.agent.next_deadline());
  EXPECT_LE(*given.agent.next_deadline(), given.now + seconds(1));
}

}  // namespace
}  // namespace hone::worker
