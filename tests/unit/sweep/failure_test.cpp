// What is done about attempts that fail: rest, another worker, an end; and about workers where many
// do.
#include "base/expect.hpp"
#include "schemas/codec/words.hpp"
#include "server/sweep/state/failures.hpp"
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

EndRequest failed(Failure failure, EndReason reason = EndReason::exit_code) {
  return {reason, 1, "what happened", "tail", failure};
}

class Failing : public Given {
 public:
  explicit Failing(const SweepSpec& spec) {
    sweep_id = submit(spec);
    first = join("join-1");
  }
  Failing() : Failing(small_spec(40)) {}

  LeaseGrant lease(WorkerId worker) {
    auto grant = acquire(worker, "acquire-" + std::to_string(++asked));
    expect(grant.has_value(), "there is work");
    return *std::move(grant);
  }
  Events fail(const LeaseGrant& grant, Failure failure) {
    return when(End{grant.lease, failed(failure)});
  }
  bool has_work(WorkerId worker) {
    return acquire(worker, "acquire-" + std::to_string(++asked)).has_value();
  }

  SweepId sweep_id;
  WorkerId first;
  int asked = 0;
};

struct ClassCase {
  Failure failure;
  int attempts;  // until the run ends, of a sweep with max_retries 3
  EndReason reason;
};

class Class : public testing::TestWithParam<ClassCase> {};

