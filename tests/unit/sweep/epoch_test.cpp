// Restored backups: what belongs to the lost time is refused, and books nothing elsewhere.
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

constexpr Epoch first_epoch{1'000'000'000'000};
constexpr Epoch lost_epoch{2'000'000'000'000};
constexpr Epoch new_epoch{3'000'000'000'000};

// A ledger that was started with the first epoch and has a sweep.
class Restored : public Given {
 public:
  explicit Restored(Epoch then) {
    start(first_epoch);
    sweep_id = submit(small_spec(), "first");
    if (then) start(then);
  }
  void start(Epoch epoch) { when(Start{"test", seconds(15), epoch}); }

  SweepId sweep_id;
};

TEST(RestoredBackup, counts_leases_from_the_epoch_of_the_start) {
  Restored given{Epoch{}};
  const WorkerId worker = given.join();
  EXPECT_EQ(given.acquire(worker, "a1")->lease.value, first_epoch.value + 1);
  EXPECT_EQ(given.acquire(worker, "a2")->lease.value, first_epoch.value + 2);
  given.start(new_epoch);
  EXPECT_EQ(given.acquire(worker, "a3")->lease.value, new_epoch.value + 1);
}

TEST(RestoredBackup, a_report_of_the_lost_time_was_booked_on_another_trial) {
  Restored lost{lost_epoch};
  const auto before = lost.acquire(lost.join("worker-a"), "a1");
  Restored kept{new_epoch};
  const auto after = kept.acquire(kept.join("worker-b"), "b1");
  ASSERT_EQ(before->attempt, after->attempt) << "both lives number their trials alike";
  const std::vector<Command> late{
      Report{before->lease, {0, 10, Score::of(100)}},
      SaveModel{before->lease, {std::string(64, 'a'), 3, 10, 0}},
      SaveArtifact{before->lease, {"plot.png", std::string(64, 'b'), 3}},
      LogMetrics{before->lease, {{{"loss", 1, 0.5}}}},
      End{before->lease, {EndReason::exit_code, 1, "", ""}}};
  for (const Command& command : late) {
    EXPECT_TRUE(kept.when(command).empty());
    ASSERT_TRUE(kept.error) << command.index();
    EXPECT_EQ(kept.error->code, Code::stale_epoch) << command.index();
  }
  EXPECT_TRUE(kept.run(after->attempt.run).reports.empty());
  EXPECT_EQ(kept.report(after->lease, 0, Score::of(500)).action, Action::go_on);
}

TEST(RestoredBackup, a_lease_that_the_backup_has_stays_valid) {
  Restored given{Epoch{}};
  const WorkerId worker = given.join();
  const auto grant = given.acquire(worker, "a1");
  given.start(new_epoch);
  given.when(Beat{worker, {{grant->lease}, first_epoch}});
  EXPECT_FALSE(given.error);
  given.report(grant->lease, 0, Score::of(1));
  EXPECT_EQ(given.run(grant->attempt.run).reports.size(), 1U);
}

// The backup was made in the same epoch that then granted more leases.
TEST(RestoredBackup, a_lease_after_those_of_its_epoch_is_unknown) {
  Restored lost{Epoch{}};
  const WorkerId worker = lost.join();
  lost.acquire(worker, "a1");
  const auto beyond = lost.acquire(worker, "a2");
  Restored kept{Epoch{}};
  const WorkerId same = kept.join();
  kept.acquire(same, "a1");
  kept.start(new_epoch);
  for (const char* request : {"b1", "b2", "b3"}) kept.acquire(same, request);
  kept.when(Report{beyond->lease, {0, 10, Score::of(1)}});
  EXPECT_EQ(kept.error->code, Code::stale_epoch);
  const Command beat = Beat{same, {{beyond->lease}}};
  kept.when(beat);
  const LeaseStanding standing = std::get<BeatReply>(answer(kept.book, beat)).leases.front();
  EXPECT_EQ(standing.order, Order::gone);
  EXPECT_TRUE(standing.stale_epoch);
}

TEST(RestoredBackup, a_worker_of_the_lost_time_is_not_the_one_of_the_same_number) {
  Restored lost{lost_epoch};
  const Command join = Join{{"worker-a", "host-a", 1, 4, 0, "test"}};
  lost.when(join);
  const auto joined = std::get<JoinReply>(answer(lost.book, join));
  EXPECT_EQ(joined.epoch, lost_epoch);
  Restored kept{new_epoch};
  const WorkerId other = kept.join("worker-b");
  ASSERT_EQ(other, joined.worker);
  kept.when(Acquire{{"a1", other, 1, 0, {}, joined.epoch}});
  EXPECT_EQ(kept.error->code, Code::stale_epoch);
  kept.when(Beat{other, {{}, joined.epoch}});
  EXPECT_EQ(kept.error->code, Code::stale_epoch);
  kept.when(Acquire{{"b1", other, 1, 0, {}, new_epoch}});
  EXPECT_FALSE(kept.error);
  kept.when(Acquire{{"b2", other, 1, 0, {}}});
  EXPECT_FALSE(kept.error) << "an older worker names no epoch";
}

TEST(RestoredBackup, a_result_of_the_lost_time_is_not_told_for_another_trial) {
  Restored lost{lost_epoch};
  const Command ask = Ask{lost.sweep_id, {"alice"}};
  lost.when(ask);
  const auto asked = std::get<AskReply>(answer(lost.book, ask));
  Restored kept{new_epoch};
  kept.when(Ask{kept.sweep_id, {"bob"}});
  TellRequest late;
  late.score = Score::of(1);
  late.epoch = asked.epoch;
  kept.when(Tell{asked.trial, late});
  EXPECT_EQ(kept.error->code, Code::stale_epoch);
  late.epoch = new_epoch;
  for (int phase = 0; phase < 3; ++phase) kept.when(Tell{asked.trial, late});
  EXPECT_FALSE(kept.error);
  kept.when(Tell{asked.trial, late});
  EXPECT_FALSE(kept.error) << "a tell whose reply was lost is repeated";
}

TEST(RestoredBackup, an_epoch_follows_every_lease_whatever_the_clock) {
  Restored given{lost_epoch};
  const auto grant = given.acquire(given.join(), "a1");
  given.start(first_epoch);
  const auto next = given.acquire(WorkerId{1}, "a2");
  EXPECT_GT(next->lease, grant->lease);
  EXPECT_NE(next->lease.value, grant->lease.value + 1) << "its own number";
  given.report(grant->lease, 0, Score::of(1));
  given.report(next->lease, 0, Score::of(2));
}

TEST(RestoredBackup, leases_of_ledgers_without_epochs_keep_their_numbers) {
  Given given;
  given.submit(small_spec());
  const WorkerId worker = given.join();
  EXPECT_EQ(given.acquire(worker, "a1")->lease, LeaseId{1});
  given.when(Start{"test", seconds(15)});
  EXPECT_EQ(given.acquire(worker, "a2")->lease, LeaseId{2});
  given.when(Start{"test", seconds(15), new_epoch});
  EXPECT_EQ(given.acquire(worker, "a3")->lease.value, new_epoch.value + 1);
  EXPECT_EQ(lease_index(given.book, LeaseId{2}), 1U);
  EXPECT_EQ(lease_index(given.book, LeaseId{3}), std::nullopt);
  EXPECT_EQ(lease_index(given.book, LeaseId{0}), std::nullopt);
  EXPECT_EQ(lease_index(given.book, new_epoch), std::nullopt);
}

}  // namespace
}  // namespace hone
