// Where attempts count from: after crashes, pauses, forks and steps of a pipeline.
#include "schemas/types/attempt_origin.hpp"

#include <gtest/gtest.h>

namespace hone {
namespace {

const BudgetSpec ten{"epochs", 10, 10};

ModelRef model(std::int64_t step, int phase) { return {ModelId{1}, "aa", 1, step, phase}; }

TEST(AttemptOrigin, is_0_without_a_checkpoint_however_much_is_reported) {
  EXPECT_EQ(attempt_origin(ten, {}, std::nullopt), (AttemptOrigin{0, 0, 0, 0}));
  EXPECT_EQ(attempt_origin(ten, {{1, 2, 3}}, std::nullopt), (AttemptOrigin{0, 0, 0, 3}));
}

TEST(AttemptOrigin, is_the_checkpoint_that_is_handed_over) {
  EXPECT_EQ(attempt_origin(ten, {{1, 2, 3}}, model(3, 2)), (AttemptOrigin{3, 3, 0, 3}));
  EXPECT_EQ(attempt_origin(ten, {{1, 2, 3}}, model(1, 0)), (AttemptOrigin{1, 1, 0, 3}));
  EXPECT_EQ(attempt_origin({"steps", 100, 4}, {{25, 50}}, model(60, 2)),
            (AttemptOrigin{60, 2, 0, 50}));
}

TEST(AttemptOrigin, is_the_end_of_the_step_before_in_a_pipeline) {
  EXPECT_EQ(attempt_origin(ten, {{1, 2, 3, 4, 5}, 5}, std::nullopt), (AttemptOrigin{5, 5, 5, 5}));
  EXPECT_EQ(attempt_origin(ten, {{1, 2, 3, 4, 5, 6}, 5}, std::nullopt),
            (AttemptOrigin{5, 5, 5, 6}));
}

TEST(AttemptOrigin, takes_a_checkpoint_of_a_later_step_on_its_own_count_or_on_that_of_the_run) {
  const ReportedSteps reported{{1, 2, 3, 4, 5, 6, 7}, 5};
  EXPECT_EQ(attempt_origin(ten, reported, model(2, 6)), (AttemptOrigin{7, 7, 5, 7}));
  EXPECT_EQ(attempt_origin(ten, reported, model(7, 6)), (AttemptOrigin{7, 7, 5, 7}));
  // More steps on its own count than the step before had.
  const ReportedSteps longer{{1, 2, 3, 4, 5, 6, 7}, 2};
  EXPECT_EQ(attempt_origin(ten, longer, model(5, 6)).step, 7);
  EXPECT_EQ(attempt_origin(ten, longer, model(7, 6)).step, 7);
}

TEST(AttemptOrigin, is_the_report_of_the_phase_where_checkpoints_count_in_another_unit) {
  EXPECT_EQ(attempt_origin(ten, {{1, 2, 3}}, model(50'000, 2)), (AttemptOrigin{3, 3, 0, 3}));
}

TEST(AttemptOrigin, of_a_checkpoint_past_a_phase_without_a_report_cannot_be_reported) {
  EXPECT_FALSE(outruns_reports(ten, {{1, 2, 3}}, model(3, 2)));
  EXPECT_TRUE(outruns_reports(ten, {{1, 2, 3}}, model(4, 3)));
  EXPECT_FALSE(outruns_reports({"steps", 100, 4}, {{25, 50}}, model(74, 2)));
  EXPECT_TRUE(outruns_reports({"steps", 100, 4}, {{25, 50}}, model(75, 2)));
  EXPECT_FALSE(outruns_reports(ten, {{1, 2, 3}}, model(50'000, 3)));
  EXPECT_FALSE(outruns_reports({"epochs", 2, 2}, {{1, 2}}, model(2, 1)));
  EXPECT_FALSE(outruns_reports(ten, {{1, 2, 3, 4, 5, 6}, 5}, model(1, 5)));
  EXPECT_TRUE(outruns_reports(ten, {{1, 2, 3, 4, 5, 6}, 5}, model(2, 6)));
}

}  // namespace
}  // namespace hone
