// Workers that are lost with runs on them: no run pays for it before it was tried alone.
#include "base/expect.hpp"
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

// A worker of two slots that is restarted, with the same id, whenever it was killed.
class Killed : public Given {
 public:
  explicit Killed(std::int64_t trials = 4) {
    sweep_id = submit(small_spec(trials));
    worker = join();
  }

  std::optional<LeaseGrant> ask(WorkerId by) {
    return acquire(by, "acquire-" + std::to_string(++asked));
  }
  LeaseGrant lease() {
    auto grant = ask(worker);
    expect(grant.has_value(), "there is work");
    return *std::move(grant);
  }
  // What a restarted worker reports of an attempt that died with it.
  Events lose(const LeaseGrant& grant) {
    return when(End{grant.lease,
                    {EndReason::requeue_requested,
                     0,
                     "its worker was killed",
                     {},
                     Failure::preempted,
                     false,
                     true}});
  }
  static const RunReturned& returned(const Events& events) {
    return std::get<RunReturned>(events.at(0));
  }
  // Twice a worker is lost that trains these two runs.
  void lose_twice() {
    for (int times = 0; times < 2; ++times) {
      const LeaseGrant one = lease();
      const LeaseGrant other = lease();
      first = one.attempt.run, second = other.attempt.run;
      now = now + seconds(5);
      lose(other), lose(one);
      rest();
    }
  }
  [[nodiscard]] bool is_suspect(RunId id) const { return run(id).workers_lost >= 2; }
  void train_to_the_end(const LeaseGrant& grant) {
    const auto reported = static_cast<int>(run(grant.attempt.run).reports.size());
    for (int phase = reported; phase < grant.budget.phases; ++phase)
      report(grant.lease, phase, Score::of(1));
  }

  SweepId sweep_id;
  WorkerId worker;
  RunId first, second;
  int asked = 0;
};

TEST(LostWorkers, a_run_that_killed_its_worker_was_tried_without_end) {
  Killed given;
  given.lose_twice();
  int alone = 0;
  while (!is_end(given.run(given.first).state)) {
    const auto grant = given.lease();
    if (grant.attempt.run == given.first) {
      ++alone;
      EXPECT_FALSE(given.ask(given.worker)) << "it is alone on its worker";
      given.lose(grant);
      given.rest();
    } else {
      given.train_to_the_end(grant);
    }
  }
  EXPECT_EQ(alone, 4) << "limits.max_retries is 3";
  EXPECT_EQ(given.run(given.first).reason, EndReason::retries_exhausted);
  EXPECT_EQ(given.sweep(given.sweep_id).failing.runs, 1);
}

TEST(LostWorkers, its_neighbour_paid_for_it) {
  Killed given;
  given.lose_twice();
  EXPECT_EQ(given.run(given.first).losses, 0);
  EXPECT_EQ(given.run(given.second).losses, 0);
  EXPECT_TRUE(given.run(given.second).blamed.empty());
}

TEST(LostWorkers, an_end_says_from_when_on_its_run_is_tried_alone) {
  Killed given(1);
  std::vector<std::string> details;
  for (int times = 0; times < 3; ++times) {
    details.push_back(given.returned(given.lose(given.lease())).detail);
    given.rest();
  }
  EXPECT_EQ(details[0], "its worker was killed");
  EXPECT_NE(details[1].find("; it is the second one in a row"), std::string::npos) << details[1];
  EXPECT_NE(details[2].find("; the run was tried alone on it"), std::string::npos) << details[2];
}

TEST(LostWorkers, a_lease_that_expires_is_judged_like_a_worker_that_comes_back) {
  Killed given;
  const auto one = given.lease();
  given.lease();
  given.now = given.now + seconds(16);
  const Events events = given.tick();
  EXPECT_EQ(given.returned(events).reason, EndReason::worker_lost);
  EXPECT_EQ(given.returned(events).failure, Failure::preempted);
  EXPECT_EQ(given.run(one.attempt.run).losses, 0);
  EXPECT_EQ(given.run(one.attempt.run).workers_lost, 1);
}

