// What is measured of runs next to others on a worker.
#include "tests/unit/sweep/neighbours_given.hpp"

namespace hone {
namespace {

TEST(Neighbours, phases_of_one_run_with_and_without_a_neighbour_measure_the_pair) {
  Neighbourhood given;
  given.measure(given.worker("w"), 100, 4);
  EXPECT_NEAR(given.share(), 0.1, 1e-9);
  EXPECT_EQ(given.samples(), 4) << "the second run was never alone";
}

TEST(Neighbours, a_run_that_is_left_alone_at_the_end_measures_it_too) {
  Neighbourhood given;
  const auto both = given.measure(given.worker("w"), 100, 4);
  given.end(both[0]);
  given.phase_of_all(60);  // in which the other run left
  EXPECT_EQ(given.samples(), 4);
  given.phase_of_all(10);
  EXPECT_EQ(given.samples(), 5);
  EXPECT_NEAR(given.share(), 0.1, 1e-9);
}

TEST(Neighbours, the_first_phase_and_phases_in_which_the_runs_changed_do_not_count) {
  Neighbourhood given;
  const auto id = given.worker("w");
  given.submit(one_run());
  given.ask(id);
  given.phase_of_all(500);  // starts a process
  given.phase_of_all(10);
  const auto& run = given.run({TrialId{1}, 0});
  ASSERT_EQ(run.paces.size(), 1U);
  EXPECT_NEAR(run.paces[0].mean(), 0.1, 1e-12);
  given.now = given.now + seconds(5);
  given.submit(one_run(), "other");
  given.ask(id);
  given.phase_of_all(300);
  ASSERT_EQ(run.paces.size(), 1U) << "the other run joined in this phase";
  given.end(LeaseId{1});
  EXPECT_TRUE(run.paces.empty()) << "nothing is compared with a run that has ended";
}

// A process that starts does not slow its neighbour down yet: phases of those seconds said that the
// two run at full speed next to each other.
TEST(Neighbours, a_process_that_started_counted_as_a_neighbour_that_trains) {
  Neighbourhood given;
  const auto id = given.worker("w");
  given.submit(one_run());
  const LeaseId first = given.ask(id)->lease;
  for (int i = 0; i < 3; ++i) given.phase_of_all(10);
  given.submit(one_run(), "other");
  given.ask(id);
  for (int i = 0; i < 5; ++i) {
    given.now = given.now + seconds(10);
    given.report_of(first);
  }
  EXPECT_EQ(given.samples(), 0);
  given.phase_of_all(20);  // the other run's first
  EXPECT_EQ(given.samples(), 0);
  given.phase_of_all(20);
  EXPECT_EQ(given.samples(), 1);
  EXPECT_NEAR(given.share(), 0.5, 1e-9);
}

// Reports of an outage come when it is over. Phases of runs next to each other looked long then,
// and runs were separated without a reason.
TEST(Neighbours, an_outage_of_the_server_separated_runs) {
  Neighbourhood given;
  const auto both = given.measure(given.worker("w"), 10, 1);
  const auto before = given.samples();
  for (int i = 0; i < 9; ++i) {
    given.now = given.now + seconds(100);
    for (const LeaseId id : both) given.report_of(id, 90);
  }
  EXPECT_EQ(given.samples(), before);
  EXPECT_NEAR(given.share(), 1, 1e-9);
  for (const LeaseId id : both) EXPECT_TRUE(find_live_lease(given.book, id));
}

TEST(Neighbours, a_phase_in_which_the_server_started_does_not_count) {
  Neighbourhood given;
  const auto both = given.measure(given.worker("w"), 25, 1);
  ASSERT_EQ(given.samples(), 1);
  given.now = given.now + seconds(100);
  given.when(Start{"test", given.book.lease_length, {}});
  given.now = given.now + seconds(1);
  for (const LeaseId id : both) given.report_of(id);
  EXPECT_NEAR(given.share(), 0.4, 1e-9);
  given.phase_of_all(25);
  EXPECT_EQ(given.samples(), 2) << "the next one does";
}

TEST(Neighbours, phases_without_seconds_or_with_more_than_passed_measure_nothing) {
  Neighbourhood given;
  const auto both = given.measure(given.worker("w"), 25, 1);
  const auto& run = given.run({TrialId{1}, 0});
  const auto together = run.paces.back().phases;
  const std::vector<std::optional<double>> seconds_of_worker{std::nullopt, 0.0, 100.1, 74.0, 1e300};
  for (const auto& measured : seconds_of_worker) {
    given.now = given.now + seconds(100);
    given.report_with(both[0], measured);
  }
  EXPECT_EQ(run.paces.back().phases, together);
  given.now = given.now + seconds(100);
  given.report_with(both[0], 76.0);
  EXPECT_EQ(run.paces.back().phases, together + 1);
}

// A compiler that runs for half a minute slows several phases.
// A program runs while its report is on its way: of a phase of 20 ms, a busy worker measured 1.5.
TEST(Neighbours, phases_shorter_than_a_report_takes_looked_fast) {
  Neighbourhood given;
  given.submit(one_run());
  given.ask(given.worker("w"));
  for (int i = 0; i < 3; ++i) given.phase_of_all(0.04);
  EXPECT_TRUE(given.run({TrialId{1}, 0}).paces.empty());
  given.phase_of_all(0.06);
  EXPECT_EQ(given.run({TrialId{1}, 0}).paces.size(), 1U);
}

TEST(Neighbours, what_is_measured_within_a_minute_counts_once) {
  Neighbourhood given;
  given.measure(given.worker("w"), 12.5, 1);
  EXPECT_EQ(given.samples(), 1);
  EXPECT_NEAR(given.share(), 0.8, 1e-9);
  for (int i = 0; i < 2; ++i) given.phase_of_all(20);
  EXPECT_EQ(given.samples(), 1);
  EXPECT_NEAR(given.share(), 0.6, 1e-9) << "the mean of its phases";
  given.phase_of_all(20);
  EXPECT_EQ(given.samples(), 2);
  EXPECT_NEAR(given.share(), (0.8 + 3 * 0.5) / 4, 1e-9);
}

TEST(Neighbours, workers_of_another_token_learn_nothing_from_what_one_claims_to_be) {
  Neighbourhood given;
  const auto id = given.worker("w");
  given.book.workers.at(id).token = TokenId{1};
  given.measure(id, 100, 4);
  EXPECT_EQ(given.samples("host 2 0 1"), 4);
  EXPECT_EQ(given.samples("host 2 0 0"), 0);
  const auto other = given.worker("v");
  for (const char* name : {"one", "two"}) given.submit(one_run(), name);
  ASSERT_TRUE(given.ask(other));
  ASSERT_TRUE(given.ask(other));
  EXPECT_FALSE(given.granted()->neighbours);
}

TEST(Neighbours, programs_and_hosts_have_their_own_measurements) {
  Neighbourhood given;
  given.measure(given.worker("w"), 25, 4);
  EXPECT_EQ(given.samples("host 4 0 0"), 0);
  const auto other = given.worker("v", 2, "elsewhere");
  given.submit(one_run("other"), "other");
  given.submit(one_run("other"), "other-2");
  given.ask(other);
  ASSERT_TRUE(given.ask(other));
  EXPECT_FALSE(given.granted()->neighbours) << "nothing was measured there";
}

}  // namespace
}  // namespace hone
