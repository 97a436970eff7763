// Which phase the reports of an attempt are, where the program does not number them.
#include "worker/agent/attempt_phases.hpp"

#include "tests/unit/worker/given.hpp"

namespace hone::worker {
namespace {

LeaseGrant grant_of(int next_phase, AttemptOrigin origin) {
  LeaseGrant grant = small_grant();
  grant.budget = {"epochs", 10, 10};
  grant.next_phase = next_phase;
  grant.origin = origin;
  return grant;
}

// The phases of reports of these steps, each answered.
std::vector<int> phases_of(AttemptPhases phases, const std::vector<std::int64_t>& steps) {
  std::vector<int> found;
  for (const auto step : steps) {
    found.push_back(phases.phase_of(ReportLine{std::nullopt, step}));
    phases.reported(found.back(), step);
  }
  return found;
}

TEST(AttemptPhases, count_from_the_next_phase_of_a_run_that_continues) {
  EXPECT_EQ(phases_of(AttemptPhases(grant_of(0, {})), {1, 2}), (std::vector{0, 1}));
  EXPECT_EQ(phases_of(AttemptPhases(grant_of(3, {3, 3, 0, 3})), {4, 5}), (std::vector{3, 4}));
}

// The server refused the first two as going backwards, and took the third as that of phase 3.
TEST(AttemptPhases, of_a_program_that_starts_over_are_known_ones_first) {
  EXPECT_EQ(phases_of(AttemptPhases(grant_of(3, {0, 0, 0, 3})), {1, 2, 3, 4, 5}),
            (std::vector{0, 1, 2, 3, 4}));
}

TEST(AttemptPhases, of_a_program_that_resumes_an_older_checkpoint_repeat_the_newest) {
  EXPECT_EQ(phases_of(AttemptPhases(grant_of(5, {3, 3, 0, 5})), {4, 5, 6, 7}),
            (std::vector{3, 4, 5, 6}));
}

TEST(AttemptPhases, of_a_program_that_keeps_its_own_state_continue) {
  EXPECT_EQ(phases_of(AttemptPhases(grant_of(3, {0, 0, 0, 3})), {4, 5}), (std::vector{3, 4}));
}

TEST(AttemptPhases, of_a_program_that_ignores_its_checkpoint_are_known_until_it_caught_up) {
  EXPECT_EQ(phases_of(AttemptPhases(grant_of(3, {3, 3, 0, 3})), {1, 2, 3, 4}),
            (std::vector{2, 2, 2, 3}));
}

TEST(AttemptPhases, of_a_program_without_steps_are_counted) {
  EXPECT_EQ(phases_of(AttemptPhases(grant_of(2, {0, 0, 0, 0})), {0, 0, 0}), (std::vector{0, 1, 2}));
  EXPECT_EQ(phases_of(AttemptPhases(grant_of(2, {0, 2, 0, 0})), {0, 0}), (std::vector{2, 3}));
}

TEST(AttemptPhases, of_a_later_step_may_count_their_own_steps) {
  EXPECT_EQ(phases_of(AttemptPhases(grant_of(5, {5, 5, 5, 5})), {1, 2}), (std::vector{5, 6}));
  EXPECT_EQ(phases_of(AttemptPhases(grant_of(7, {5, 5, 5, 7})), {1, 2, 3}), (std::vector{5, 6, 7}));
  EXPECT_EQ(phases_of(AttemptPhases(grant_of(7, {7, 7, 5, 7})), {3, 4}), (std::vector{7, 8}));
}

TEST(AttemptPhases, a_server_of_an_earlier_version_names_no_origin) {
  LeaseGrant grant = grant_of(3, {});
  grant.origin.reset();
  grant.resume = ModelRef{ModelId{1}, "aa", 1, 2, 1};
  EXPECT_EQ(origin_of(grant), (AttemptOrigin{2, 2, 0, 0}));
  grant.resume.reset();
  EXPECT_EQ(origin_of(grant), AttemptOrigin{});
}

// It was called that of the next phase: a fork of phase 1 started from the end of phase 0.
TEST(AttemptPhases, a_checkpoint_that_follows_the_report_of_its_step_is_of_that_phase) {
  AttemptPhases phases(grant_of(0, {}));
  const CheckpointLine at_1{"m", 1, {}};
  EXPECT_EQ(phases.phase_of(at_1, Origin::output), 0);
  phases.reported(0, 1);
  EXPECT_EQ(phases.phase_of(at_1, Origin::output), 0);
  EXPECT_EQ(phases.phase_of(CheckpointLine{"m", 2, {}}, Origin::output), 1);
  EXPECT_EQ(phases.phase_of(at_1, Origin::socket), 1) << "an SDK saves it before its report";
  EXPECT_EQ(phases.phase_of(CheckpointLine{"m", 1, 4}, Origin::output), 4);
}

// Rows of a file are read after the checkpoints on stdout: these were all of the first phase.
TEST(AttemptPhases, a_checkpoint_of_a_program_with_rows_is_of_the_phase_of_its_step) {
  LeaseGrant grant = grant_of(0, {});
  grant.budget = {"steps", 100, 4};
  std::get<CommandTrainer>(grant.trainer).collect.emplace();
  AttemptPhases phases(grant);
  const auto at = [&](std::int64_t step) {
    return phases.phase_of(CheckpointLine{"m", step, {}}, Origin::output);
  };
  EXPECT_EQ(at(10), 0);
  EXPECT_EQ(at(25), 0);
  EXPECT_EQ(at(26), 1);
  EXPECT_EQ(at(100), 3);
  EXPECT_EQ(at(130), 3);
  EXPECT_EQ(at(5000), 0) << "in another unit: by the reports";
  grant.origin = AttemptOrigin{50, 2, 50, 50};
  AttemptPhases later(grant);
  EXPECT_EQ(later.phase_of(CheckpointLine{"m", 20, {}}, Origin::output), 2) << "of a later step";
}

// All of them were of the phase after the pause: a later attempt took the last one for its own.
TEST(AttemptPhases, checkpoints_of_a_program_that_trains_on_after_a_pause_are_of_later_phases) {
  AttemptPhases phases(grant_of(0, {}));
  phases.reported(0, 1);
  EXPECT_EQ(phases.phase_of(CheckpointLine{"m", 2, {}}, Origin::output), 1);
  phases.pass_over(2);
  EXPECT_EQ(phases.phase_of(CheckpointLine{"m", 3, {}}, Origin::output), 2);
  EXPECT_EQ(phases.next(), 1);
}

// It was called that of the phase after: a fork of that phase began one training too early.
TEST(AttemptPhases, a_checkpoint_that_follows_a_report_after_a_pause_is_of_its_phase) {
  AttemptPhases phases(grant_of(0, {}));
  phases.reported(0, 1);
  for (int step = 2; step <= 12; ++step) {
    phases.pass_over(step);
    const CheckpointLine saved{"m", step, {}};
    EXPECT_EQ(phases.phase_of(saved, Origin::output), std::min(step, 10) - 1);
  }
}

// Such as one that was saved amid phase 5, whose report at step 50 is known.
TEST(AttemptPhases, of_a_checkpoint_before_the_newest_report_repeat_that_report) {
  EXPECT_EQ(phases_of(AttemptPhases(grant_of(5, {45, 5, 0, 50})), {50, 60, 70}),
            (std::vector{4, 5, 6}));
  EXPECT_EQ(phases_of(AttemptPhases(grant_of(5, {45, 5, 0, 50})), {60, 70}), (std::vector{5, 6}));
}

TEST(AttemptPhases, a_checkpoint_of_a_phase_trained_again_is_of_that_phase) {
  AttemptPhases phases(grant_of(5, {0, 0, 0, 5}));
  phases.reported(0, 1);
  EXPECT_EQ(phases.phase_of(CheckpointLine{"m", 2, {}}, Origin::output), 1);
}

}  // namespace
}  // namespace hone::worker