TEST_P(Class, is_retried_as_often_as_its_row_says) {
  Failing given(small_spec(1));
  int attempts = 0;
  do {
    given.fail(given.lease(given.first), GetParam().failure);
    given.rest();
  } while (++attempts < 20 && !is_end(given.run({TrialId{1}, 0}).state));
  EXPECT_EQ(attempts, GetParam().attempts);
  EXPECT_EQ(given.run({TrialId{1}, 0}).reason, GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(All, Class,
                         testing::Values(ClassCase{Failure::oom, 2, EndReason::retries_exhausted},
                                         ClassCase{Failure::infra, 4, EndReason::retries_exhausted},
                                         ClassCase{Failure::crash, 4, EndReason::retries_exhausted},
                                         ClassCase{Failure::timed_out, 2, EndReason::time_limit},
                                         ClassCase{Failure::infeasible, 1, EndReason::exit_code},
                                         ClassCase{Failure::user_error, 1, EndReason::exit_code}),
                         [](const auto& one) { return std::string(word(one.param.failure)); });

TEST(Failures, every_class_has_its_row) {
  for (int number = 1; number <= static_cast<int>(Failure::crash); ++number)
    EXPECT_EQ(rule_of(static_cast<Failure>(number)).failure, static_cast<Failure>(number));
}

TEST(Failures, the_event_names_class_rest_and_worker) {
  Failing given;
  const auto grant = given.lease(given.first);
  const auto events = given.fail(grant, Failure::infra);
  expect_kinds<RunReturned>(events);
  const auto& returned = std::get<RunReturned>(events[0]);
  EXPECT_EQ(returned.failure, Failure::infra);
  EXPECT_EQ(returned.avoid, given.first);
  ASSERT_TRUE(returned.not_before);
  const Duration rest = *returned.not_before - given.now;
  EXPECT_GE(rest, milliseconds(500));
  EXPECT_LE(rest, seconds(1));
}

TEST(Failures, a_resting_run_is_leased_neither_early_nor_late_and_blocks_nobody) {
  Failing given(small_spec(2));
  const auto grant = given.lease(given.first);
  given.fail(grant, Failure::infra);
  const auto other = given.lease(given.first);
  EXPECT_NE(other.attempt.run, grant.attempt.run) << "others continue";
  const auto due = next_deadline(given.book);
  ASSERT_TRUE(due);
  given.now = *due - microseconds(1);
  given.tick();
  EXPECT_FALSE(given.has_work(given.first));
  given.now = *due;
  expect_kinds<RunReady>(given.tick());
  EXPECT_EQ(given.lease(given.first).attempt, (AttemptId{grant.attempt.run, 2}));
}

TEST(Failures, rests_double_until_a_report) {
  auto spec = small_spec(1);
  spec.limits.max_retries = 100;
  Failing given(spec);
  const auto rest_after_failure = [&] {
    const auto grant = given.lease(given.first);
    const auto events = given.fail(grant, Failure::infra);
    return *std::get<RunReturned>(events.at(0)).not_before - given.now;
  };
  for (int times = 0; times < 12; ++times) {
    const Duration rest = rest_after_failure();
    const std::int64_t full = std::min(seconds(1).us << times, seconds(300).us);
    EXPECT_GE(rest.us, full / 2) << times;
    EXPECT_LE(rest.us, full) << times;
    given.rest();
  }
  const auto grant = given.lease(given.first);
  given.report(grant.lease, 0, Score::of(1));
  given.when(End{grant.lease, failed(Failure::infra)});
  EXPECT_LE(*given.run(grant.attempt.run).due - given.now, seconds(1));
}

TEST(Failures, the_first_preemption_costs_no_rest_the_second_does) {
  Failing given(small_spec(1));
  given.fail(given.lease(given.first), Failure::preempted);
  EXPECT_TRUE(given.book.rests.empty());
  given.fail(given.lease(given.first), Failure::preempted);
  EXPECT_FALSE(given.book.rests.empty());
  EXPECT_EQ(given.run({TrialId{1}, 0}).losses, 0);
}

TEST(Failures, a_run_avoids_its_worker_for_a_while_if_there_are_others) {
  Failing given(small_spec(1));
  const WorkerId second = given.join("join-2");
  given.fail(given.lease(given.first), Failure::infra);
  given.now = *next_deadline(given.book);
  given.tick();
  EXPECT_FALSE(given.has_work(given.first)) << "kept for others";
  EXPECT_TRUE(given.has_work(second));
}

TEST(Failures, a_run_that_nobody_else_takes_goes_back_to_its_worker) {
  Failing given(small_spec(1));
  given.join("join-2");  // and never asks for work
  given.fail(given.lease(given.first), Failure::infra);
  given.now = *next_deadline(given.book);
  given.tick();
  EXPECT_FALSE(given.has_work(given.first));
  given.now = *next_deadline(given.book);
  expect_kinds<RunReady>(given.tick());
  EXPECT_TRUE(given.has_work(given.first));
}

TEST(Failures, canceling_ends_resting_runs_and_the_sweep) {
  Failing given(small_spec(1));
  given.fail(given.lease(given.first), Failure::infra);
  given.when(Steer{given.sweep_id, {Verb::cancel}});
  EXPECT_EQ(given.sweep(given.sweep_id).state, SweepState::canceled);
  EXPECT_TRUE(given.book.rests.empty());
}

TEST(Failures, a_sweep_does_not_end_while_a_run_rests) {
  Failing given(small_spec(2, 1));
  given.fail(given.lease(given.first), Failure::infra);
  const auto other = given.lease(given.first);
  given.report(other.lease, 0, Score::of(1));
  EXPECT_EQ(given.sweep(given.sweep_id).state, SweepState::running);
  given.rest();
  given.report(given.lease(given.first).lease, 0, Score::of(1));
  EXPECT_EQ(given.sweep(given.sweep_id).state, SweepState::completed);
}

TEST(Failures, time_that_is_up_ends_a_run_with_what_it_reported) {
  auto spec = small_spec(1);
  spec.limits.run = seconds(100);
  Failing given(spec);
  const auto grant = given.lease(given.first);
  EXPECT_EQ(grant.limits.run, seconds(100));
  given.report(grant.lease, 0, Score::of(1));
  given.when(Beat{given.first, {{grant.lease}}});
  given.now = given.now + seconds(10);
  given.fail(grant, Failure::crash);
  given.rest();
  const auto again = given.lease(given.first);
  EXPECT_EQ(again.limits.run, seconds(90)) << "over all its attempts";
  given.now = given.now + seconds(90);
  given.when(End{again.lease, failed(Failure::timed_out, EndReason::time_limit)});
  EXPECT_EQ(given.run(grant.attempt.run).state, RunState::stopped);
  EXPECT_EQ(given.run(grant.attempt.run).reason, EndReason::time_limit);
}

// Workers -----------------------------------------------------------------------------------------

class Workers : public Failing {
 public:
  Workers() { second = join("join-2"); }
  bool aside(WorkerId worker) { return book.workers.at(worker).aside_until.has_value(); }
  WorkerId second;
};

TEST(Aside, three_runs_that_fail_on_one_worker_set_it_aside) {
  Workers given;
  for (int i = 0; i < 2; ++i) given.fail(given.lease(given.first), Failure::infra);
  EXPECT_FALSE(given.aside(given.first));
  expect_kinds<WorkerSetAside, RunReturned>(given.fail(given.lease(given.first), Failure::infra));
  EXPECT_FALSE(given.has_work(given.first));
  EXPECT_TRUE(given.has_work(given.second));
}

TEST(Aside, never_for_user_errors) {
  Workers given;
  for (int i = 0; i < 4; ++i)  // one more, and the sweep is hopeless
    given.fail(given.lease(given.first), Failure::user_error);
  EXPECT_FALSE(given.aside(given.first));
}

TEST(Aside, never_the_last_worker_that_is_there) {
  Failing given;
  for (int i = 0; i < 10; ++i) given.fail(given.lease(given.first), Failure::infra);
  EXPECT_FALSE(given.book.workers.at(given.first).aside_until);
}

TEST(Aside, runs_that_fail_everywhere_are_no_evidence) {
  Workers given;
  for (int i = 0; i < 2; ++i) given.fail(given.lease(given.first), Failure::infra);
  given.now = given.now + seconds(2);
  given.tick();
  for (int i = 0; i < 2; ++i) given.fail(given.lease(given.second), Failure::infra);
  given.fail(given.lease(given.first), Failure::infra);
  EXPECT_FALSE(given.aside(given.first)) << "two of its three failed on the other, too";
}

TEST(Aside, a_report_of_a_later_run_clears_the_worker) {
  Workers given;
  for (int i = 0; i < 2; ++i) given.fail(given.lease(given.first), Failure::infra);
  given.report(given.lease(given.first).lease, 0, Score::of(1));
  given.fail(given.lease(given.first), Failure::infra);
  EXPECT_FALSE(given.aside(given.first));
}

TEST(Aside, ends_by_itself_and_lasts_longer_the_next_time) {
  Workers given;
  const auto set_aside = [&] {
    while (!given.aside(given.first)) given.fail(given.lease(given.first), Failure::infra);
    return *given.book.workers.at(given.first).aside_until - given.now;
  };
  EXPECT_EQ(set_aside(), seconds(600));
  given.when(Steer{given.sweep_id, {Verb::pause}});
  given.now = given.now + seconds(600);
  given.tick();
  EXPECT_FALSE(given.aside(given.first));
  given.when(Steer{given.sweep_id, {Verb::resume}});
  given.join("join-3");
  EXPECT_EQ(set_aside(), seconds(1200));
}

TEST(Aside, lasts_as_long_as_the_first_time_after_a_report) {
  Workers given;
  const auto set_aside = [&] {
    while (!given.aside(given.first)) given.fail(given.lease(given.first), Failure::infra);
    return *given.book.workers.at(given.first).aside_until - given.now;
  };
  EXPECT_EQ(set_aside(), seconds(600));
  given.when(Steer{given.sweep_id, {Verb::pause}});
  given.now = given.now + seconds(600);
  given.tick();
  given.when(Steer{given.sweep_id, {Verb::resume}});
  given.report(given.lease(given.first).lease, 0, Score::of(1));
  given.join("join-3");
  EXPECT_EQ(set_aside(), seconds(600));
}

TEST(Aside, ends_when_a_user_says_so) {
  Workers given;
  while (!given.aside(given.first)) given.fail(given.lease(given.first), Failure::infra);
  expect_kinds<WorkerAllowed>(given.when(Allow{given.first}));
  EXPECT_TRUE(given.when(Allow{given.first}).empty());
  EXPECT_TRUE(given.has_work(given.first));
  given.when(Allow{WorkerId{99}});
  EXPECT_EQ(given.error->code, Code::not_found);
}

TEST(Aside, ends_when_the_other_workers_have_left) {
  Workers given;
  while (!given.aside(given.first)) given.fail(given.lease(given.first), Failure::infra);
  given.now = given.now + seconds(359);
  given.tick();
  EXPECT_FALSE(given.acquire(given.first, "early"));
  given.now = given.now + seconds(2);  // nothing was heard of the other one for six minutes
  given.tick();
  EXPECT_TRUE(given.acquire(given.first, "late"));
  EXPECT_FALSE(given.aside(given.first));
}

TEST(Aside, survives_a_replay) {
  Workers given;
  while (!given.aside(given.first)) given.fail(given.lease(given.first), Failure::infra);
  EXPECT_EQ(given.book.asides.size(), 1U);
  given.when(Start{"test", seconds(15)});
  EXPECT_TRUE(given.aside(given.first));
}

}  // namespace
}  // namespace hone
