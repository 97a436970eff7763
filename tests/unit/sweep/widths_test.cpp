// How many slots runs get whose sweep names a range, and when the number changes.
#include <functional>

#include "server/sweep/state/rules.hpp"
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

SweepSpec range_spec(std::int64_t trials, int max, int phases = 40) {
  SweepSpec spec = small_spec(trials, phases);
  spec.budget.per_run = phases;
  spec.resources.cpus_max = max;
  return spec;
}

class Widths : public Given {
 public:
  WorkerId worker(int slots, const std::string& name = "w") {
    const Command command = Join{{name, "host", 1, slots, 0, "test"}};
    when(command);
    return std::get<JoinReply>(answer(book, command)).worker;
  }
  // Offers all slots, as a worker does; the server counts those of live leases.
  std::optional<LeaseGrant> ask(WorkerId id, int offered = 64) {
    const Command command = Acquire{{"ask-" + std::to_string(++asks_), id, offered, 0, {}}};
    last_ = when(command);
    return std::get<std::optional<LeaseGrant>>(answer(book, command));
  }
  [[nodiscard]] std::optional<Width> width() const {
    for (const EventBody& event : last_)
      if (const auto* e = std::get_if<LeaseGranted>(&event)) return e->width;
    return std::nullopt;
  }
  Verdict finish_phase(const LeaseGrant& grant, double took_s, bool saves = true) {
    now = now + microseconds(static_cast<std::int64_t>(took_s * 1e6));
    when(Beat{book.leases.at(grant.lease).worker, {{grant.lease}}});
    const int phase = static_cast<int>(run(grant.attempt.run).reports.size());
    if (saves)
      when(SaveModel{grant.lease,
                     {text(grant.attempt.run) + std::to_string(phase), 1, phase + 1, phase}});
    const Command command = Report{grant.lease, {phase, phase + 1, Score::of(1)}};
    last_ = when(command);
    EXPECT_FALSE(error) << error->detail;
    return std::get<ReportReply>(answer(book, command)).verdict;
  }
  // Trains the run's next phases on one worker, with the seconds of a phase by slots. Returns the
  // slots of each phase.
  std::vector<int> train(LeaseGrant grant, const std::function<double(int)>& seconds, int phases,
                         double start_s = 1) {
    const WorkerId on = book.leases.at(grant.lease).worker;
    std::vector<int> slots;
    double start = start_s;
    for (int i = 0; i < phases; ++i) {
      slots.push_back(grant.resources.cpus);
      const Verdict verdict = finish_phase(grant, start + seconds(grant.resources.cpus));
      start = 0;
      if (verdict.action == Action::go_on) continue;
      const auto again = ask(on);
      EXPECT_TRUE(again);
      if (!again) break;
      grant = *again;
      start = start_s;
    }
    return slots;
  }

 private:
  int asks_ = 0;
  Events last_;
};

double linear(int slots) { return 60.0 / slots; }
double alone(int) { return 60; }

TEST(Widths, a_number_of_slots_is_always_the_same) {
  Widths given;
  const auto worker = given.worker(8);
  given.submit(small_spec(1));
  ASSERT_TRUE(given.ask(worker));
  EXPECT_FALSE(given.width());
}

TEST(Widths, each_run_gets_the_least_while_another_waits) {
  Widths given;
  const auto worker = given.worker(4);
  given.submit(range_spec(3, 4));
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(given.ask(worker)->resources.cpus, 1);
    EXPECT_EQ(given.width()->rule, WidthRule::waiting);
  }
  EXPECT_EQ(given.ask(worker)->resources.cpus, 2) << "nothing waits for the fourth slot";
  EXPECT_EQ(given.book.workers.at(worker).leased.cpus, 4);
}

TEST(Widths, a_run_of_another_sweep_comes_first) {
  Widths given;
  const auto worker = given.worker(4);
  given.submit(range_spec(1, 4));
  given.submit(small_spec(1), "submit-2");
  ASSERT_EQ(given.ask(worker)->resources.cpus, 1);
  EXPECT_EQ(given.width()->rule, WidthRule::waiting);
}

