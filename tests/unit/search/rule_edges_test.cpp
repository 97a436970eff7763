// Every rule at its edges: one trial, one phase, one seed that diverges, reports that are all
// equal.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/search/play.hpp"

namespace hone {
namespace {

const SweepShape nine{.trials = 9, .phases = 9};

Play::Metric by_run(std::vector<double> quality) {
  return [quality = std::move(quality)](std::size_t run, int) { return Score::of(quality[run]); };
}

// A history in which run i has reported curves[i]; under minimize, with the opposite sign.
History reported(const std::vector<std::vector<double>>& curves, Goal goal) {
  History history(goal, 0);
  for (const auto& curve : curves) {
    const std::size_t run = history.add_run(history.add_trial({}));
    int phase = 0;
    for (const double value : curve)
      history.add_report(run, phase++, Score::of(goal == Goal::maximize ? value : -value));
  }
  return history;
}

class RuleEdge : public testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] std::unique_ptr<Terminator> rule(const SweepShape& shape) const {
    return made(spec_of(GetParam()), shape);
  }
};

TEST_P(RuleEdge, the_only_trial_of_a_sweep_is_its_incumbent) {
  const SweepShape shape{.trials = 1, .phases = 9};
  const auto only = rule(shape);
  Play play(*only, shape, 3, [](auto, auto) { return Score::of(1); });
  play.run();
  EXPECT_EQ(play.history().trials().size(), 1U);
  EXPECT_EQ(only->incumbent(play.history()), 0U);
}

TEST_P(RuleEdge, a_sweep_of_one_phase_is_never_judged) {
  const SweepShape shape{.trials = 6, .phases = 1};
  TerminatorSpec spec = spec_of(GetParam());
  if (GetParam() == "threshold") spec.settings = {{"value", 0.1}, {"phases", 1}};
  const auto short_rule = made(spec, shape);
  Play play(*short_rule, shape, 2, by_run({3, 1, 4, 1, 5, 9}));
  play.on_verdict = [](auto, auto, auto, const auto&) { FAIL() << "the last phase needs no rule"; };
  play.run();
  EXPECT_EQ(play.reached(1), 6);
  EXPECT_EQ(short_rule->incumbent(play.history()), 5U);
}

TEST_P(RuleEdge, a_diverged_report_ends_its_run_and_is_no_incumbent) {
  const auto nine_rule = rule(nine);
  Play play(*nine_rule, nine, 3, [](std::size_t run, int phase) {
    return run == 8 && phase == 0 ? Score::diverged() : Score::of(static_cast<double>(run) + phase);
  });
  play.run();
  EXPECT_EQ(play.history().runs()[8].merits.size(), 1U);
  EXPECT_EQ(play.history().runs()[8].state, RunRecord::State::ended);
  const auto incumbent = nine_rule->incumbent(play.history());
  ASSERT_TRUE(incumbent);
  EXPECT_NE(*incumbent, 8U);
}

TEST_P(RuleEdge, a_sweep_in_which_every_report_diverges_ends_without_an_incumbent) {
  const auto nine_rule = rule(nine);
  Play play(*nine_rule, nine, 2, [](auto, auto) { return Score::diverged(); });
  play.run();
  EXPECT_EQ(play.reached(1), 9);
  EXPECT_EQ(play.reached(2), 0);
  EXPECT_FALSE(nine_rule->incumbent(play.history()));
}

TEST_P(RuleEdge, of_equal_runs_some_train_to_the_end_unless_a_run_must_improve) {
  const auto nine_rule = rule(nine);
  Play play(*nine_rule, nine, 2, [](auto, auto) { return Score::of(1); });
  play.run();
  if (GetParam() == "patience")
    EXPECT_EQ(play.reached(5), 0) << "no run improves on its first report";
  else
    EXPECT_GE(play.reached(9), 1);
}

TEST_P(RuleEdge, equal_reports_of_many_workers_are_judged_as_those_of_one) {
  std::vector<int> lengths;
  for (const int workers : {1, 9}) {
    const auto nine_rule = rule(nine);
    Play play(*nine_rule, nine, workers, [](std::size_t, int phase) { return Score::of(phase); });
    play.run();
    lengths.push_back(play.reached(9));
  }
  EXPECT_GE(lengths[0], 1);
  EXPECT_GE(lengths[1], 1);
}

TEST_P(RuleEdge, a_mirrored_objective_gets_the_same_verdicts) {
  TerminatorSpec spec = spec_of(GetParam());
  const auto mirrored = [&] {
    TerminatorSpec other = spec;
    if (GetParam() == "threshold") other.settings[0].second = -other.settings[0].second;
    return other;
  };
  const std::vector<std::vector<double>> curves{{1, 2, 3, 4}, {2, 2, 2, 2}, {0, 5, 1, 6},
                                                {3, 1, 2, 0}, {1, 1, 4, 4}, {2, 1}};
  for (const double value : {-1.0, 0.05, 1.5, 2.0, 7.0}) {
    const auto up =
        made(spec, nine)->judge(reported(curves, Goal::maximize), 5, 2, Score::of(value));
    const auto down =
        made(mirrored(), nine)->judge(reported(curves, Goal::minimize), 5, 2, Score::of(-value));
    EXPECT_EQ(up.action, down.action) << value;
    EXPECT_EQ(up.reason, down.reason) << value;
  }
}

TEST_P(RuleEdge, the_first_report_of_a_sweep_is_never_stopped) {
  for (const double value : {-1e300, 0.0, 1e300}) {
    History history(Goal::maximize, 0);
    const std::size_t run = history.add_run(history.add_trial({}));
    EXPECT_NE(rule(nine)->judge(history, run, 0, Score::of(value)).action, Action::stop) << value;
  }
}

