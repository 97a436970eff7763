// Runs next to others on a worker: which slots stay free, and which runs leave.
#include <map>

#include "tests/unit/sweep/neighbours_given.hpp"

namespace hone {
namespace {

TEST(Neighbours, without_measurements_every_slot_gets_a_run_and_records_nothing) {
  Neighbourhood given;
  const auto id = given.worker("w", 8);
  given.submit(small_spec(8));
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(given.ask(id)) << i;
    EXPECT_FALSE(given.granted()->neighbours);
  }
}

TEST(Neighbours, runs_that_do_not_disturb_each_other_get_every_slot) {
  Neighbourhood given;
  const auto id = given.worker("w", 8);
  given.measure(id, 10.5, 60);
  given.submit(one_run(), "further");
  ASSERT_TRUE(given.ask(id));
  const auto& neighbours = given.granted()->neighbours;
  ASSERT_TRUE(neighbours);
  EXPECT_EQ(neighbours->runs, 2);
  EXPECT_NEAR(neighbours->speed, 1 / 1.1, 0.01);
  EXPECT_GT(neighbours->with, neighbours->without);
}

TEST(Neighbours, two_runs_at_half_speed_lose_nothing_and_stay_together) {
  Neighbourhood given;
  const auto both = given.measure(given.worker("w"), 20, 20);
  for (const LeaseId id : both) EXPECT_TRUE(find_live_lease(given.book, id));
}

// A worker with a run next to which another one takes ten times as long, as it does itself. A sweep
// of such runs has one elsewhere.
class Contended : public Neighbourhood {
 public:
  Contended() : id(worker("w", 4)), far(worker("v", 2, "far")) {
    const auto both = measure(id, 100, 4);
    end(both[1]);
    SweepSpec spec = small_spec(9, many_phases);
    spec.budget.per_run = many_phases;
    sweep_id = submit(spec, "contended");
    elsewhere = ask(far)->lease;
  }
  WorkerId id, far;
  SweepId sweep_id{};
  LeaseId elsewhere{};
};

TEST(Neighbours, a_slot_stays_free_where_the_speeds_together_would_fall) {
  Contended given;
  EXPECT_FALSE(given.ask(given.id));
  const auto kept = given.kept();
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->sweep, given.sweep_id);
  EXPECT_EQ(kept->neighbours.runs, 1);
  EXPECT_DOUBLE_EQ(kept->neighbours.without, 1);
  EXPECT_LT(kept->neighbours.with, 0.5);
  EXPECT_FALSE(given.ask(given.id));
  EXPECT_TRUE(given.last.empty()) << "recorded once";
}

TEST(Neighbours, another_program_gets_the_slot) {
  Contended given;
  ASSERT_FALSE(given.ask(given.id));
  SweepSpec spec = one_run("other");
  spec.search.trials = 9;
  given.submit(spec, "other");
  ASSERT_TRUE(given.ask(given.far));
  const auto grant = given.ask(given.id);
  ASSERT_TRUE(grant) << "it has a run elsewhere, but its pair was never measured";
  EXPECT_NE(sweep_of(given.book, grant->attempt.run).id, given.sweep_id);
  EXPECT_FALSE(given.book.workers.at(given.id).kept_free);
}

TEST(Neighbours, the_slot_is_given_once_the_neighbour_has_left) {
  Contended given;
  ASSERT_FALSE(given.ask(given.id));
  given.end(given.book.workers.at(given.id).runs.front().lease);
  EXPECT_TRUE(given.ask(given.id));
}

TEST(Neighbours, a_sweep_without_any_run_is_never_kept_waiting) {
  Contended given;
  given.end(given.elsewhere);
  ASSERT_EQ(given.sweep(given.sweep_id).live_leases, 0);
  EXPECT_TRUE(given.ask(given.id));
}

TEST(Neighbours, a_sweep_gets_the_slots_that_its_user_asked_for) {
  Contended given;
  SweepSpec spec = small_spec(9, many_phases);
  spec.slots.min = 2;
  const SweepId min = given.submit(spec, "min");
  ASSERT_TRUE(given.ask(given.far));
  ASSERT_EQ(given.sweep(min).live_leases, 1);
  EXPECT_TRUE(given.ask(given.id));
  EXPECT_EQ(given.sweep(min).live_leases, 2);
  EXPECT_FALSE(given.ask(given.id)) << "it has them";
}

TEST(Neighbours, a_pair_is_tried_again_after_half_an_hour_and_only_once) {
  Contended given;
  ASSERT_FALSE(given.ask(given.id));
  for (int i = 0; i < 200; ++i) {
    given.now = given.now + seconds(10);
    for (const auto& [lease, state] : std::map(given.book.leases))
      given.when(Beat{state.worker, {{lease}}});
  }
  ASSERT_TRUE(given.ask(given.id));
  EXPECT_TRUE(given.granted()->neighbours->again);
  EXPECT_FALSE(given.ask(given.id));
}

TEST(Neighbours, a_run_leaves_its_neighbours_at_the_end_of_a_phase) {
  Neighbourhood given;
  const auto id = given.worker("w");
  SweepSpec spec = small_spec(2, many_phases);
  spec.budget.per_run = many_phases;
  given.submit(spec);
  const auto first = given.ask(id);
  for (int i = 0; i < 3; ++i) given.phase_of_all(10);
  const auto second = given.ask(id);
  for (int i = 0; i < 3; ++i) given.phase_of_all(100);
  given.now = given.now + seconds(100);
  EXPECT_EQ(given.report_of(first->lease).action, Action::go_on) << "two measurements so far";
  const Verdict verdict = given.report_of(second->lease);
  ASSERT_EQ(verdict.action, Action::pause);
  EXPECT_EQ(verdict.reason, VerdictReason::yields);
  EXPECT_EQ(verdict.inputs.at(0).name, "speeds_with");
  EXPECT_FALSE(find_live_lease(given.book, second->lease));
  given.now = given.now + seconds(10);
  EXPECT_EQ(given.report_of(first->lease).action, Action::go_on) << "it is the sweep's only run";
  EXPECT_FALSE(given.ask(id)) << "the other one does not come back next to it";
  given.end(first->lease);
  const auto again = given.ask(id);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->attempt.run, second->attempt.run);
}

TEST(Neighbours, a_run_leaves_at_most_every_ten_minutes) {
  Neighbourhood given;
  const auto both = given.measure(given.worker("w"), 100, 4);
  ASSERT_EQ(given.book.leases.size(), 2U) << "each is the only run of its sweep";
  SweepSpec spec = small_spec(3, many_phases);
  spec.budget.per_run = many_phases;
  given.submit(spec, "three");
  const auto far = given.worker("v", 1, "far");
  ASSERT_TRUE(given.ask(far));
  given.end(both[0]);
  auto& worker = given.book.workers.at(WorkerId{1});
  auto pairs = std::exchange(given.book.neighbours, {});
  const auto grant = given.ask(worker.id);
  given.book.neighbours = pairs;
  ASSERT_TRUE(grant);
  given.now = given.now + seconds(100);
  ASSERT_EQ(given.report_of(grant->lease).action, Action::pause);
  given.book.neighbours.clear();
  const auto again = given.ask(worker.id);
  given.book.neighbours = pairs;
  ASSERT_EQ(again->attempt.run, grant->attempt.run);
  given.now = given.now + seconds(400);
  EXPECT_EQ(given.report_of(again->lease).action, Action::go_on);
  given.now = given.now + seconds(201);
  EXPECT_EQ(given.report_of(again->lease).action, Action::pause);
}

}  // namespace
}  // namespace hone
