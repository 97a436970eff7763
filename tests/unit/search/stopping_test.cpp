// Rules that stop and never pause: median, percentile, threshold, patience, asha_stopping; and how
// many runs a budget pays for.
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "server/search/terminators/run_budget.hpp"
#include "tests/unit/search/play.hpp"

namespace hone {
namespace {

const SweepShape plan{16, 1, 10};

// Runs with these reports, by phase.
History history_of(const std::vector<std::vector<double>>& curves, Goal goal = Goal::maximize) {
  History history(goal, 0);
  for (const auto& curve : curves) {
    const std::size_t run = history.add_run(history.add_trial({}));
    for (std::size_t phase = 0; phase < curve.size(); ++phase)
      history.add_report(run, static_cast<int>(phase), Score::of(curve[phase]));
  }
  return history;
}

Action judged(const TerminatorSpec& spec, const History& history, std::size_t run, double value) {
  const int phase = static_cast<int>(history.runs()[run].merits.size());
  return made(spec, plan)->judge(history, run, phase, Score::of(value)).action;
}

TEST(Median, with_two_others_never_stops) {
  const TerminatorSpec spec{"median", {}};
  EXPECT_EQ(judged(spec, history_of({{9, 9}, {9, 9}, {0}}), 2, 0), Action::go_on);
  EXPECT_EQ(judged(spec, history_of({{9, 9}, {9, 9}, {9, 9}, {0}}), 3, 0), Action::stop);
}

// The others' running means from the end of the grace on are 2, 4 and 6.
TEST(Median, compares_the_best_so_far_with_the_median_of_running_means) {
  const auto curves = [](std::vector<double> own) {
    return history_of({{99, 1, 3}, {99, 4, 4}, {99, 9, 3}, std::move(own)});
  };
  const TerminatorSpec spec{"median", {}};
  EXPECT_EQ(judged(spec, curves({99, 0}), 3, 3.9), Action::stop);
  EXPECT_EQ(judged(spec, curves({99, 0}), 3, 4), Action::go_on);  // strictly worse only
  EXPECT_EQ(judged(spec, curves({99, 5}), 3, 0), Action::go_on);  // its best so far counts
}

TEST(Median, of_an_even_number_is_the_middle_of_the_middle_two) {
  const auto history = history_of({{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0}});
  EXPECT_EQ(judged({"median", {}}, history, 4, 2.9), Action::stop);
  EXPECT_EQ(judged({"median", {}}, history, 4, 3), Action::go_on);
}

TEST(Median, judges_nobody_in_its_grace) {
  const auto history = history_of({{9, 9}, {9, 9}, {9, 9}, {0}, {}});
  EXPECT_EQ(judged({"median", {}}, history, 4, 0), Action::go_on);
  EXPECT_EQ(judged({"median", {{"grace", 0}}}, history, 4, 0), Action::stop);
  EXPECT_EQ(judged({"median", {{"grace", 2}}}, history, 3, 0), Action::go_on);
  EXPECT_EQ(judged({"median", {{"min_runs", 4}}}, history, 3, 0), Action::go_on);
}

TEST(Median, minimizing_mirrors_it_and_tells_the_users_own_numbers) {
  const auto history = history_of({{9, 2}, {9, 3}, {9, 4}, {9}}, Goal::minimize);
  const auto rule = made({"median", {}}, plan);
  const Verdict verdict = rule->judge(history, 3, 1, Score::of(3.5));
  EXPECT_EQ(verdict.action, Action::stop);
  EXPECT_EQ(rule->explain(verdict),
            "the median rule stopped it: its best so far, 3.5, is worse than 3, the median of the "
            "means of 3 other runs");
  EXPECT_EQ(rule->judge(history, 3, 1, Score::of(2.5)).action, Action::go_on);
}

TEST(Median, is_no_bar_where_half_of_the_others_diverged) {
  History history = history_of({{1, 5}, {1, 5}, {1}, {1}, {1}});
  history.add_report(2, 1, Score::diverged());
  history.add_report(3, 1, Score::diverged());
  EXPECT_EQ(judged({"median", {}}, history, 4, -100), Action::go_on);
}

TEST(Percentile, stops_what_is_below_the_quarter_of_the_phase) {
  const auto history = history_of({{1, 10}, {1, 20}, {1, 30}, {1, 40}, {15}});
  const TerminatorSpec grace{"percentile", {}};
  EXPECT_EQ(judged(grace, history, 4, 9), Action::go_on);  // its best so far is 15
  const auto poorer = history_of({{1, 10}, {1, 20}, {1, 30}, {1, 40}, {5}});
  EXPECT_EQ(judged(grace, poorer, 4, 9), Action::stop);
  EXPECT_EQ(judged(grace, poorer, 4, 10), Action::go_on);
  EXPECT_EQ(judged({"percentile", {{"evict", 0.5}}}, poorer, 4, 19), Action::stop);
  EXPECT_EQ(judged({"percentile", {{"evict", 0.5}}}, poorer, 4, 20), Action::go_on);
  EXPECT_EQ(judged({"percentile", {{"min_reports", 5}}}, poorer, 4, 0), Action::go_on);
}

TEST(Percentile, stops_none_of_many_equal_runs) {
  const auto history = history_of({{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1}});
  EXPECT_EQ(judged({"percentile", {}}, history, 4, 1), Action::go_on);
}

TEST(AshaStopping, lets_the_first_pass_and_asks_later_ones_to_beat_two_thirds) {
  const TerminatorSpec spec{"asha_stopping", {}};
  EXPECT_EQ(judged(spec, history_of({{}}), 0, -5), Action::go_on);
  const auto history = history_of({{1}, {2}, {3}, {}});
  EXPECT_EQ(judged(spec, history, 3, 1.5), Action::stop);
  EXPECT_EQ(judged(spec, history, 3, 2), Action::go_on);
  EXPECT_EQ(judged(spec, history_of({{1, 1}, {2, 2}, {3, 3}, {0}}), 3, 0), Action::go_on);
  EXPECT_EQ(judged(spec, history_of({{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {9, 9}}), 3, 0),
            Action::stop);  // the second rung lies after three phases
}

TEST(Threshold, stops_what_has_not_reached_its_value_in_time) {
  const TerminatorSpec spec{"threshold", {{"value", 100}, {"phases", 2}}};
  EXPECT_EQ(judged(spec, history_of({{}}), 0, 0), Action::go_on);
  EXPECT_EQ(judged(spec, history_of({{0}}), 0, 99), Action::stop);
  EXPECT_EQ(judged(spec, history_of({{0}}), 0, 100), Action::go_on);
  EXPECT_EQ(judged(spec, history_of({{120}}), 0, 0), Action::go_on);
  EXPECT_EQ(judged(spec, history_of({{120, 0}}), 0, 0), Action::go_on);
  EXPECT_EQ(judged(spec, history_of({{120}}, Goal::minimize), 0, 101), Action::stop);
  EXPECT_EQ(judged(spec, history_of({{120}}, Goal::minimize), 0, 99), Action::go_on);
}

TEST(Threshold, says_of_a_time_that_there_is_none_yet) {
  SweepShape shape = plan;
  const TerminatorSpec spec{"threshold", {{"value", 100}, {"phases", 2}}};
  const auto text = [&] {
    const auto rule = made(spec, shape);
    return rule->explain(
        rule->judge(history_of({{1.2e15}}, Goal::minimize), 0, 1, Score::of(1.1e15)));
  };
  EXPECT_EQ(text().find("not reached, "), std::string::npos);
  shape.until_bar = true;
  EXPECT_NE(text().find("its best so far, not reached, has not reached 100"), std::string::npos);
}

TEST(Threshold, needs_a_value_and_a_time) {
  const auto at = [](std::vector<std::pair<std::string, double>> settings) {
    return make_terminator({"threshold", std::move(settings)}, plan).error().at;
  };
  EXPECT_EQ(at({}), "/terminator/value");
  EXPECT_EQ(at({{"value", 1}}), "/terminator/phases");
  EXPECT_EQ(at({{"value", 1}, {"phases", 11}}), "/terminator/phases");
}

TEST(Patience, stops_a_run_that_no_longer_improves) {
  const TerminatorSpec spec{"patience", {{"phases", 2}, {"min_delta", 0.5}}};
  EXPECT_EQ(judged(spec, history_of({{5}}), 0, 0), Action::go_on);      // too early
  EXPECT_EQ(judged(spec, history_of({{5, 5}}), 0, 5.5), Action::stop);  // by 0.5, not by more
  EXPECT_EQ(judged(spec, history_of({{5, 5}}), 0, 5.6), Action::go_on);
  EXPECT_EQ(judged(spec, history_of({{5, 6}}), 0, 0), Action::go_on);  // it did, a phase ago
  EXPECT_EQ(judged(spec, history_of({{5, 6, 0}}), 0, 0), Action::stop);
  EXPECT_EQ(judged(spec, history_of({{5, 5}}, Goal::minimize), 0, 4.4), Action::go_on);
  EXPECT_EQ(judged(spec, history_of({{5, 5}}, Goal::minimize), 0, 4.5), Action::stop);
}

TEST(Work, is_phases_trained_by_runs_ended_once_all_have_ended) {
  History history = history_of({{1}, {1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}});
  EXPECT_FALSE(measured_phases(history, 4));
  for (std::size_t run = 0; run < 4; ++run) history.end_run(run, run > 1, true);
  EXPECT_DOUBLE_EQ(*measured_phases(history, 4), 12 / 4.0);
  EXPECT_EQ(runs_that_fit(100, 3), 33);
  EXPECT_EQ(runs_that_fit(99, 3), 33);
  EXPECT_EQ(runs_that_fit(1, 3), 1);
}

// The two that ended so far needed 1 phase each; the two that train on have had 3 already.
TEST(Work, counts_open_runs_as_far_as_they_got) {
  History history = history_of({{1}, {1}, {1, 1, 1}, {1, 1, 1}});
  history.end_run(0, false, true);
  history.end_run(1, false, true);
  EXPECT_DOUBLE_EQ(*measured_phases(history, 3), 1 + 0.5 + 0.5);
}

TEST(Work, leaves_out_ends_that_say_nothing_of_the_parameters) {
  History history = history_of({{1}, {1, 1}, {1, 1}});
  history.end_run(0, false, false);
  EXPECT_FALSE(measured_phases(history, 2));
  history.end_run(1, true, true);
  EXPECT_DOUBLE_EQ(*measured_phases(history, 2), 2.0);
}

// Fixed quality in a persistent order: HyperTrick needs about 5 phases a run where its closed form
// says 3.8, and the measure finds out long before the end.
TEST(Work, measured_early_sizes_a_sweep_better_than_the_closed_form) {
  const SweepShape big{400, 1, 10};
  const auto rule = made({"hypertrick", {}}, big);
  std::vector<double> quality;
  Rng rng(1, Purpose::simulation, 0);
  for (int run = 0; run < 400; ++run) quality.push_back(rng.normal());
  Play play(*rule, big, 40, [&](std::size_t run, int) { return Score::of(quality[run]); });
  std::optional<double> halfway;
  play.on_step = [&] {
    if (play.history().trials().size() == 200) halfway = measured_phases(play.history(), 10);
  };
  play.run();
  const double truth = play.phases() / 400.0;
  EXPECT_LT(rule->expected_phases(), truth * 0.9);
  EXPECT_LT(std::abs(*measured_phases(play.history(), 10) - truth), 1e-9);
  EXPECT_GT(*halfway, rule->expected_phases());
}

}  // namespace
}  // namespace hone
