// Edits of a live sweep: what is refused, what they do, and that a replay does the same again.
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

Edit edit_of(SweepId sweep, const std::string& request, std::optional<std::int64_t> trials,
             std::vector<Widening> widen = {}) {
  return Edit{sweep, {request, trials, std::nullopt, std::move(widen)}};
}

TEST(Edit, more_trials_are_proposed) {
  Given given;
  const SweepId sweep = given.submit(small_spec(1));
  const WorkerId worker = given.join();
  const auto first = given.acquire(worker, "a");
  ASSERT_TRUE(first);
  EXPECT_FALSE(given.acquire(worker, "b"));
  EXPECT_EQ(given.when(edit_of(sweep, "e", 3)).size(), 1U);
  EXPECT_TRUE(given.when(edit_of(sweep, "e", 3)).empty());  // the same request
  EXPECT_TRUE(given.acquire(worker, "b"));
}

TEST(Edit, fewer_trials_than_were_proposed_are_refused) {
  Given given;
  const SweepId sweep = given.submit(small_spec(4));
  const WorkerId worker = given.join();
  given.acquire(worker, "a");
  given.acquire(worker, "b");
  given.when(edit_of(sweep, "e", 2));
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->at, "/trials");
}

TEST(Edit, concurrency_bounds_the_live_leases_until_it_is_lifted) {
  Given given;
  auto spec = small_spec(4);
  spec.limits.concurrency = 1;
  const SweepId sweep = given.submit(spec);
  const WorkerId worker = given.join();
  ASSERT_TRUE(given.acquire(worker, "a"));
  EXPECT_FALSE(given.acquire(worker, "b"));
  given.when(Edit{sweep, {"e", std::nullopt, 0, {}}});
  EXPECT_TRUE(given.acquire(worker, "b"));
}

TEST(Edit, a_space_only_grows) {
  Given given;
  const SweepId sweep = given.submit(small_spec());
  for (const Widening& narrow : {Widening{"x", 0.5, {}, {}}, Widening{"x", {}, 0.5, {}},
                                 Widening{"x", {}, {}, {}}, Widening{"y", 0, {}, {}}}) {
    given.when(edit_of(sweep, "e", std::nullopt, {narrow}));
    ASSERT_TRUE(given.error);
    EXPECT_EQ(given.error->at, "/widen/0");
  }
}

TEST(Edit, what_was_tried_keeps_its_parameters_in_a_wider_space) {
  Given given;
  auto spec = small_spec(6, 1);
  spec.search = {"tpe", 6};
  const SweepId sweep = given.submit(spec);
  const WorkerId worker = given.join();
  for (int i = 0; i < 3; ++i) {
    const auto grant = given.acquire(worker, "a" + std::to_string(i));
    given.report(grant->lease, 0, Score::of(i));
  }
  given.when(edit_of(sweep, "e", std::nullopt, {{"x", -1, 3, {}}}));
  ASSERT_FALSE(given.error);
  const Sweep& wider = given.book.sweeps.at(sweep);
  for (std::size_t i = 0; i < 3; ++i) {
    const Params at = wider.space.params_at(wider.history.point(i));
    const Params& tried = given.book.trials.at(wider.trials[i]).second.params;
    EXPECT_NEAR(std::get<double>(at[0].value), std::get<double>(tried[0].value), 1e-9);
  }
  EXPECT_TRUE(given.acquire(worker, "next"));
}

TEST(Pin, a_pinned_trial_keeps_its_checkpoints) {
  for (const bool pinned : {false, true}) {
    Given given;
    given.submit(small_spec(1, 3));
    const auto grant = given.acquire(given.join(), "a");
    if (pinned) given.when(Pin{grant->attempt.run.trial, {true}});
    for (int phase = 0; phase < 3; ++phase) {
      given.when(
          SaveModel{grant->lease,
                    {std::string(64, static_cast<char>('a' + phase)), 9, 10 * (phase + 1), phase}});
      given.report(grant->lease, phase, Score::of(3 - phase));
    }
    EXPECT_EQ(given.book.models.size(), pinned ? 3U : 2U);
  }
}

}  // namespace
}  // namespace hone
