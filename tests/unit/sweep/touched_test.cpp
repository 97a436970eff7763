// Ended sweeps that a command needs: the engine loads them before it decides.
#include "server/sweep/state/touched.hpp"

#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

TEST(Touched, a_submission_needs_the_sweeps_that_it_names) {
  const auto needed = [](const Submit& submit) {
    return touched_by(Book{}, submit, Instant{}).sweeps;
  };
  SweepSpec spec = small_spec();
  EXPECT_TRUE(needed(Submit{{"alone", spec, {}}}).empty());
  EXPECT_EQ(needed(Submit{{"fork", spec, {}, SweepId{7}}}), std::vector<SweepId>{{7}});
  spec.search.warm_start = {SweepId{3}};
  EXPECT_EQ(needed(Submit{{"both", spec, {}, SweepId{7}}}), (std::vector<SweepId>{{3}, {7}}));
}

TEST(Touched, a_command_needs_the_trial_that_it_names) {
  const Touched touched = touched_by(Book{}, Pin{TrialId{7}, {true}}, Instant{});
  EXPECT_EQ(touched.trials, std::vector<TrialId>{{7}});
}

TEST(Touched, a_note_and_a_tag_need_the_sweep_or_the_trial_of_what_they_are_on) {
  const RunId run{TrialId{7}, 1};
  for (const ObjectId& on : {ObjectId{TrialId{7}}, ObjectId{run}, ObjectId{AttemptId{run, 2}}}) {
    EXPECT_EQ(touched_by(Book{}, AddNote{{"note", on, "text"}}, Instant{}).trials,
              std::vector<TrialId>{{7}});
    EXPECT_EQ(touched_by(Book{}, ChangeTags{{on, {"tag"}, {}}}, Instant{}).trials,
              std::vector<TrialId>{{7}});
  }
  EXPECT_EQ(touched_by(Book{}, AddNote{{"note", SweepId{3}, "text"}}, Instant{}).sweeps,
            std::vector<SweepId>{{3}});
}

}  // namespace
}  // namespace hone