TEST_P(RuleEdge, an_empty_history_proposes_and_has_no_incumbent) {
  const History history(Goal::maximize, 0);
  EXPECT_EQ(rule(nine)->next(history, true).kind, NextAction::Kind::propose);
  EXPECT_FALSE(rule(nine)->incumbent(history));
}

std::vector<std::string> every_rule() {
  std::vector<std::string> names;
  for (const TerminatorRow& row : terminator_table()) names.emplace_back(row.rule);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Rules, RuleEdge, testing::ValuesIn(every_rule()),
                         [](const auto& one) { return one.param; });

TEST(TerminatorTable, only_rules_that_pause_close_runs_early) {
  for (const TerminatorRow& row : terminator_table()) {
    const auto rule = made(spec_of(row.rule), nine);
    EXPECT_TRUE(!row.closes_early || rule->pauses()) << row.rule;
    EXPECT_EQ(rule->takes_second_looks(), row.rule == "hone") << row.rule;
  }
}

TEST(TerminatorTable, a_rule_that_is_not_listed_is_refused) {
  const auto rule = make_terminator({"magic", {}}, nine);
  ASSERT_FALSE(rule.ok());
  EXPECT_EQ(rule.error().at, "/terminator/rule");
}

// Ties at a bar ----------------------------------------------------------------------------------

TEST(Ties, hypertrick_evicts_a_report_that_ties_with_the_worst) {
  const auto rule = made({"hypertrick", {{"eviction_rate", 0.25}}}, {.trials = 4, .phases = 3});
  History history = reported({{1}, {1}, {1}, {}}, Goal::maximize);
  EXPECT_EQ(rule->judge(history, 3, 0, Score::of(1)).action, Action::stop);  // none is below it
  EXPECT_EQ(rule->judge(history, 3, 0, Score::of(1.1)).action, Action::go_on);
}

TEST(Ties, a_percentile_keeps_a_report_that_ties_with_the_bar) {
  const auto rule = made({"percentile", {{"grace", 0}}}, nine);
  const History history = reported({{1}, {2}, {3}, {4}, {}}, Goal::maximize);
  EXPECT_EQ(rule->judge(history, 4, 0, Score::of(1)).action, Action::go_on);
  EXPECT_EQ(rule->judge(history, 4, 0, Score::of(0.9)).action, Action::stop);
}

TEST(Ties, a_threshold_is_reached_by_its_own_value) {
  const auto rule = made({"threshold", {{"value", 2}, {"phases", 1}}}, nine);
  const History history = reported({{}}, Goal::maximize);
  EXPECT_EQ(rule->judge(history, 0, 0, Score::of(2)).action, Action::go_on);
  EXPECT_EQ(rule->judge(history, 0, 0, Score::of(1.999)).action, Action::stop);
}

TEST(Ties, patience_counts_an_improvement_only_beyond_min_delta) {
  const auto rule = made({"patience", {{"phases", 1}, {"min_delta", 0.5}}}, nine);
  const History history = reported({{1}}, Goal::maximize);
  EXPECT_EQ(rule->judge(history, 0, 1, Score::of(1.5)).action, Action::stop);
  EXPECT_EQ(rule->judge(history, 0, 1, Score::of(1.51)).action, Action::go_on);
}

TEST(Ties, of_equal_reports_at_a_rung_the_lower_run_is_promoted) {
  const auto rule = made({"asha", {}}, {.trials = 9, .phases = 3});
  History history = reported({{1}, {1}, {1}}, Goal::maximize);
  for (std::size_t run = 0; run < 3; ++run) history.set_state(run, RunRecord::State::paused);
  const NextAction next = rule->next(history, true);
  EXPECT_EQ(next.kind, NextAction::Kind::promote);
  EXPECT_EQ(next.index, 0U);
}

TEST(Ties, a_bracket_of_equal_runs_keeps_the_lower_ones) {
  const auto rule = made({"sha", {{"bracket", 3}}}, {.trials = 3, .phases = 3});
  History history = reported({{1}, {1}, {1}}, Goal::maximize);
  for (std::size_t run = 0; run < 3; ++run) history.set_state(run, RunRecord::State::paused);
  EXPECT_EQ(rule->next(history, false).index, 0U);
  EXPECT_TRUE(rule->promotable(history, 0));
  EXPECT_FALSE(rule->promotable(history, 1));
}

// A bracket whose best run diverges at the rung is decided by the others.
TEST(Diverged, a_run_of_a_bracket_is_passed_over) {
  const auto rule = made({"sha", {{"bracket", 3}}}, {.trials = 3, .phases = 3});
  History history = reported({{1}, {2}, {}}, Goal::maximize);
  for (const std::size_t run : {0U, 1U}) history.set_state(run, RunRecord::State::paused);
  history.add_report(2, 0, Score::diverged());
  history.end_run(2, false, true);
  EXPECT_EQ(rule->next(history, false).index, 1U);
}

TEST(Diverged, a_run_is_no_rival_at_a_later_rung) {
  const auto rule = made({"asha", {}}, {.trials = 9, .phases = 9});
  History history = reported({{5}, {1}, {2}, {}}, Goal::maximize);
  history.add_report(0, 1, Score::diverged());
  history.end_run(0, false, true);
  for (const std::size_t run : {1U, 2U}) history.set_state(run, RunRecord::State::paused);
  // Of four reports one is promoted. The diverged run keeps the first place of the rung.
  EXPECT_EQ(rule->judge(history, 3, 0, Score::of(4)).reason, VerdictReason::awaits_promotion);
  EXPECT_EQ(rule->judge(history, 3, 0, Score::of(6)).reason, VerdictReason::promoted);
}

}  // namespace
}  // namespace hone
