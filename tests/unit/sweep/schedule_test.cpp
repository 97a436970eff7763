// Confirmations of schedules: the parameters along the forks that led to a trial are trained again
// from nothing, and change at the phases at which they changed.
#include "server/sweep/state/schedule.hpp"

#include "server/sweep/state/rules.hpp"
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

SweepSpec changing_spec(int phases) {
  SweepSpec spec = small_spec(2, phases);
  spec.trainer = CommandTrainer{.argv = {"train", "${x}"}, .may_change = {"x"}};
  spec.parameters = {{"x", FloatDomain{0, 1, Scale::linear, {}, {}}, ""},
                     {"twice", DerivedDomain{"x * 2"}, ""}};
  // A derived parameter changes with it.
  std::get<CommandTrainer>(spec.trainer).may_change.emplace_back("twice");
  return spec;
}

class Scheduled : public Given {
 public:
  Scheduled() : id(submit(changing_spec(4))), worker(join()) {
    const auto first = lease();
    train(first, 0, 1);
    train(first, 1, 2);
    when(Enqueue{id, {"fork", {{"x", 0.125}}, std::nullopt, ForkRequest{first.attempt.run}}});
    train(first, 2, 1);
    train(first, 3, 1);
    root = first.params;
    const auto fork = lease();
    forked = fork.params;
    train(fork, 2, 7);
    train(fork, 3, 9);
  }
  LeaseGrant lease() {
    const auto grant = acquire(worker, "a" + std::to_string(++asked_));
    EXPECT_TRUE(grant.has_value());
    return grant.value_or(LeaseGrant{});
  }
  Events train(const LeaseGrant& to, int phase, double value, bool saves = true) {
    const std::string digest = std::to_string(1000 * to.lease.value + phase);
    if (saves)
      when(SaveModel{to.lease,
                     {std::string(64 - digest.size(), 'a') + digest, 10, 10 * (phase + 1), phase}});
    return when(Report{to.lease, {phase, 10 * (phase + 1), Score::of(value)}});
  }
  LeaseGrant lease_after_loss() {
    now = now + seconds(60);
    tick();
    rest();
    worker = join("again");
    return lease();
  }
  // What the sweep file's own confirmation would enqueue.
  TrialEnqueued confirmed_at_end(int rules) {
    Sweep& asked = book.sweeps.at(id);
    asked.rules = rules;
    asked.spec.confirm.emplace();
    asked.spec.confirm->top = 1;
    asked.spec.confirm->seeds = 2;
    Events events{SweepEnded{id, SweepState::completed, EndReason::none}};
    confirm_if_asked(book, asked, asked.history, events);
    return std::get<TrialEnqueued>(events.back());
  }
  Verdict verdict_of(const Events& events) {
    for (const EventBody& body : events)
      if (const auto* given = std::get_if<VerdictGiven>(&body)) return given->verdict;
    return {};
  }
  SweepId confirmed() {
    when(Confirm{id, {"confirm", 1, 2}});
    EXPECT_FALSE(error) << error->detail;
    return sweep(id).confirmed_by.at(0);
  }

  SweepId id;
  WorkerId worker;
  Params root, forked;

 private:
  int asked_ = 0;
};

TEST(Schedule, follows_the_forks_back_to_the_first_run) {
  Scheduled given;
  const TrialSchedule schedule = schedule_of(given.book, TrialId{2});
  EXPECT_EQ(schedule.first, given.root);
  ASSERT_EQ(schedule.later.size(), 1u);
  EXPECT_EQ(schedule.later[0].phase, 2);
  EXPECT_EQ(schedule.later[0].params, given.forked);
  EXPECT_TRUE(schedule_of(given.book, TrialId{1}).later.empty());
}

