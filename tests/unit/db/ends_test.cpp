// How long a sweep worked, which of its programs ended early, and which workers are lost.
#include "db/queries/overview.hpp"
#include "db/queries/queries.hpp"
#include "tests/unit/db/given.hpp"

namespace hone {
namespace {

class Ended : public testing::Test {
 protected:
  void SetUp() override {
    ledger_.must<>(Start{"test", seconds(15)}, now_);
    sweep_ = ledger_.must<Submitted>(Submit{{"submit-1", small_spec(4), {}}}, now_).sweep;
    worker_ = ledger_.must<JoinReply>(Join{{"join-1", "host", 1, 8, 0, "test"}}, now_).worker;
  }
  LeaseGrant lease() {
    const Acquire command{{"acquire-" + std::to_string(++asked_), worker_, 1, 0, {}}};
    return *ledger_.must<std::optional<LeaseGrant>>(command, now_);
  }
  void report(const LeaseGrant& grant, int phase) {
    ledger_.must<ReportReply>(Report{grant.lease, {phase, 10 * (phase + 1), Score::of(1)}}, now_);
  }
  void exit(const LeaseGrant& grant) {
    ledger_.must<>(End{grant.lease, {EndReason::exited_early, 0, "exited", {}}}, now_);
  }
  void wait(int time) { now_ = now_ + seconds(time); }

  std::unique_ptr<SQLite::Database> db_ = open_in_memory();
  FedLedger ledger_{*db_};
  Instant now_{1'000'000'000};
  SweepId sweep_;
  WorkerId worker_;
  int asked_ = 0;
};

// An ended sweep that was continued after 18 minutes "took" 19.
TEST_F(Ended, the_pause_between_two_runs_counted_as_work) {
  const auto first = lease();
  wait(10);
  const auto second = lease();
  report(first, 0);
  wait(5);
  exit(first);
  report(second, 0);
  wait(5);
  exit(second);
  wait(1080);
  const auto third = lease();
  wait(7);
  const WorkTime all = work_time(*db_, sweep_, Instant{}, now_);
  EXPECT_EQ(all.busy, seconds(27));
  EXPECT_EQ(all.of_runs, seconds(15 + 10 + 7));
  const WorkTime lately = work_time(*db_, sweep_, now_ - seconds(1090), now_);
  EXPECT_EQ(lately.busy, seconds(3 + 7));
  EXPECT_EQ(work_time(*db_, SweepId{9}, Instant{}, now_).busy, Duration{});
}

TEST_F(Ended, programs_that_ended_before_their_budget_were_counted_as_complete) {
  EXPECT_EQ(runs_ended_early(*db_, sweep_).runs, 0);
  const auto first = lease(), second = lease();
  report(first, 0);
  report(second, 0), report(second, 1);
  exit(second), exit(first);
  const EndedEarly early = runs_ended_early(*db_, sweep_);
  EXPECT_EQ(early.runs, 2);
  EXPECT_EQ(early.least, 1);
  EXPECT_EQ(early.most, 2);
  EXPECT_EQ(early.first, first.attempt.run);
}

TEST_F(Ended, a_dead_worker_looked_like_one_that_waits) {
  lease();
  const auto lost = [&] { return find_worker(*db_, worker_)->lost; };
  EXPECT_FALSE(lost());
  wait(16);
  ledger_.must<>(Tick{}, now_);
  EXPECT_TRUE(lost());
  wait(1);
  lease();
  EXPECT_FALSE(lost()) << "it is back";
}

}  // namespace
}  // namespace hone
