// How a run ends at a worker: verdicts, orders, lost leases, starts that fail, exits.
#include <csignal>

#include "tests/unit/worker/given.hpp"

namespace hone::worker {
namespace {

// Verdicts --------------------------------------------------------------------

// After a stop the process exits by itself; the server has closed the lease, so nothing more is
// said for it.
TEST(WorkerEnding, AStoppedProcessExitsByItself) {
  GivenAgent given;
  given.run();
  given.report(0);
  given.verdict(Action::stop, VerdictReason::evicted);
  EXPECT_TRUE(given.has<TellTrial>());
  EXPECT_FALSE(given.has<Terminate>());
  given.exit(0);
  EXPECT_TRUE(given.has<Forget>());
  EXPECT_FALSE(given.call<EndCall>());
}

// One that does not: TERM after 10 s, KILL after 10 more.
TEST(WorkerEnding, AStubbornProcessIsEnded) {
  GivenAgent given;
  given.run();
  given.report(0);
  given.verdict(Action::stop, VerdictReason::evicted);
  given.after(seconds(10) - microseconds(1));
  EXPECT_FALSE(given.has<Terminate>());
  given.after(microseconds(1));
  EXPECT_TRUE(given.has<Terminate>());
  given.after(seconds(10));
  EXPECT_TRUE(given.has<Kill>());
  given.killed_by(SIGKILL);
  EXPECT_TRUE(given.has<Forget>());
}

// A program without SDK cannot hear a verdict: TERM is how it is told.
TEST(WorkerEnding, AProgramWithoutSdkGetsTermForAStop) {
  GivenAgent given;
  given.run();
  given.report(0, 1, Origin::output);
  given.verdict(Action::stop, VerdictReason::evicted);
  EXPECT_TRUE(given.has<Terminate>());
  EXPECT_FALSE(given.has<TellTrial>());
}

// A stopped run's lease is closed: a heartbeat in flight that says `gone` is no reason to KILL it
// in its grace.
TEST(WorkerEnding, GoneAfterAStopIsExpected) {
  GivenAgent given;
  given.run();
  given.report(0);
  given.after(seconds(3));
  given.verdict(Action::stop, VerdictReason::last_phase);
  given.order(Order::gone);
  EXPECT_FALSE(given.has<Kill>());
}

// A stopped run is no longer in the heartbeats.
TEST(WorkerEnding, AStoppedRunIsNotKeptAlive) {
  GivenAgent given;
  given.run();
  given.reply<BeatCall>(CallReply{BeatReply{}});
  given.report(0);
  given.verdict(Action::stop, VerdictReason::last_phase);
  given.after(seconds(5));
  EXPECT_FALSE(given.call<BeatCall>());
}

// pause: the process exits by itself and the run goes back, to be promoted or not.
// The server closed its lease with the verdict: the run waits there to be promoted, by whichever
// worker.
TEST(WorkerEnding, APausedRunLeavesNothingToSay) {
  GivenAgent given;
  given.run();
  given.report(0);
  given.verdict(Action::pause);
  EXPECT_FALSE(given.has<Terminate>());
  given.exit(0);
  EXPECT_TRUE(given.has<Forget>());
  EXPECT_FALSE(given.call<EndCall>());
}

// Reports that wait when the process ends still reach the server, before its end; a stop among them
// closes the lease.
TEST(WorkerEnding, ReportsOutliveTheirProcess) {
  GivenAgent given;
  given.run(small_grant(1, 2));
  given.report(0, 1, Origin::output);
  given.report(1, 2, Origin::output);
  given.exit(0);
  EXPECT_FALSE(given.call<EndCall>());
  given.verdict(Action::go_on);
  given.verdict(Action::stop, VerdictReason::last_phase);
  EXPECT_TRUE(given.has<Forget>());
  EXPECT_FALSE(given.call<EndCall>());
}

// Orders and fencing ----------------------------------------------------------

TEST(WorkerEnding, CancelIsTermThenKill) {
  GivenAgent given;
  given.run();
  given.order(Order::cancel);
  EXPECT_TRUE(given.has<Terminate>());
  given.order(Order::cancel);
  EXPECT_FALSE(given.has<Terminate>()) << "once";
  given.after(seconds(10));
  EXPECT_TRUE(given.has<Kill>());
  given.killed_by(SIGKILL);
  EXPECT_EQ(given.request<EndCall>().request.reason, EndReason::user_cancel);
}

TEST(WorkerEnding, KillIsKill) {
  GivenAgent given;
  given.run();
  given.order(Order::kill);
  EXPECT_TRUE(given.has<Kill>());
  given.killed_by(SIGKILL);
  EXPECT_EQ(given.request<EndCall>().request.reason, EndReason::user_kill);
}

// kill may follow cancel.
TEST(WorkerEnding, KillOverrulesCancel) {
  GivenAgent given;
  given.run();
  given.order(Order::cancel);
  given.order(Order::kill);
  EXPECT_TRUE(given.has<Kill>());
}

// And never the other way round.
TEST(WorkerEnding, CancelDoesNotOverruleKill) {
  GivenAgent given;
  given.run();
  given.order(Order::kill);
  given.order(Order::cancel);
  given.killed_by(SIGKILL);
  EXPECT_EQ(given.request<EndCall>().request.reason, EndReason::user_kill);
}

// TERM is sent once, and its grace is not begun again: a worker that leaves is not kept waiting.
TEST(WorkerEnding, ASecondReasonToEndDoesNotProlongIt) {
  GivenAgent given;
  given.run();
  given.report(0);
  given.verdict(Action::stop, VerdictReason::evicted);
  given.after(seconds(10));
  EXPECT_TRUE(given.has<Terminate>());
  given.after(seconds(9));
  given.when(Drain{});
  EXPECT_FALSE(given.has<Terminate>());
  given.after(seconds(1));
  EXPECT_TRUE(given.has<Kill>());
}

// A lease that is gone: KILL, wait for the exit, forget; not a word to the server.
TEST(WorkerEnding, GoneIsKillAndSilence) {
  GivenAgent given;
  given.run();
  given.order(Order::gone);
  EXPECT_TRUE(given.has<Kill>());
  EXPECT_FALSE(given.has<Forget>()) << "its process still lives";
  EXPECT_EQ(given.agent.running(), 1U);
  given.killed_by(SIGKILL);
  EXPECT_TRUE(given.has<Forget>());
  EXPECT_FALSE(given.call<EndCall>());
}

TEST(WorkerEnding, AStaleLeaseIsKillAndSilence) {
  GivenAgent given;
  given.run();
  given.report(0);
  given.reply<ReportCall>(stale());
  EXPECT_TRUE(given.has<Kill>());
  EXPECT_FALSE(given.has<TellTrial>());
  given.killed_by(SIGKILL);
  EXPECT_TRUE(given.has<Forget>());
  EXPECT_FALSE(given.call<EndCall>());
}

// The server answers a last report and a heartbeat at once: `gone` may overtake the verdict, which
// settles it.
TEST(WorkerEnding, GoneWaitsForAReportInFlight) {
  GivenAgent given;
  given.run();
  given.report(0);
  given.order(Order::gone);
  EXPECT_FALSE(given.has<Kill>());
  given.verdict(Action::stop, VerdictReason::last_phase);
  EXPECT_TRUE(given.has<TellTrial>());
  EXPECT_FALSE(given.has<Kill>());
}

TEST(WorkerEnding, AnEndForAStaleLeaseIsForgotten) {
  GivenAgent given;
  given.run();
  given.exit(1);
  given.reply<EndCall>(stale());
  EXPECT_TRUE(given.has<Forget>());
}

// An end is told until the server has heard it, and the lease is kept alive so long.
TEST(WorkerEnding, AnEndIsToldUntilItIsHeard) {
  GivenAgent given;
  given.run();
  given.exit(1);
  for (int i = 0; i < 20; ++i) {
    given.reply<EndCall>(away());
    while (!given.call<EndCall>()) {
      given.at_deadline();
      if (given.call<BeatCall>()) {
        EXPECT_EQ(given.request<BeatCall>().request.leases, std::vector{LeaseId{1}});
        given.reply<BeatCall>(away());
      }
    }
  }
  given.reply<EndCall>(CallReply{Done{}});
  EXPECT_TRUE(given.has<Forget>());
}

// A cancel that comes after the process ended by itself does not change what is told.
TEST(WorkerEnding, AnOrderAfterTheExitChangesNothing) {
  GivenAgent given;
  given.run();
  given.report(0, 1, Origin::output);
  given.exit(86);
  given.order(Order::cancel);
  EXPECT_FALSE(given.has<Terminate>());
  given.verdict(Action::go_on);
  EXPECT_EQ(given.request<EndCall>().request.reason, EndReason::infeasible);
}

// Starting --------------------------------------------------------------------

// A run that continues has its checkpoint here before its process starts.
TEST(WorkerEnding, FetchesTheCheckpointFirst) {
  GivenAgent given;
  given.run(resumed_grant());
  EXPECT_FALSE(given.has<Spawn>());
  EXPECT_EQ(given.request<FetchBlob>().model.id, ModelId{3});
  given.reply<FetchBlob>(away());
  given.at_deadline();
  given.reply<FetchBlob>(CallReply{FetchedBlob{"/cache/a"}});
  ASSERT_TRUE(given.has<Spawn>());
  EXPECT_EQ(given.said<Spawn>()[0].resume_path, "/cache/a");
}

TEST(WorkerEnding, ACheckpointThatIsGoneCannotStart) {
  GivenAgent given;
  given.run(resumed_grant());
  given.reply<FetchBlob>(refuse(Code::not_found, "no such blob"));
  const auto end = given.request<EndCall>().request;
  EXPECT_EQ(end.reason, EndReason::cannot_start);
  EXPECT_NE(end.detail.find("md_3"), std::string::npos);
}

TEST(WorkerEnding, ACancelWhileFetchingEndsWithoutAProcess) {
  GivenAgent given;
  given.run(resumed_grant());
  given.order(Order::cancel);
  EXPECT_FALSE(given.has<Terminate>());
  EXPECT_EQ(given.request<EndCall>().request.reason, EndReason::user_cancel);
  given.reply<FetchBlob>(CallReply{FetchedBlob{"/cache/a"}});
  EXPECT_FALSE(given.has<Spawn>());
  EXPECT_FALSE(given.has<Forget>()) << "the late blob is no answer to the end";
  given.reply<EndCall>(CallReply{Done{}});
  EXPECT_TRUE(given.has<Forget>());
}

// A machine that is at fault returns the run, and rests: one full disk must not fail a whole sweep.
TEST(WorkerEnding, AMachineThatCannotStartProcessesRests) {
  GivenAgent given;
  given.run();
  given.reply<AcquireRequest>(CallReply{std::optional<LeaseGrant>{}});
  given.when(NotStarted{LeaseId{1}, "is the disk full?", true});
  const auto end = given.request<EndCall>().request;
  EXPECT_EQ(end.reason, EndReason::requeue_requested);
  EXPECT_EQ(end.detail, "is the disk full?");
  given.reply<EndCall>(CallReply{Done{}});
  given.after(seconds(30) - microseconds(1));
  EXPECT_FALSE(given.call<AcquireRequest>());
  EXPECT_EQ(*given.agent.next_deadline(), given.now + microseconds(1));
  given.after(microseconds(1));
  EXPECT_TRUE(given.call<AcquireRequest>());
}

TEST(WorkerEnding, AProcessThatCannotStartIsTold) {
  GivenAgent given;
  given.run();
  given.when(NotStarted{LeaseId{1}, "there is no program 'train'"});
  const auto end = given.request<EndCall>().request;
  EXPECT_EQ(end.reason, EndReason::cannot_start);
  EXPECT_EQ(end.detail, "there is no program 'train'");
  EXPECT_EQ(given.agent.running(), 0U);
}

// Ends ------------------------------------------------------------------------

struct ExitCase {
  const char* what;
  int reports;  // answered before the exit, of 3
  bool by_signal;
  int number;
  EndReason reason;
  int exit_code;
  bool has_tail;
  Failure failure = Failure::none;
};

class WorkerExit : public testing::TestWithParam<ExitCase> {};

// What each exit means for the run (ARCHITECTURE.md, "The trial protocol").
TEST_P(WorkerExit, IsToldWithItsReason) {
  const ExitCase& one = GetParam();
  GivenAgent given;
  given.run();
  for (int phase = 0; phase < one.reports; ++phase) {
    given.report(phase);
    given.verdict(Action::go_on);
  }
  if (one.by_signal)
    given.killed_by(one.number);
  else
    given.exit(one.number);
  const auto end = given.request<EndCall>().request;
  EXPECT_EQ(end.reason, one.reason);
  EXPECT_EQ(end.exit_code, one.exit_code);
  EXPECT_EQ(end.log_tail.empty(), !one.has_tail);
  EXPECT_EQ(end.failure, one.failure);
}

INSTANTIATE_TEST_SUITE_P(
    All, WorkerExit,
    testing::Values(
        ExitCase{"all_phases", 3, false, 0, EndReason::budget_reached, 0, false},
        ExitCase{"early", 1, false, 0, EndReason::exited_early, 0, false},
        ExitCase{"silent", 0, false, 0, EndReason::no_report, 0, true, Failure::user_error},
        ExitCase{"requeue", 1, false, 85, EndReason::requeue_requested, 85, false},
        ExitCase{"infeasible", 0, false, 86, EndReason::infeasible, 86, true},
        ExitCase{"strangers_term", 1, false, 143, EndReason::signal, SIGTERM, true,
                 Failure::preempted},
        ExitCase{"failure", 1, false, 3, EndReason::exit_code, 3, true, Failure::user_error},
        ExitCase{"crash", 1, true, SIGSEGV, EndReason::signal, SIGSEGV, true, Failure::crash},
        ExitCase{"strangers_kill", 1, true, SIGKILL, EndReason::signal, SIGKILL, true,
                 Failure::infra}),
    [](const auto& one) { return std::string(one.param.what); });

}  // namespace
}  // namespace hone::worker