TEST(Widths, slots_double_while_it_pays) {
  Widths given;
  const auto worker = given.worker(8);
  given.submit(range_spec(1, 6));
  const auto grant = given.ask(worker);
  EXPECT_EQ(given.width()->rule, WidthRule::measured);
  const std::vector<int> slots = given.train(*grant, linear, 12);
  EXPECT_EQ(slots.front(), 2);
  EXPECT_EQ(slots.back(), 6);
  EXPECT_TRUE(std::ranges::is_sorted(slots));
  EXPECT_EQ(std::ranges::count(slots, 4), 3)
      << "the first phase also starts the process, and the report of the second measures it";
}

TEST(Widths, a_program_that_gains_nothing_keeps_few_slots) {
  Widths given;
  const auto worker = given.worker(2);
  const auto id = given.submit(range_spec(3, 8, 20));
  for (int i = 0; i < 2; ++i) ASSERT_EQ(given.ask(worker)->resources.cpus, 1);
  // Both first runs end, one after the other; the third has the worker for itself.
  for (int phase = 0; phase < 20; ++phase)
    for (const TrialId trial : {TrialId{1}, TrialId{2}}) {
      const hone::Run& run = given.run({trial, 0});
      LeaseGrant grant;
      grant.lease = run.lease;
      grant.attempt = {run.id, 1};
      given.finish_phase(grant, 30);
    }
  const auto big = given.worker(16, "big");
  const auto grant = given.ask(big);
  const auto slots = given.train(*grant, alone, 12);
  EXPECT_EQ(std::ranges::max(slots), 2) << "two were tried";
  EXPECT_EQ(given.sweep(id).widths.wide.at(2).phases, 11);
  EXPECT_NEAR(given.sweep(id).widths.wide.at(2).mean(), 1, 1e-9);
}

TEST(Widths, a_run_without_a_checkpoint_keeps_its_slots) {
  Widths given;
  const auto worker = given.worker(8);
  given.submit(range_spec(1, 8));
  const auto grant = given.ask(worker);
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(given.finish_phase(*grant, 10, false).action, Action::go_on);
}

TEST(Widths, slots_go_back_when_a_run_waits_for_them) {
  Widths given;
  const auto worker = given.worker(4);
  given.submit(range_spec(1, 4));
  const auto wide = given.ask(worker);
  ASSERT_EQ(wide->resources.cpus, 2);
  given.finish_phase(*wide, 20);
  SweepSpec other = small_spec(1);
  other.resources.cpus = 3;
  given.submit(other, "submit-2");
  EXPECT_FALSE(given.ask(worker)) << "two slots are free";
  const Verdict verdict = given.finish_phase(*wide, 20);
  EXPECT_EQ(verdict.reason, VerdictReason::yields);
  const auto first = given.ask(worker), second = given.ask(worker);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->resources.cpus + second->resources.cpus, 4);
  EXPECT_NE(first->sweep, second->sweep);
}

TEST(Widths, a_run_gives_back_what_a_new_trial_needs) {
  Widths given;
  const auto worker = given.worker(2);
  const auto id = given.submit(range_spec(1, 4));
  const auto wide = given.ask(worker);
  ASSERT_EQ(wide->resources.cpus, 2);
  EditRequest request{"edit"};
  request.trials = 2;
  given.when(Edit{id, request});
  ASSERT_FALSE(given.error);
  const Verdict verdict = given.finish_phase(*wide, 20);
  EXPECT_EQ(verdict.reason, VerdictReason::yields);
  ASSERT_EQ(verdict.inputs.front().name, "cpus");
  EXPECT_EQ(verdict.inputs.front().value, 1);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(given.ask(worker)->resources.cpus, 1);
}

