// Paused runs: slots freed, checkpoints kept, promoted by a later lease, closed when nothing can
// follow.
#include "server/engine/book_archive.hpp"
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

// asha with eta = 2: of 4 trials the best 2 train a second phase, and the best of these 4 phases.
SweepSpec halving_spec(std::int64_t trials = 4, int phases = 4) {
  auto spec = small_spec(trials, phases);
  spec.terminator = {"asha", {{"eta", 2}}};
  return spec;
}

class Halving : public Given {
 public:
  explicit Halving(const SweepSpec& spec = halving_spec())
      : sweep_id(submit(spec)), worker(join()) {}

  LeaseGrant grant() { return *acquire(worker, "a" + std::to_string(++asked_)); }
  Events acquired() { return when(Acquire{{"a" + std::to_string(++asked_), worker, 1, 0, {}}}); }
  bool idle() { return !acquire(worker, "a" + std::to_string(++asked_)); }
  Events reported(LeaseId lease, int phase, double value) {
    return when(Report{lease, {phase, 10 * (phase + 1), Score::of(value)}});
  }
  void save(LeaseId lease, int phase) {
    when(SaveModel{lease, {std::string(64, 'a'), 10, 10 * (phase + 1), phase}});
    EXPECT_FALSE(error);
  }
  // A trial that trains one phase and pauses, or continues.
  RunId tried(double value) {
    const auto granted = grant();
    save(granted.lease, 0);
    reported(granted.lease, 0, value);
    return granted.attempt.run;
  }
  Events steer(Verb verb) { return when(Steer{sweep_id, {verb}}); }
  [[nodiscard]] RunState state(RunId id) const { return run(id).state; }
  [[nodiscard]] EndReason reason(RunId id) const { return run(id).reason; }

  SweepId sweep_id;
  WorkerId worker;

 private:
  int asked_ = 0;
};

const LeaseGranted& granted(const Events& events) {
  for (const EventBody& event : events)
    if (const auto* lease = std::get_if<LeaseGranted>(&event)) return *lease;
  ADD_FAILURE() << "no lease was granted";
  static const LeaseGranted none{};
  return none;
}

TEST(Pause, frees_the_slot_and_keeps_the_checkpoint) {
  Halving given;
  const auto first = given.grant();
  given.save(first.lease, 0);
  expect_kinds<RunStarted, ReportRecorded, VerdictGiven, RunPaused>(
      given.reported(first.lease, 0, 1));
  EXPECT_EQ(given.state(first.attempt.run), RunState::paused);
  EXPECT_TRUE(given.book.leases.empty());
  EXPECT_TRUE(given.run(first.attempt.run).checkpoint);
  EXPECT_EQ(given.sweep(given.sweep_id).history.runs()[0].state, RunRecord::State::paused);
}

TEST(Pause, a_repeated_report_finds_its_verdict_and_a_late_checkpoint_is_kept) {
  Halving given;
  const auto first = given.grant();
  EXPECT_EQ(given.report(first.lease, 0, Score::of(1)).action, Action::pause);
  EXPECT_EQ(given.report(first.lease, 0, Score::of(1)).action, Action::pause);
  given.save(first.lease, 0);
  EXPECT_TRUE(given.run(first.attempt.run).checkpoint);
  EXPECT_TRUE(given.when(End{first.lease, {EndReason::requeue_requested, 0, "", ""}}).empty());
  EXPECT_EQ(given.state(first.attempt.run), RunState::paused);
}

TEST(Promotion, of_the_best_comes_before_new_trials_and_continues_from_its_checkpoint) {
  Halving given;
  const RunId best = given.tried(5);
  given.tried(3);
  const auto events = given.acquired();
  expect_kinds<LeaseGranted>(events);
  EXPECT_EQ(granted(events).attempt, (AttemptId{best, 2}));
  EXPECT_EQ(granted(events).resume, given.run(best).checkpoint->id);
  EXPECT_EQ(given.state(best), RunState::leased);
  expect_kinds<TrialProposed, LeaseGranted>(given.acquired());
}

TEST(Promotion, by_its_own_report_leaves_a_run_where_it_is) {
  Halving given;
  given.tried(3);
  const auto second = given.grant();
  const auto events = given.reported(second.lease, 0, 5);
  expect_kinds<RunStarted, ReportRecorded, VerdictGiven>(events);
  EXPECT_EQ(std::get<VerdictGiven>(events[2]).verdict.reason, VerdictReason::promoted);
  expect_kinds<TrialProposed, LeaseGranted>(given.acquired());  // the other is not among the best
}

TEST(Promotion, of_a_run_without_a_checkpoint_trains_its_phases_again) {
  Halving given;
  const auto first = given.grant();
  given.reported(first.lease, 0, 5);
  given.tried(3);
  const auto again = given.grant();
  EXPECT_EQ(again.attempt.run, first.attempt.run);
  EXPECT_FALSE(again.resume);
  EXPECT_EQ(given.report(again.lease, 0, Score::of(4)).action, Action::go_on);
  EXPECT_EQ(given.run(again.attempt.run).reports[0].score, Score::of(5));
  EXPECT_EQ(given.state(again.attempt.run), RunState::leased);
}

