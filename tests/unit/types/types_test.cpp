#include <gtest/gtest.h>

#include "schemas/types/ids.hpp"
#include "schemas/types/score.hpp"

namespace hone {
namespace {

TEST(Ids, print_and_parse_back) {
  const ObjectId ids[] = {
      SweepId{7},     TrialId{42},  RunId{TrialId{42}, 0}, AttemptId{{TrialId{42}, 0}, 2},
      ModelId{9},     DatasetId{3}, WorkflowId{2},         WorkerId{1},
      EvaluationId{3}};
  const char* words[] = {"sw_7", "tr_42", "rn_42.0", "rn_42.0#2", "md_9",
                         "ds_3", "wf_2",  "wk_1",    "ev_3"};
  for (std::size_t i = 0; i < std::size(ids); ++i) {
    EXPECT_EQ(text(ids[i]), words[i]);
    EXPECT_EQ(parse_object_id(words[i]), ids[i]);
  }
  EXPECT_EQ(parse_lease_id("le_5"), LeaseId{5});
}

TEST(Ids, refuse_everything_else) {
  for (const char* words :
       {"", "sw_", "sw_0", "sw_-1", "sw_+1", "sw_01", "sw_7x", "sw7", "rn_42", "rn_42.", "rn_42.-1",
        "rn_42.0#", "rn_42.0#0", "sw_99999999999999999999", "le_5", " sw_7"})
    EXPECT_FALSE(parse_object_id(words)) << words;
}

TEST(Ids, narrow_to_the_kind_that_was_asked_for) {
  EXPECT_TRUE(parse_id<SweepId>("sw_7"));
  EXPECT_FALSE(parse_id<SweepId>("tr_7"));
}

TEST(Scores, rank_divergence_below_every_number_for_both_goals) {
  for (const Goal goal : {Goal::maximize, Goal::minimize}) {
    EXPECT_LT(Score::diverged().merit(goal), Score::of(-1e300).merit(goal));
    EXPECT_LT(Score::diverged().merit(goal), Score::of(1e300).merit(goal));
  }
  EXPECT_TRUE(Score::of(std::nan("")).is_diverged());
  EXPECT_TRUE(Score::of(INFINITY).is_diverged());
  EXPECT_GT(Score::of(1).merit(Goal::minimize), Score::of(2).merit(Goal::minimize));
}

}  // namespace
}  // namespace hone
