#include "server/search/history/history.hpp"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(History, ranks_by_merit_and_counts_ties_as_not_below) {
  History history(Goal::minimize, 0);
  for (int i = 0; i < 4; ++i) history.add_run(history.add_trial({}));
  history.add_report(0, 0, Score::of(3));
  history.add_report(1, 0, Score::of(1));
  history.add_report(2, 0, Score::of(1));
  history.add_report(3, 0, Score::diverged());
  EXPECT_EQ(history.reports(0), 4);
  EXPECT_EQ(history.rank_below(0, Score::of(1)), 2);
  EXPECT_EQ(history.rank_below(0, Score::of(2)), 2);
  EXPECT_EQ(history.rank_below(0, Score::of(3)), 1);
  EXPECT_EQ(history.rank_below(0, Score::diverged()), 0);
  EXPECT_EQ(history.reports(1), 0);
  EXPECT_EQ(history.rank_below(7, Score::of(0)), 0);
}

std::vector<std::uint32_t> ranked(const History& history) {
  return {history.ranked().begin(), history.ranked().end()};
}

TEST(History, ranks_finished_trials_before_stopped_ones_and_those_by_the_phase_they_reached) {
  History history(Goal::maximize, 1);
  for (const double x : {0.1, 0.2, 0.3, 0.4, 0.5}) history.add_run(history.add_trial({{x}}));
  history.add_report(0, 0, Score::of(9));  // far ahead, but stopped after one phase
  history.end_run(0, false, true);
  for (const std::size_t run : {1U, 2U})
    for (int phase = 0; phase < 2; ++phase)
      history.add_report(run, phase, Score::of(static_cast<double>(run)));
  history.end_run(1, true, true);
  history.end_run(3, false, true);  // failed without a report
  EXPECT_EQ(ranked(history), (std::vector<std::uint32_t>{1, 2, 0, 3}));
  EXPECT_EQ(history.pending().size(), 1U);
  history.end_run(2, true, true);
  EXPECT_EQ(ranked(history), (std::vector<std::uint32_t>{2, 1, 0, 3}));
  EXPECT_DOUBLE_EQ(history.point(2)[0], 0.3);
}

TEST(History, a_canceled_run_says_nothing_about_its_parameters) {
  History history(Goal::maximize, 0);
  history.add_run(history.add_trial({}));
  history.end_run(0, false, false);
  EXPECT_TRUE(history.ranked().empty());
  EXPECT_TRUE(history.pending().empty());  // no rule waits for it any more
}

TEST(History, the_merit_of_a_trial_is_the_mean_over_its_runs_at_the_furthest_phase) {
  History history(Goal::minimize, 0);
  const auto trial = history.add_trial({});
  for (int i = 0; i < 3; ++i) history.add_run(trial);
  history.add_report(0, 0, Score::of(1));
  history.add_report(0, 1, Score::of(4));
  history.add_report(1, 0, Score::of(2));
  history.add_report(1, 1, Score::of(8));
  history.add_report(2, 0, Score::of(100));
  EXPECT_EQ(history.outcome(trial).phase, 1);
  EXPECT_DOUBLE_EQ(history.outcome(trial).merit, -6);
}

}  // namespace
}  // namespace hone