TEST(Schedule, a_confirmation_changes_the_parameters_at_the_same_phase) {
  Scheduled given;
  given.confirmed();
  const LeaseGrant start = given.lease();
  EXPECT_EQ(start.params, given.root);
  EXPECT_FALSE(start.resume);
  EXPECT_EQ(given.verdict_of(given.train(start, 0, 1)).action, Action::go_on);
  const Events events = given.train(start, 1, 2);
  const Verdict verdict = given.verdict_of(events);
  EXPECT_EQ(verdict.action, Action::pause);
  EXPECT_EQ(verdict.reason, VerdictReason::yields);
  const LeaseGrant next = given.lease();
  EXPECT_EQ(next.attempt.run, start.attempt.run);
  EXPECT_EQ(next.params, given.forked);
  EXPECT_EQ(next.next_phase, 2);
  ASSERT_TRUE(next.resume.has_value());
  EXPECT_EQ(next.resume->phase, 1);
  given.train(next, 2, 3);
  given.train(next, 3, 4);
  EXPECT_EQ(given.run(next.attempt.run).state, RunState::completed);
}

TEST(Schedule, each_new_seed_begins_with_the_first_parameters) {
  Scheduled given;
  const SweepId confirmation = given.confirmed();
  for (int seed = 0; seed < 2; ++seed) {
    const LeaseGrant start = given.lease();
    EXPECT_EQ(start.params, given.root) << seed;
    given.train(start, 0, 1);
    given.train(start, 1, 1);
    const LeaseGrant next = given.lease();
    EXPECT_EQ(next.params, given.forked) << seed;
    given.train(next, 2, 1);
    given.train(next, 3, 1);
  }
  EXPECT_EQ(given.sweep(confirmation).state, SweepState::completed);
}

TEST(Schedule, a_run_that_saved_no_checkpoint_there_trains_on_as_it_is) {
  Scheduled given;
  given.confirmed();
  const LeaseGrant start = given.lease();
  given.train(start, 0, 1, false);
  const Verdict verdict = given.verdict_of(given.train(start, 1, 2, false));
  EXPECT_EQ(verdict.action, Action::go_on);
  EXPECT_EQ(verdict.reason, VerdictReason::no_checkpoint);
  ASSERT_EQ(verdict.inputs.size(), 1u);
  EXPECT_EQ(verdict.inputs[0].name, "next_parameters");
}

TEST(Schedule, a_lost_run_resumes_with_the_parameters_of_its_checkpoint) {
  Scheduled given;
  given.confirmed();
  const LeaseGrant start = given.lease();
  given.train(start, 0, 1);
  given.train(start, 1, 2);
  const LeaseGrant next = given.lease();
  given.train(next, 2, 3, false);
  const LeaseGrant again = given.lease_after_loss();
  EXPECT_EQ(again.attempt.run, next.attempt.run);
  ASSERT_TRUE(again.resume.has_value());
  EXPECT_EQ(again.resume->phase, 1);
  EXPECT_EQ(again.params, given.forked);
}

TEST(Schedule, a_lost_run_without_a_checkpoint_begins_with_the_first_parameters) {
  for (const bool saves : {false, true}) {
    Scheduled given;
    given.confirmed();
    const LeaseGrant start = given.lease();
    given.train(start, 0, 1, saves);
    given.train(start, 1, 2, false);
    given.train(start, 2, 3, false);
    const LeaseGrant again = given.lease_after_loss();
    EXPECT_EQ(again.attempt.run, start.attempt.run);
    EXPECT_EQ(again.resume.has_value(), saves);
    EXPECT_EQ(again.params, given.root);
  }
}

TEST(Schedule, sweeps_of_earlier_rules_confirm_the_last_parameters) {
  Scheduled given;
  const TrialEnqueued now = given.confirmed_at_end(2);
  EXPECT_EQ(now.schedule.size(), 1u);
  EXPECT_EQ(*find(now.params, "x"), *find(given.root, "x"));
  const TrialEnqueued before = given.confirmed_at_end(1);
  EXPECT_TRUE(before.schedule.empty());
  EXPECT_EQ(*find(before.params, "x"), *find(given.forked, "x"));
}

TEST(Schedule, a_repeated_report_gets_the_recorded_verdict) {
  Scheduled given;
  given.confirmed();
  const LeaseGrant start = given.lease();
  given.train(start, 0, 1);
  given.train(start, 1, 2);
  EXPECT_TRUE(given.when(Report{start.lease, {1, 20, Score::of(2)}}).empty());
  EXPECT_FALSE(given.error);
}

}  // namespace
}  // namespace hone