TEST(LostWorkers, a_run_that_trained_on_in_between_is_not_tried_alone) {
  Killed given(2);
  RunId trains, does_not;
  for (int phase = 0; phase < 2; ++phase) {
    const auto one = given.lease();
    const auto other = given.lease();
    given.report(one.lease, phase, Score::of(1));
    given.lose(other), given.lose(one);
    trains = one.attempt.run, does_not = other.attempt.run;
  }
  EXPECT_FALSE(given.is_suspect(trains));
  EXPECT_TRUE(given.is_suspect(does_not));
}

TEST(LostWorkers, a_run_without_neighbours_whose_worker_is_silent_counts_at_once) {
  Killed given;
  const auto alone = given.lease();
  given.now = given.now + seconds(16);
  EXPECT_EQ(given.returned(given.tick()).failure, Failure::infra);
  EXPECT_EQ(given.run(alone.attempt.run).losses, 1);
}

TEST(LostWorkers, a_report_clears_a_run_of_suspicion) {
  Killed given;
  given.lose_twice();
  const auto alone = given.lease();
  EXPECT_FALSE(given.ask(given.worker));
  given.report(alone.lease, 0, Score::of(1));
  EXPECT_TRUE(given.ask(given.worker));
}

// Sixty-three neighbours of one phase would each have had the machine for themselves, to their end.
TEST(LostWorkers, a_run_that_outlives_the_losses_is_cleared_without_a_report) {
  Killed given;
  given.lose_twice();
  const auto alone = given.lease();
  given.now = given.now + seconds(4);
  given.when(Beat{given.worker, {{alone.lease}}});
  EXPECT_FALSE(given.ask(given.worker));
  given.now = given.now + seconds(8);
  given.when(Beat{given.worker, {{alone.lease}}});
  EXPECT_TRUE(given.ask(given.worker));
}

TEST(LostWorkers, a_suspect_waits_until_the_worker_is_empty) {
  Killed given;
  given.lose_twice();
  const auto alone = given.lease();
  given.report(alone.lease, 0, Score::of(1));
  const auto third = given.lease();
  given.train_to_the_end(alone);
  const auto fourth = given.lease();
  for (const auto& grant : {third, fourth}) {
    EXPECT_FALSE(given.is_suspect(grant.attempt.run));
    given.train_to_the_end(grant);
  }
  EXPECT_TRUE(given.is_suspect(given.lease().attempt.run));
  EXPECT_EQ(given.sweep(given.sweep_id).live_leases, 1);
}

TEST(LostWorkers, the_runs_of_another_sweep_kept_a_suspect_waiting_without_end) {
  Killed given(2);
  given.lose_twice();
  const auto alone = given.lease();
  given.report(alone.lease, 0, Score::of(1));
  given.submit(small_spec(1000), "submit-2");
  std::optional<LeaseGrant> held;
  for (int times = 0; times < 100; ++times) {
    const auto grant = given.ask(given.worker);
    if (!grant) break;
    if (held) given.train_to_the_end(*held);  // one is always there
    held = grant;
    given.now = given.now + seconds(10);
    given.when(Beat{given.worker, {{alone.lease, held->lease}}});
  }
  ASSERT_TRUE(held);
  EXPECT_FALSE(given.ask(given.worker)) << "it becomes empty";
  given.train_to_the_end(*held);
  given.train_to_the_end(alone);
  EXPECT_TRUE(given.is_suspect(given.lease().attempt.run));
}

TEST(LostWorkers, another_worker_tries_it_if_it_is_empty) {
  Killed given;
  given.lose_twice();
  const auto first = given.lease();
  const WorkerId other = given.join("join-2");
  const auto second = given.ask(other);
  ASSERT_TRUE(second);
  EXPECT_NE(first.attempt.run, second->attempt.run);
  EXPECT_FALSE(given.ask(other));
}

}  // namespace
}  // namespace hone