// 4 trials, best first: 2 of them train on, one of those to the end; then nothing can follow.
TEST(Promotion, what_can_follow_nobody_is_closed_and_the_sweep_ends) {
  Halving given;
  for (const double value : {5.0, 3.0}) given.tried(value);
  const auto first = given.grant();
  given.reported(first.lease, 1, 5);  // the rung after 2 phases: waits for another
  const RunId third = given.tried(4);
  const RunId fourth = given.tried(2);
  EXPECT_EQ(given.state(third), RunState::paused);
  const auto second = given.grant();
  EXPECT_EQ(second.attempt.run, third);
  given.reported(second.lease, 1, 4);
  const auto last = given.grant();
  EXPECT_EQ(last.attempt.run, first.attempt.run);
  given.reported(last.lease, 2, 5);
  const auto events = given.reported(last.lease, 3, 5);
  EXPECT_TRUE(std::holds_alternative<SweepEnded>(events.back()));
  EXPECT_EQ(given.sweep(given.sweep_id).state, SweepState::completed);
  EXPECT_EQ(given.state(first.attempt.run), RunState::completed);
  for (const RunId id : {third, fourth}) {
    EXPECT_EQ(given.state(id), RunState::stopped);
    EXPECT_EQ(given.reason(id), EndReason::not_promoted);
  }
  EXPECT_EQ(given.sweep(given.sweep_id).open_runs, 0);
}

TEST(Promotion, a_sweep_of_earlier_rules_ends_when_its_last_run_pauses_and_nothing_can_follow) {
  Halving given(halving_spec(1));
  given.book.sweeps.at(given.sweep_id).rules = 0;
  const auto only = given.grant();
  expect_kinds<RunStarted, ReportRecorded, VerdictGiven, RunPaused, RunEnded, SweepEnded>(
      given.reported(only.lease, 0, 1));
  EXPECT_EQ(given.reason(only.attempt.run), EndReason::not_promoted);
}

TEST(Promotion, a_sweep_whose_last_run_pauses_goes_on_when_another_may_be_promoted) {
  Halving given(halving_spec(2));
  const RunId best = given.tried(5);
  given.tried(3);
  EXPECT_EQ(given.sweep(given.sweep_id).state, SweepState::running);
  EXPECT_EQ(given.grant().attempt.run, best);
}

TEST(Promotion, closes_what_can_no_longer_be_promoted_when_somebody_asks_for_work) {
  Halving given(halving_spec(4));
  const RunId poor = given.tried(1);
  given.tried(4);  // continues at once
  given.tried(5);
  const auto events = given.acquired();  // two are better than `poor`, and half of 4 is 2
  EXPECT_EQ(given.state(poor), RunState::stopped);
  EXPECT_EQ(given.reason(poor), EndReason::not_promoted);
  EXPECT_TRUE(std::holds_alternative<RunEnded>(events.back()));
}

TEST(Promotion, a_run_lost_after_it_comes_back_without_asking_the_rule_again) {
  Halving given;
  const RunId best = given.tried(5);
  given.tried(3);
  const auto lost = given.grant();
  given.now = given.now + seconds(16);
  expect_kinds<RunReturned>(given.tick());
  EXPECT_EQ(given.state(best), RunState::queued);
  EXPECT_EQ(given.sweep(given.sweep_id).history.runs()[0].state, RunRecord::State::active);
  given.rest();
  const auto events = given.acquired();
  expect_kinds<LeaseGranted>(events);
  EXPECT_EQ(granted(events).attempt, (AttemptId{best, 3}));
  EXPECT_EQ(granted(events).resume, given.run(best).checkpoint->id);
  EXPECT_TRUE(given.reported(lost.lease, 1, 9).empty());
  EXPECT_EQ(given.error->code, Code::stale_lease);
  expect_kinds<TrialProposed, LeaseGranted>(given.acquired());
}

TEST(Promotion, a_run_that_fails_after_it_is_not_promoted_again) {
  auto spec = halving_spec(2);
  spec.limits.max_retries = 0;
  Halving given(spec);
  const RunId best = given.tried(5);
  const RunId other = given.tried(3);
  given.grant();  // closes the other: only one of two may continue
  given.now = given.now + seconds(16);
  expect_kinds<RunEnded, SweepEnded>(given.tick());
  EXPECT_EQ(given.reason(best), EndReason::retries_exhausted);
  EXPECT_EQ(given.reason(other), EndReason::not_promoted);
  EXPECT_EQ(given.sweep(given.sweep_id).state, SweepState::completed);
}

