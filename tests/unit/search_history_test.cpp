#include <gtest/gtest.h>

#include "server/search/history.hpp"

namespace hone {
namespace {

TEST(History, ranks_by_merit_and_counts_ties_as_not_below) {
  History history(Goal::minimize);
  for (int i = 0; i < 4; ++i) history.add_trial({});
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

}  // namespace
}  // namespace hone
