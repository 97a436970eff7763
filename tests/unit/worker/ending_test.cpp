// How a run ends at a worker: verdicts, orders, lost leases, starts that fail, exits.
#include <csignal>

#include "tests/unit/worker/given.hpp"

namespace hone::worker {
namespace {

// Verdicts --------------------------------------------------------------------

// After a stop the process exits by itself; the server has closed the lease, so no end is sent.
TEST(WorkerEnding, a_stopped_process_exits_by_itself) {
  GivenAgent given;
  given.run();
  given.report(0);
  given.verdict(Action::stop, VerdictReason::evicted);
  EXPECT_TRUE(given.has<AnswerTrial>());
  EXPECT_FALSE(given.has<Terminate>());
  given.exit(0);
  EXPECT_TRUE(given.has<Forget>());
  EXPECT_FALSE(given.call<EndCall>());
}

// A process that does not exit gets TERM after 10 s and KILL 10 s later.
TEST(WorkerEnding, a_stubborn_process_is_ended) {
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

// A program without SDK gets no verdicts: a stop is a TERM.
TEST(WorkerEnding, a_program_without_sdk_gets_term_for_a_stop) {
  GivenAgent given;
  given.run();
  given.report(0, 1, Origin::output);
  given.verdict(Action::stop, VerdictReason::evicted);
  EXPECT_TRUE(given.has<Terminate>());
  EXPECT_FALSE(given.has<AnswerTrial>());
}

// A stopped run's lease is closed: `gone` in the reply to a heartbeat in flight does not kill it.
TEST(WorkerEnding, gone_after_a_stop_is_expected) {
  GivenAgent given;
  given.run();
  given.report(0);
  given.after(seconds(3));
  given.verdict(Action::stop, VerdictReason::last_phase);
  given.order(Order::gone);
  EXPECT_FALSE(given.has<Kill>());
}

// A stopped run is no longer in the heartbeats.
TEST(WorkerEnding, a_stopped_run_is_not_kept_alive) {
  GivenAgent given;
  given.run();
  given.reply<BeatCall>(CallReply{BeatReply{}});
  given.report(0);
  given.verdict(Action::stop, VerdictReason::last_phase);
  given.after(seconds(5));
  EXPECT_FALSE(given.call<BeatCall>());
}

// pause: the process exits by itself. The server closed its lease with the verdict; any worker may
// continue the run when it is promoted.
TEST(WorkerEnding, a_paused_run_leaves_nothing_to_say) {
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
TEST(WorkerEnding, reports_outlive_their_process) {
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

TEST(WorkerEnding, cancel_is_term_then_kill) {
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

TEST(WorkerEnding, kill_is_kill) {
  GivenAgent given;
  given.run();
  given.order(Order::kill);
  EXPECT_TRUE(given.has<Kill>());
  given.killed_by(SIGKILL);
  EXPECT_EQ(given.request<EndCall>().request.reason, EndReason::user_kill);
}

// kill may follow cancel.
TEST(WorkerEnding, kill_overrules_cancel) {
  GivenAgent given;
  given.run();
  given.order(Order::cancel);
  given.order(Order::kill);
  EXPECT_TRUE(given.has<Kill>());
}

// But cancel does not overrule kill.
TEST(WorkerEnding, cancel_does_not_overrule_kill) {
  GivenAgent given;
  given.run();
  given.order(Order::kill);
  given.order(Order::cancel);
  given.killed_by(SIGKILL);
  EXPECT_EQ(given.request<EndCall>().request.reason, EndReason::user_kill);
}

// TERM is sent once and its grace does not start again: a worker that drains need not wait longer.
TEST(WorkerEnding, a_second_reason_to_end_does_not_prolong_it) {
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

// A lease that is gone: KILL, wait for the exit, forget; no call to the server.
TEST(WorkerEnding, gone_is_kill_and_no_further_call) {
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

TEST(WorkerEnding, a_stale_lease_is_kill_and_no_further_call) {
  GivenAgent given;
  given.run();
  given.report(0);
  given.reply<ReportCall>(stale());
  EXPECT_TRUE(given.has<Kill>());
  EXPECT_FALSE(given.has<AnswerTrial>());
  given.killed_by(SIGKILL);
  EXPECT_TRUE(given.has<Forget>());
  EXPECT_FALSE(given.call<EndCall>());
}

// The server answers a last report and a heartbeat at once: `gone` may overtake the verdict, which
// settles it.
TEST(WorkerEnding, gone_waits_for_a_report_in_flight) {
  GivenAgent given;
  given.run();
  given.report(0);
  given.order(Order::gone);
  EXPECT_FALSE(given.has<Kill>());
  given.verdict(Action::stop, VerdictReason::last_phase);
  EXPECT_TRUE(given.has<AnswerTrial>());
  EXPECT_FALSE(given.has<Kill>());
}

// The reports of a time that the server lost are neither delivered nor thrown away.
TEST(WorkerEnding, a_stale_epoch_is_kill_and_keeps_what_was_not_delivered) {
  GivenAgent given;
  given.run();
  given.report(0);
  given.reply<ReportCall>(refuse(Code::stale_epoch, "this ledger never granted lease le_1"));
  EXPECT_TRUE(given.has<Kill>());
  given.killed_by(SIGKILL);
  ASSERT_TRUE(given.has<Forget>());
  EXPECT_TRUE(given.all<Forget>().front().refused);
  EXPECT_FALSE(given.call<EndCall>());
}

TEST(WorkerEnding, gone_with_a_stale_epoch_keeps_what_was_not_delivered) {
  GivenAgent given;
  given.run();
  for (int i = 0; i < 20 && !given.call<BeatCall>(); ++i) given.at_deadline();
  given.reply<BeatCall>(CallReply{BeatReply{{{LeaseId{1}, Order::gone, {}, true}}}});
  EXPECT_TRUE(given.has<Kill>());
  given.killed_by(SIGKILL);
  ASSERT_TRUE(given.has<Forget>());
  EXPECT_TRUE(given.all<Forget>().front().refused);
}

TEST(WorkerEnding, an_end_for_a_stale_lease_is_forgotten) {
  GivenAgent given;
  given.run();
  given.exit(1);
  given.reply<EndCall>(stale());
  EXPECT_TRUE(given.has<Forget>());
}

// An end is sent until the server has acknowledged it; the lease is renewed until then.
TEST(WorkerEnding, an_end_is_sent_until_it_is_acknowledged) {
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

// A cancel after the process has exited does not change the reason of its end.
TEST(WorkerEnding, an_order_after_the_exit_changes_nothing) {
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
TEST(WorkerEnding, fetches_the_checkpoint_first) {
  GivenAgent given;
  given.run(resumed_grant());
  EXPECT_FALSE(given.has<Spawn>());
  EXPECT_EQ(given.request<FetchBlob>().model.id, ModelId{3});
  given.reply<FetchBlob>(away());
  given.at_deadline();
  given.reply<FetchBlob>(CallReply{FetchedBlob{"/cache/a"}});
  ASSERT_TRUE(given.has<Spawn>());
  EXPECT_EQ(given.all<Spawn>()[0].resume_path, "/cache/a");
}

TEST(WorkerEnding, a_checkpoint_that_is_gone_cannot_start) {
  GivenAgent given;
  given.run(resumed_grant());
  given.reply<FetchBlob>(refuse(Code::not_found, "no such blob"));
  const auto end = given.request<EndCall>().request;
  EXPECT_EQ(end.reason, EndReason::cannot_start);
  EXPECT_NE(end.detail.find("md_3"), std::string::npos);
}

TEST(WorkerEnding, a_cancel_while_fetching_ends_without_a_process) {
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
TEST(WorkerEnding, a_machine_that_cannot_start_processes_rests) {
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

TEST(WorkerEnding, a_process_that_cannot_start_is_told) {
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
TEST_P(WorkerExit, is_told_with_its_reason) {
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