TEST(SteerPaused, stop_ends_paused_runs_and_lets_the_others_finish) {
  Halving given;
  const RunId paused = given.tried(3);
  const auto running = given.grant();
  given.reported(running.lease, 0, 5);
  expect_kinds<SweepSteered, RunEnded>(given.steer(Verb::stop));
  EXPECT_EQ(given.state(paused), RunState::stopped);
  EXPECT_EQ(given.reason(paused), EndReason::user_stop);
  const auto events = given.reported(running.lease, 1, 5);  // pauses, and nothing may follow
  EXPECT_TRUE(std::holds_alternative<SweepEnded>(events.back()));
  EXPECT_EQ(given.sweep(given.sweep_id).state, SweepState::completed);
}

TEST(SteerPaused, stop_with_paused_runs_alone_ends_the_sweep) {
  Halving given;
  given.tried(3);
  expect_kinds<SweepSteered, RunEnded, SweepEnded>(given.steer(Verb::stop));
}

TEST(SteerPaused, cancel_and_kill_end_paused_runs_as_canceled) {
  for (const Verb verb : {Verb::cancel, Verb::kill}) {
    Halving given;
    const RunId paused = given.tried(3);
    expect_kinds<SweepSteered, RunEnded, SweepEnded>(given.steer(verb));
    EXPECT_EQ(given.state(paused), RunState::canceled);
    EXPECT_EQ(given.sweep(given.sweep_id).state, SweepState::canceled);
  }
}

TEST(SteerPaused, a_paused_sweep_promotes_nobody_until_it_is_resumed) {
  Halving given;
  const RunId best = given.tried(5);
  given.tried(3);
  given.steer(Verb::pause);
  EXPECT_TRUE(given.idle());
  EXPECT_EQ(given.state(best), RunState::paused);
  given.steer(Verb::resume);
  EXPECT_EQ(given.grant().attempt.run, best);
}

TEST(SteerPaused, a_run_that_pauses_in_a_canceled_sweep_ends_as_canceled) {
  Halving given;
  const auto running = given.grant();
  given.steer(Verb::cancel);
  const auto events = given.reported(running.lease, 0, 1);  // sent before the order arrived
  EXPECT_TRUE(std::holds_alternative<SweepEnded>(events.back()));
  EXPECT_EQ(given.state(running.attempt.run), RunState::canceled);
  EXPECT_EQ(given.reason(running.attempt.run), EndReason::user_cancel);
}

// A server that forgets everything before every command and refolds its ledger decides the same.
TEST(Promotion, is_the_same_after_a_restart_at_any_point) {
  Given live;
  std::vector<Event> ledger{{1, live.now, ServerStarted{"test", seconds(15)}}};
  const auto both = [&](const Command& command) {
    Book folded;
    for (const Event& event : ledger) evolve(folded, event);
    EXPECT_TRUE(archive_book(folded) == archive_book(live.book));
    const auto again = decide(folded, command, live.now);
    const auto events = live.when(command);
    EXPECT_EQ(again.ok(), !live.error);
    for (const EventBody& body : events)
      ledger.push_back({static_cast<std::int64_t>(ledger.size()) + 1, live.now, body});
    for (const EventBody& body : again.ok() ? *again : Events{})
      evolve(folded, {static_cast<std::int64_t>(ledger.size()), live.now, body});
    EXPECT_TRUE(archive_book(folded) == archive_book(live.book));
    return events;
  };
  both(Submit{{"s", halving_spec(9, 4), {}}});
  both(Join{{"j", "host", 1, 1024, 0, "test"}});
  for (int step = 0; step < 100; ++step) {
    const auto events = both(Acquire{{"a" + std::to_string(step), WorkerId{1}, 1, 0, {}}});
    if (events.empty()) break;
    const LeaseGranted lease = granted(events);
    const auto& run = live.run(lease.attempt.run);
    while (run.lease == lease.lease) {
      const int phase = static_cast<int>(run.reports.size());
      both(Report{lease.lease, {phase, 10 * (phase + 1), Score::of((step * 7) % 11)}});
    }
  }
  EXPECT_EQ(live.sweep(SweepId{1}).state, SweepState::completed);
}

// One worker, one phase a run: when the last trial has ended, the rule wants another seed of the
// leader, and no open run or deadline makes the server ask the rule.
TEST(Replicate, wanted_after_the_last_run_has_ended_is_offered_and_the_sweep_ends) {
  bool replicated = false;
  for (int offset = 0; offset < 20; ++offset) {
    auto spec = small_spec(12, 1);
    spec.terminator = {"hone", {}};
    Given given;
    const SweepId sweep = given.submit(spec);
    const WorkerId worker = given.join();
    for (int step = 0; step < 100 && given.sweep(sweep).state == SweepState::running; ++step) {
      const auto grant = given.acquire(worker, "a" + std::to_string(step));
      ASSERT_TRUE(grant) << "nothing to do, in a sweep that has not ended";
      replicated = replicated || grant->attempt.run.replicate > 0;
      given.report(grant->lease, 0, Score::of((step * 7 + offset) % 11));
    }
    EXPECT_EQ(given.sweep(sweep).state, SweepState::completed);
  }
  EXPECT_TRUE(replicated);
}

}  // namespace
}  // namespace hone
