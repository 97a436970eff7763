// Stop words and limits.
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

struct Scene : Given {
  SweepId sweep_id = submit(small_spec(4, 2));
  WorkerId worker = join();
  Order order_of(LeaseId lease) {
    const Command beat = Beat{worker, {{lease}}};
    when(beat);
    return std::get<BeatReply>(answer(book, beat)).leases[0].order;
  }
  Events steer(Verb verb) { return when(Steer{sweep_id, {verb}}); }
};

TEST(Steer, pause_starts_nothing_and_lets_running_runs_go_on) {
  Scene scene;
  const auto grant = scene.acquire(scene.worker, "a1");
  expect_kinds<SweepSteered>(scene.steer(Verb::pause));
  EXPECT_TRUE(scene.steer(Verb::pause).empty());
  EXPECT_FALSE(scene.acquire(scene.worker, "a2"));
  EXPECT_EQ(scene.report(grant->lease, 0, Score::of(1)).action, Action::go_on);
  expect_kinds<SweepSteered>(scene.steer(Verb::resume));
  EXPECT_TRUE(scene.acquire(scene.worker, "a3"));
}

TEST(Steer, stop_lets_running_runs_finish_and_then_completes) {
  Scene scene;
  const auto grant = scene.acquire(scene.worker, "a1");
  scene.steer(Verb::stop);
  EXPECT_EQ(scene.sweep(scene.sweep_id).state, SweepState::stopping);
  EXPECT_FALSE(scene.acquire(scene.worker, "a2"));
  scene.when(End{grant->lease, {EndReason::signal, 9, "", ""}});
  scene.rest();
  const auto again =
      scene.acquire(scene.worker, "a3");  // a lost run of a stopping sweep still finishes
  ASSERT_TRUE(again);
  scene.report(again->lease, 0, Score::of(1));
  scene.report(again->lease, 1, Score::of(1));
  EXPECT_EQ(scene.sweep(scene.sweep_id).state, SweepState::completed);
  EXPECT_EQ(scene.sweep(scene.sweep_id).reason, EndReason::user_stop);
}

TEST(Steer, stop_with_nothing_running_ends_the_sweep_at_once) {
  Scene scene;
  expect_kinds<SweepSteered, SweepEnded>(scene.steer(Verb::stop));
  EXPECT_TRUE(scene.steer(Verb::stop).empty());
  EXPECT_FALSE(scene.error);
}

TEST(Steer, cancel_orders_workers_and_ends_when_they_obeyed) {
  Scene scene;
  const auto grant = scene.acquire(scene.worker, "a1");
  scene.steer(Verb::cancel);
  EXPECT_EQ(scene.order_of(grant->lease), Order::cancel);
  scene.steer(Verb::kill);
  EXPECT_EQ(scene.order_of(grant->lease), Order::kill);
  EXPECT_TRUE(scene.steer(Verb::cancel).empty());  // never back from kill
  scene.when(End{grant->lease, {EndReason::user_kill, 0, "", ""}});
  EXPECT_EQ(scene.run(grant->attempt.run).state, RunState::canceled);
  EXPECT_EQ(scene.sweep(scene.sweep_id).state, SweepState::canceled);
  EXPECT_EQ(scene.order_of(grant->lease), Order::gone);
}

TEST(Steer, a_worker_lost_during_cancel_does_not_hold_it_up) {
  Scene scene;
  scene.acquire(scene.worker, "a1");
  scene.steer(Verb::cancel);
  scene.now = scene.now + seconds(16);
  expect_kinds<RunEnded, SweepEnded>(scene.tick());
}

TEST(Steer, cancel_ends_queued_replicates) {
  Scene scene;
  auto spec = small_spec(2);
  spec.seeds = 3;
  scene.steer(Verb::kill);
  scene.sweep_id = scene.submit(spec, "replicated");
  const auto grant = scene.acquire(scene.worker, "a1");
  expect_kinds<SweepSteered, RunEnded, RunEnded>(scene.steer(Verb::cancel));
  expect_kinds<RunEnded, SweepEnded>(
      scene.when(End{grant->lease, {EndReason::user_cancel, 143, "", ""}}));
}

TEST(Steer, an_ended_sweep_cannot_be_paused_or_resumed) {
  Scene scene;
  scene.steer(Verb::kill);
  scene.steer(Verb::pause);
  EXPECT_EQ(scene.error->code, Code::conflict);
  scene.steer(Verb::resume);
  EXPECT_EQ(scene.error->code, Code::conflict);
  scene.when(Steer{SweepId{99}, {Verb::stop}});
  EXPECT_EQ(scene.error->code, Code::not_found);
}

TEST(Limits, duration_cancels_the_sweep) {
  Given given;
  auto spec = small_spec();
  spec.limits.duration = seconds(60);
  const SweepId sweep = given.submit(spec);
  const WorkerId worker = given.join();
  given.now = given.now + seconds(55);
  const auto grant = given.acquire(worker, "a1");
  given.now = given.now + seconds(5);
  expect_kinds<SweepSteered>(given.tick());
  given.when(End{grant->lease, {EndReason::user_cancel, 143, "", ""}});
  EXPECT_EQ(given.sweep(sweep).state, SweepState::canceled);
  EXPECT_EQ(given.sweep(sweep).reason, EndReason::time_limit);
  EXPECT_EQ(given.run(grant->attempt.run).reason, EndReason::time_limit);
}

}  // namespace
}  // namespace hone
