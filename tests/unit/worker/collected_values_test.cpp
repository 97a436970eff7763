// What NaN and infinities among rows mean, and why nothing was collected.
#include <gtest/gtest.h>

#include "tests/unit/worker/collected.hpp"

namespace hone::worker {
namespace {

// A mean return is NaN until an episode has ended: both phases ended the run as diverged.
TEST(Collector, nan_before_the_first_number_is_no_value) {
  Collector collector(csv(), {"iters", 10, 10}, {});
  const auto heard = heard_of(collector, {"step,score", "1,nan", "2,nan", "3,30", "4,40"});
  ASSERT_EQ(heard.reports.size(), 4U);
  for (std::size_t phase = 0; phase < 3; ++phase)
    EXPECT_EQ(heard.reports[phase].score, Score::of(30));
  EXPECT_EQ(heard.reports[3].score, Score::of(40));
}

TEST(Collector, nan_after_a_number_is_diverged) {
  Collector collector(csv(), {"iters", 10, 10}, {});
  const auto heard = heard_of(collector, {"step,score", "1,10", "2,nan"});
  ASSERT_EQ(heard.reports.size(), 2U);
  EXPECT_TRUE(heard.reports[1].score.is_diverged());
}

TEST(Collector, a_run_without_any_number_is_diverged_once_half_of_it_is_over) {
  Collector collector(csv(), {"iters", 10, 10}, {});
  const auto heard = heard_of(collector, {"step,score", "1,nan", "4,nan"});
  EXPECT_TRUE(heard.reports.empty());
  const auto late = heard_of(collector, Rows{"5,nan"});
  ASSERT_FALSE(late.reports.empty());
  EXPECT_TRUE(late.reports.front().score.is_diverged());
  Collector brief(csv(), {"iters", 10, 1}, {});
  const auto ended = heard_of(brief, Rows{"step,score", "3,nan"}, true);
  ASSERT_EQ(ended.reports.size(), 1U);
  EXPECT_TRUE(ended.reports.front().score.is_diverged());
}

TEST(Collector, nan_is_what_the_sweep_states) {
  CollectSpec spec = csv();
  spec.nan = NanRule::diverged;
  Collector strict(spec, {"iters", 10, 10}, {});
  EXPECT_TRUE(heard_of(strict, Rows{"step,score", "1,nan"}).reports.at(0).score.is_diverged());
  spec.nan = NanRule::skip;
  Collector lenient(spec, {"iters", 10, 10}, {});
  const auto heard = heard_of(lenient, {"step,score", "1,10", "2,nan", "3,30"});
  ASSERT_EQ(heard.reports.size(), 3U);
  EXPECT_EQ(heard.reports[1].score, Score::of(30));
  Collector none(spec, {"iters", 10, 10}, {});
  EXPECT_TRUE(heard_of(none, Rows{"step,score", "10,nan"}, true).reports.empty());
  EXPECT_EQ(none.nothing_found({"results.csv"}), "each value of its rows was NaN");
}

// One NaN among 100 returns ended the run.
TEST(Collector, a_nan_inside_a_window_does_not_end_a_run) {
  CollectSpec spec = csv();
  spec.window = 4;
  Collector collector(spec, {"iters", 4, 1}, {});
  const auto heard = heard_of(collector, {"step,score", "1,1", "2,nan", "3,2", "4,3"});
  EXPECT_EQ(heard.reports.at(0).score, Score::of(2));
  Collector exploded(spec, {"iters", 4, 1}, {});
  EXPECT_TRUE(heard_of(exploded, {"step,score", "1,1", "2,nan", "3,nan", "4,nan"})
                  .reports.at(0)
                  .score.is_diverged());
  spec.summary = Summary::last;
  Collector last(spec, {"iters", 2, 1}, {});
  EXPECT_TRUE(heard_of(last, Rows{"step,score", "1,1", "2,nan"}).reports.at(0).score.is_diverged());
}

TEST(Collector, infinity_is_diverged_at_once) {
  Collector collector(csv(), {"iters", 10, 10}, {});
  EXPECT_TRUE(heard_of(collector, Rows{"step,score", "1,-inf"}).reports.at(0).score.is_diverged());
}

TEST(Collector, says_why_nothing_was_found) {
  CollectSpec spec;
  spec.format = CollectFormat::regex;
  spec.patterns = {R"(loss=(?<loss>\S+))"};
  spec.objectives = {"loss"};
  const CollectSource out{"its standard output", true, "", "its standard error", "stderr: true"};
  const auto why = [&](const std::vector<std::string>& lines, const char* other = nullptr) {
    Collector collector(spec, {"epochs", 1, 1}, {});
    heard_of(collector, lines, true);
    if (other != nullptr) collector.probe(other);
    return collector.nothing_found(out);
  };
  EXPECT_EQ(why({}), "its standard output was empty");
  EXPECT_EQ(why({"hello"}),
            "0 of the 1 line of its standard output matched the pattern of "
            "command.collect");
  EXPECT_EQ(why({"hello"}, "loss=0.5"), "its values are in its standard error; add stderr: true");
  EXPECT_EQ(why({"loss=12.5%"}), "of its standard output, '12.5%' in 'loss' is not a number");
  EXPECT_EQ(why({"loss=0.5"}), "");
  Collector collector(csv(), {"epochs", 1, 1}, {});
  EXPECT_EQ(collector.nothing_found({"r.csv", false, "/data/runs/rn_1.0#1/files/r.csv", {}, {}}),
            "there is no r.csv at /data/runs/rn_1.0#1/files/r.csv");
}

}  // namespace
}  // namespace hone::worker