TEST(Widths, an_older_offer_does_not_take_the_run_that_waits_for_more) {
  Widths given;
  const auto worker = given.worker(4), idle = given.worker(4, "idle");
  given.submit(range_spec(1, 4));
  const auto grant = given.ask(worker);
  for (int i = 0; i < 3; ++i) given.finish_phase(*grant, 20);
  ASSERT_EQ(given.run(grant->attempt.run).state, RunState::queued);
  EXPECT_EQ(given.run(grant->attempt.run).keep->cpus, 4);
  EXPECT_FALSE(given.ask(worker, 2)) << "sent before the process had ended";
  EXPECT_FALSE(given.ask(idle)) << "it continues where its slots are";
  EXPECT_EQ(given.ask(worker)->resources.cpus, 4);
}

TEST(Widths, a_lost_worker_keeps_no_run_from_the_others) {
  Widths given;
  const auto worker = given.worker(4), idle = given.worker(4, "idle");
  given.submit(range_spec(1, 4));
  const auto grant = given.ask(worker);
  for (int i = 0; i < 3; ++i) given.finish_phase(*grant, 20);
  ASSERT_FALSE(given.ask(idle));
  given.rest();
  EXPECT_TRUE(given.ask(idle));
}

TEST(Widths, runs_of_a_worker_share_its_free_slots) {
  Widths given;
  const auto worker = given.worker(4);
  given.submit(range_spec(2, 4));
  const auto first = given.ask(worker), second = given.ask(worker);
  ASSERT_EQ(first->resources.cpus, 1);
  ASSERT_EQ(second->resources.cpus, 2) << "at most twice what was measured";
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(given.finish_phase(*first, 30).action, Action::go_on) << "nothing was measured";
  EXPECT_EQ(given.finish_phase(*first, 30).reason, VerdictReason::yields);
  EXPECT_EQ(given.ask(worker)->resources.cpus, 2) << "the slot that the second run does not use";
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(given.finish_phase(*second, 30).action, Action::go_on) << "none is left";
}

// It narrowed, as the returned run was in the queue.
TEST(Widths, a_run_keeps_its_slots_while_another_changes_its_own) {
  Widths given;
  const auto worker = given.worker(8);
  given.submit(range_spec(2, 8));
  const auto first = given.ask(worker), second = given.ask(worker);
  ASSERT_EQ(second->resources.cpus, 2);
  for (int i = 0; i < 3; ++i) given.finish_phase(*first, 60);
  ASSERT_EQ(given.run(first->attempt.run).state, RunState::queued);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(given.finish_phase(*second, 30).action, Action::go_on) << "its slots are kept";
}

TEST(Widths, limits_of_the_sweep_hold) {
  Widths given;
  const auto worker = given.worker(16);
  SweepSpec spec = range_spec(9, 8);
  spec.limits.concurrency = 1;
  spec.slots.max = 3;
  const auto id = given.submit(spec);
  const auto grant = given.ask(worker);
  EXPECT_EQ(grant->resources.cpus, 2) << "no other run of it may start meanwhile";
  const auto slots = given.train(*grant, linear, 10);
  EXPECT_EQ(slots.back(), 3);
  EXPECT_EQ(given.sweep(id).service.held, 3);
}

TEST(Widths, a_change_must_save_more_than_a_start_costs) {
  Widths given;
  const auto worker = given.worker(8);
  given.submit(range_spec(1, 8, 6));
  const auto grant = given.ask(worker);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(given.finish_phase(*grant, 0.5).action, Action::go_on)
        << "phases of half a second, and a start that may take five";
}

TEST(Widths, slot_seconds_count_what_is_held) {
  Widths given;
  const auto worker = given.worker(8);
  const auto id = given.submit(range_spec(1, 8));
  const auto grant = given.ask(worker);
  given.finish_phase(*grant, 10);
  EXPECT_NEAR(service_at(given.sweep(id).service, given.now), 20, 1e-9);
}

}  // namespace
}  // namespace hone
