// The life of one run at a worker: its lines, its verdicts, its end.
#include <csignal>

#include "worker_given.hpp"

namespace hone::worker {
namespace {

LeaseGrant resumed_grant() {
  LeaseGrant grant = small_grant();
  grant.next_phase = 1;
  grant.resume = ModelRef{ModelId{3}, std::string(64, 'a'), 10, 10, 0};
  return grant;
}

// Lines --------------------------------------------------------------------------------------------

// A report goes to the server, its verdict back to the process.
TEST(WorkerAttempt, RelaysAReport) {
  GivenAgent given;
  given.run();
  given.report(0, 0.5);
  EXPECT_EQ(given.request<ReportCall>().request.score, Score::of(0.5));
  given.verdict(Action::go_on, VerdictReason::good_enough);
  ASSERT_EQ(given.said<TellTrial>().size(), 1U);
  const auto answer = std::get<Verdict>(given.said<TellTrial>()[0].answer);
  EXPECT_EQ(answer.reason, VerdictReason::good_enough);
}

// A report without phase is of the next one.
TEST(WorkerAttempt, FillsInThePhase) {
  GivenAgent given;
  given.run(resumed_grant());
  given.reply<FetchBlob>(CallReply{FetchedBlob{"/cache/a"}});
  for (const int phase : {1, 2}) {
    given.when(TrialSaid{LeaseId{1}, ReportLine{std::nullopt, 10, Score::of(1)}, Origin::socket});
    EXPECT_EQ(given.request<ReportCall>().request.phase, phase);
    given.verdict(Action::go_on);
  }
}

// While the server is away a report waits, is sent again unchanged, and is answered once.
TEST(WorkerAttempt, KeepsAReportUntilTheServerIsBack) {
  GivenAgent given;
  given.run();
  given.report(0, 0.5);
  const auto first = given.request<ReportCall>();
  for (int i = 0; i < 50; ++i) {
    given.reply<ReportCall>(i % 2 == 0 ? away() : refuse(Code::busy, "the inbox is full"));
    EXPECT_FALSE(given.has<TellTrial>());
    while (!given.call<ReportCall>()) {
      given.at_deadline();
      if (given.call<BeatCall>()) given.reply<BeatCall>(away());
    }
    EXPECT_EQ(given.request<ReportCall>().request.phase, first.request.phase);
    EXPECT_EQ(given.request<ReportCall>().request.score, first.request.score);
  }
  given.verdict(Action::go_on);
  EXPECT_EQ(given.said<TellTrial>().size(), 1U);
  EXPECT_FALSE(given.call<ReportCall>());
}

// Lines reach the server one at a time and in their order.
TEST(WorkerAttempt, KeepsTheOrder) {
  GivenAgent given;
  given.run();
  given.when(TrialSaid{LeaseId{1}, CheckpointLine{"p0.pt", 10, 0}, Origin::output});
  given.report(0, 1, Origin::output);
  given.report(1, 2, Origin::output);
  EXPECT_TRUE(given.call<StoreBlob>());
  EXPECT_FALSE(given.call<ReportCall>());
  given.reply<StoreBlob>(CallReply{StoredBlob{std::string(64, 'b'), 5}});
  given.reply<SaveModelCall>(CallReply{SaveModelReply{ModelId{1}}});
  EXPECT_EQ(given.request<ReportCall>().request.phase, 0);
  given.verdict(Action::go_on);
  EXPECT_EQ(given.request<ReportCall>().request.phase, 1);
}

// A checkpoint is hashed, stored and recorded before the process hears `saved`.
TEST(WorkerAttempt, SavesACheckpoint) {
  GivenAgent given;
  given.run();
  given.when(TrialSaid{LeaseId{1}, CheckpointLine{"p0.pt", 10, std::nullopt}, Origin::socket});
  EXPECT_EQ(given.request<StoreBlob>().path, "p0.pt");
  given.reply<StoreBlob>(CallReply{StoredBlob{std::string(64, 'b'), 5}});
  const auto save = given.request<SaveModelCall>().request;
  EXPECT_EQ(save.sha256, std::string(64, 'b'));
  EXPECT_EQ(save.bytes, 5);
  EXPECT_EQ(save.step, 10);
  EXPECT_EQ(save.phase, 0) << "of the phase that is reported next";
  EXPECT_FALSE(given.has<TellTrial>());
  given.reply<SaveModelCall>(CallReply{SaveModelReply{ModelId{1}}});
  EXPECT_EQ(std::get<Saved>(given.said<TellTrial>().at(0).answer).sha256, std::string(64, 'b'));
}

// A checkpoint that is no file is the process's mistake: it hears so, and may go on.
TEST(WorkerAttempt, RefusesACheckpointThatIsNotThere) {
  GivenAgent given;
  given.run();
  given.when(TrialSaid{LeaseId{1}, CheckpointLine{"gone.pt", 10, 0}, Origin::socket});
  given.reply<StoreBlob>(refuse(Code::invalid, "is not there", "/checkpoint/path"));
  EXPECT_EQ(std::get<Error>(given.said<TellTrial>().at(0).answer).at, "/checkpoint/path");
  EXPECT_FALSE(given.has<Kill>());
}

// What the server refuses, the process hears; the phase is not counted.
TEST(WorkerAttempt, RelaysARefusal) {
  GivenAgent given;
  given.run();
  given.report(2);
  given.reply<ReportCall>(refuse(Code::conflict, "phase 0 has no report yet", "/phase"));
  EXPECT_EQ(std::get<Error>(given.said<TellTrial>().at(0).answer).code, Code::conflict);
  given.when(TrialSaid{LeaseId{1}, ReportLine{std::nullopt, 10, Score::of(1)}, Origin::socket});
  EXPECT_EQ(given.request<ReportCall>().request.phase, 0);
}

// Our server's own mistake is tried a few times, then taken for an answer: a process must not wait for ever.
TEST(WorkerAttempt, GivesUpOnInternalErrors) {
  GivenAgent given;
  given.run();
  given.report(0);
  int tries = 0;
  while (!given.has<TellTrial>() && tries < 100) {
    ++tries;
    given.reply<ReportCall>(refuse(Code::internal, "a bug"));
    while (!given.has<TellTrial>() && !given.call<ReportCall>()) given.at_deadline();
  }
  EXPECT_EQ(tries, limits::internal_errors_max);
}

// A process that says more than the server takes is not listened to until there is room: it waits, and loses nothing.
TEST(WorkerAttempt, HoldsAProcessThatIsAhead) {
  GivenAgent given;
  given.run(small_grant(1, 1000));
  int said = 0;
  while (!given.has<Hold>() && said < 1000) given.report(said++, 1, Origin::output);
  EXPECT_EQ(said, static_cast<int>(limits::lane_items_max));
  EXPECT_TRUE(given.said<Hold>()[0].held);
  int taken = 0;
  do {
    EXPECT_EQ(given.request<ReportCall>().request.phase, taken++);
    given.verdict(Action::go_on);
  } while (!given.has<Hold>() && taken < said);
  EXPECT_FALSE(given.said<Hold>()[0].held);
  while (given.call<ReportCall>()) {
    EXPECT_EQ(given.request<ReportCall>().request.phase, taken++);
    given.verdict(Action::go_on);
  }
  EXPECT_EQ(taken, said) << "every report arrived";
}

// Metrics -------------------------------------------------------------------------------------------

// Points go in batches, a second after the first.
TEST(WorkerAttempt, FlushesPointsEverySecond) {
  GivenAgent given;
  given.run();
  for (int i = 0; i < 3; ++i) given.when(TrialSaid{LeaseId{1}, MetricPoint{"loss", i, 1.0}, Origin::socket});
  EXPECT_FALSE(given.call<MetricsCall>());
  given.after(seconds(1));
  EXPECT_EQ(given.request<MetricsCall>().request.points.size(), 3U);
}

TEST(WorkerAttempt, FlushesFiveHundredPointsAtOnce) {
  GivenAgent given;
  given.run();
  for (int i = 0; i < 500; ++i) given.when(TrialSaid{LeaseId{1}, MetricPoint{"loss", i, 1.0}, Origin::socket});
  EXPECT_EQ(given.request<MetricsCall>().request.points.size(), 500U);
}

// Points logged before a report are at the server before it, so that a curve is complete when its run ends.
TEST(WorkerAttempt, PointsGoBeforeTheReport) {
  GivenAgent given;
  given.run();
  given.when(TrialSaid{LeaseId{1}, MetricPoint{"loss", 1, 1.0}, Origin::socket});
  given.report(0);
  EXPECT_TRUE(given.call<MetricsCall>());
  EXPECT_FALSE(given.call<ReportCall>());
  given.reply<MetricsCall>(CallReply{Done{}});
  EXPECT_TRUE(given.call<ReportCall>());
}

// Telemetry is bounded: the oldest points go, and people are told how many.
TEST(WorkerAttempt, DropsTheOldestPointsAndSaysSo) {
  GivenAgent given;
  given.run();
  given.when(TrialSaid{LeaseId{1}, MetricPoint{"loss", -1, 1.0}, Origin::socket});
  given.after(seconds(1));  // this flush never gets an answer until the end
  const auto kept = static_cast<std::int64_t>(limits::points_max);
  for (std::int64_t i = 0; i < kept + 7; ++i)
    given.when(TrialSaid{LeaseId{1}, MetricPoint{"loss", i, 1.0}, Origin::socket});
  given.reply<MetricsCall>(CallReply{Done{}});
  ASSERT_EQ(given.said<Note>().size(), 1U);
  EXPECT_NE(given.said<Note>()[0].text.find("7 metric points were dropped"), std::string::npos);
  EXPECT_EQ(given.request<MetricsCall>().request.points.front().step, 7);
}

// Points left at the end of the process are sent before its end is told.
TEST(WorkerAttempt, FlushesTheLastPoints) {
  GivenAgent given;
  given.run();
  given.when(TrialSaid{LeaseId{1}, MetricPoint{"loss", 1, 1.0}, Origin::socket});
  given.exit(1);
  EXPECT_TRUE(given.call<MetricsCall>());
  EXPECT_FALSE(given.call<EndCall>());
  given.reply<MetricsCall>(refuse(Code::invalid, "a bad name"));
  EXPECT_TRUE(given.call<EndCall>()) << "refused telemetry is no reason to stop";
}

// Verdicts ------------------------------------------------------------------------------------------

// After a stop the process exits by itself; the server has closed the lease, so nothing more is said for it.
TEST(WorkerAttempt, AStoppedProcessExitsByItself) {
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
TEST(WorkerAttempt, AStubbornProcessIsEnded) {
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
TEST(WorkerAttempt, AProgramWithoutSdkGetsTermForAStop) {
  GivenAgent given;
  given.run();
  given.report(0, 1, Origin::output);
  given.verdict(Action::stop, VerdictReason::evicted);
  EXPECT_TRUE(given.has<Terminate>());
  EXPECT_FALSE(given.has<TellTrial>());
}

// A stopped run's lease is closed: a heartbeat in flight that says `gone` is no reason to KILL it in its grace.
TEST(WorkerAttempt, GoneAfterAStopIsExpected) {
  GivenAgent given;
  given.run();
  given.report(0);
  given.after(seconds(3));
  given.verdict(Action::stop, VerdictReason::last_phase);
  given.order(Order::gone);
  EXPECT_FALSE(given.has<Kill>());
}

// A stopped run is no longer in the heartbeats.
TEST(WorkerAttempt, AStoppedRunIsNotKeptAlive) {
  GivenAgent given;
  given.run();
  given.reply<BeatCall>(CallReply{BeatReply{}});
  given.report(0);
  given.verdict(Action::stop, VerdictReason::last_phase);
  given.after(seconds(5));
  EXPECT_FALSE(given.call<BeatCall>());
}

// pause: the process exits by itself and the run goes back, to be promoted or not.
TEST(WorkerAttempt, APausedRunGoesBack) {
  GivenAgent given;
  given.run();
  given.report(0);
  given.verdict(Action::pause);
  EXPECT_FALSE(given.has<Terminate>());
  given.exit(0);
  EXPECT_EQ(given.request<EndCall>().request.reason, EndReason::requeue_requested);
}

// Reports that wait when the process ends still reach the server, before its end; a stop among them closes the lease.
TEST(WorkerAttempt, ReportsOutliveTheirProcess) {
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

// Orders and fencing --------------------------------------------------------------------------------

TEST(WorkerAttempt, CancelIsTermThenKill) {
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

TEST(WorkerAttempt, KillIsKill) {
  GivenAgent given;
  given.run();
  given.order(Order::kill);
  EXPECT_TRUE(given.has<Kill>());
  given.killed_by(SIGKILL);
  EXPECT_EQ(given.request<EndCall>().request.reason, EndReason::user_kill);
}

// kill may follow cancel.
TEST(WorkerAttempt, KillOverrulesCancel) {
  GivenAgent given;
  given.run();
  given.order(Order::cancel);
  given.order(Order::kill);
  EXPECT_TRUE(given.has<Kill>());
}

// A lease that is gone: KILL, wait for the exit, forget; not a word to the server.
TEST(WorkerAttempt, GoneIsKillAndSilence) {
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

TEST(WorkerAttempt, AStaleLeaseIsKillAndSilence) {
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

// The server answers a last report and a heartbeat at once: `gone` may overtake the verdict, which settles it.
TEST(WorkerAttempt, GoneWaitsForAReportInFlight) {
  GivenAgent given;
  given.run();
  given.report(0);
  given.order(Order::gone);
  EXPECT_FALSE(given.has<Kill>());
  given.verdict(Action::stop, VerdictReason::last_phase);
  EXPECT_TRUE(given.has<TellTrial>());
  EXPECT_FALSE(given.has<Kill>());
}

TEST(WorkerAttempt, AnEndForAStaleLeaseIsForgotten) {
  GivenAgent given;
  given.run();
  given.exit(1);
  given.reply<EndCall>(stale());
  EXPECT_TRUE(given.has<Forget>());
}

// An end is told until the server has heard it, and the lease is kept alive so long.
TEST(WorkerAttempt, AnEndIsToldUntilItIsHeard) {
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
TEST(WorkerAttempt, AnOrderAfterTheExitChangesNothing) {
  GivenAgent given;
  given.run();
  given.report(0, 1, Origin::output);
  given.exit(86);
  given.order(Order::cancel);
  EXPECT_FALSE(given.has<Terminate>());
  given.verdict(Action::go_on);
  EXPECT_EQ(given.request<EndCall>().request.reason, EndReason::infeasible);
}

// Starting ------------------------------------------------------------------------------------------

// A run that continues has its checkpoint here before its process starts.
TEST(WorkerAttempt, FetchesTheCheckpointFirst) {
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

TEST(WorkerAttempt, ACheckpointThatIsGoneCannotStart) {
  GivenAgent given;
  given.run(resumed_grant());
  given.reply<FetchBlob>(refuse(Code::not_found, "no such blob"));
  const auto end = given.request<EndCall>().request;
  EXPECT_EQ(end.reason, EndReason::cannot_start);
  EXPECT_NE(end.detail.find("md_3"), std::string::npos);
}

TEST(WorkerAttempt, ACancelWhileFetchingEndsWithoutAProcess) {
  GivenAgent given;
  given.run(resumed_grant());
  given.order(Order::cancel);
  EXPECT_FALSE(given.has<Terminate>());
  EXPECT_EQ(given.request<EndCall>().request.reason, EndReason::user_cancel);
  given.reply<FetchBlob>(CallReply{FetchedBlob{"/cache/a"}});
  EXPECT_FALSE(given.has<Spawn>());
}

TEST(WorkerAttempt, AProcessThatCannotStartIsTold) {
  GivenAgent given;
  given.run();
  given.when(NotStarted{LeaseId{1}, "there is no program 'train'"});
  const auto end = given.request<EndCall>().request;
  EXPECT_EQ(end.reason, EndReason::cannot_start);
  EXPECT_EQ(end.detail, "there is no program 'train'");
  EXPECT_EQ(given.agent.running(), 0U);
}

// Ends ----------------------------------------------------------------------------------------------

struct ExitCase {
  const char* what;
  int reports;  // answered before the exit, of 3
  bool by_signal;
  int number;
  EndReason reason;
  int exit_code;
  bool has_tail;
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
}

INSTANTIATE_TEST_SUITE_P(
    All, WorkerExit,
    testing::Values(ExitCase{"all_phases", 3, false, 0, EndReason::budget_reached, 0, false},
                    ExitCase{"early", 1, false, 0, EndReason::exited_early, 0, false},
                    ExitCase{"silent", 0, false, 0, EndReason::no_report, 0, true},
                    ExitCase{"requeue", 1, false, 85, EndReason::requeue_requested, 85, false},
                    ExitCase{"infeasible", 0, false, 86, EndReason::infeasible, 86, true},
                    ExitCase{"strangers_term", 1, false, 143, EndReason::signal, SIGTERM, true},
                    ExitCase{"failure", 1, false, 3, EndReason::exit_code, 3, true},
                    ExitCase{"crash", 1, true, SIGSEGV, EndReason::signal, SIGSEGV, true},
                    ExitCase{"out_of_memory", 1, true, SIGKILL, EndReason::signal, SIGKILL, true}),
    [](const auto& one) { return std::string(one.param.what); });

}  // namespace
}  // namespace hone::worker
