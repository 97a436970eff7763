// When the rule `hone` offers a new trial a run to continue, and how it ranks forks.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "server/search/history/history.hpp"
#include "server/search/terminators/rule_helpers.hpp"
#include "server/search/terminators/terminator.hpp"

namespace hone {
namespace {

std::unique_ptr<Terminator> forking(double version, double forks, std::uint64_t seed = 1) {
  TerminatorSpec spec{"hone", {{"version", version}}};
  if (forks > 0) spec.settings.emplace_back("forks", forks);
  SweepShape shape{.trials = 100, .seeds = 1, .phases = 10};
  shape.seed = seed;
  return std::move(make_terminator(spec, shape)).value();
}

std::unique_ptr<Terminator> rule(double forks, std::uint64_t seed = 1) {
  return forking(4, forks, seed);
}

void report(History& history, std::size_t run, const std::vector<double>& values) {
  for (const double value : values)
    history.add_report(run, static_cast<int>(history.runs()[run].merits.size()), Score::of(value));
}

// Runs that have ended, so that a free worker can only start a new trial.
History ended_runs(std::size_t trials, const std::vector<double>& first) {
  History history(Goal::maximize, 0);
  for (std::size_t i = 0; i < trials; ++i) {
    const auto run = history.add_run(history.add_trial({}));
    report(history, run, {first[i % first.size()] + static_cast<double>(i)});
    history.end_run(run, false, true);
  }
  return history;
}

// Four runs, and a fork that inherits three reports of the first.
History with_a_fork() {
  History history(Goal::maximize, 0);
  for (const auto& values : std::vector<std::vector<double>>{{9, 9, 9}, {1}, {2}, {3}}) {
    const auto run = history.add_run(history.add_trial({}));
    report(history, run, values);
    history.set_state(run, RunRecord::State::paused);
  }
  const std::vector<Score> inherited(3, Score::of(9));
  history.inherit(history.add_run(history.add_trial({})), inherited);
  return history;
}

TEST(HoneForks, without_the_setting_every_trial_starts_from_nothing) {
  for (std::size_t trials = 1; trials < 20; ++trials) {
    const NextAction next = rule(0)->next(ended_runs(trials, {0}), true);
    EXPECT_EQ(next.kind, NextAction::Kind::propose);
    EXPECT_FALSE(next.donor) << trials;
  }
}

TEST(HoneForks, a_share_of_the_trials_continues_another_run_but_no_hedged_one) {
  std::set<std::size_t> forks;
  for (std::size_t trials = 1; trials < 110; ++trials)
    if (rule(0.25)->next(ended_runs(trials, {0}), true).donor) forks.insert(trials);
  std::set<std::size_t> every_fourth;
  for (std::size_t trial = 8; trial < 110; trial += 4) every_fourth.insert(trial);
  every_fourth.erase(100);  // trains to its end whatever it reports
  EXPECT_EQ(forks, every_fourth);
}

TEST(HoneForks, version_5_starts_and_ranks_them_alike_but_hedges_no_trial) {
  for (std::size_t trials = 8; trials < 110; ++trials) {
    const auto donor = forking(5, 0.25)->next(ended_runs(trials, {0}), true).donor;
    EXPECT_EQ(donor.has_value(), trials % 4 == 0) << trials;
    const auto before = rule(0.25)->next(ended_runs(trials, {0}), true).donor;
    if (!before) continue;  // none, or its trial is hedged
    EXPECT_EQ(donor->run, before->run);
    EXPECT_EQ(donor->reports, before->reports);
  }
  History history = with_a_fork();
  const auto run = history.add_run(history.add_trial({}));
  const Verdict verdict = forking(5, 0.5)->judge(history, run, 0, Score::of(5));
  EXPECT_EQ(input(verdict.inputs, "rivals"), 5);
  EXPECT_EQ(input(verdict.inputs, "place"), 2);
}

TEST(HoneForks, before_five_runs_have_reported_there_is_no_best_fifth) {
  EXPECT_FALSE(rule(1)->next(ended_runs(4, {0}), true).donor);
  EXPECT_TRUE(rule(1)->next(ended_runs(5, {0}), true).donor);
}

TEST(HoneForks, the_best_fifth_is_continued_before_the_last_phase) {
  History history = ended_runs(8, {0});
  for (const double best : {50.0, 60.0}) {
    const auto run = history.add_run(history.add_trial({}));
    report(history, run, std::vector<double>(best > 50 ? 10 : 4, best));
    history.end_run(run, best > 50, true);
  }
  std::set<std::pair<std::size_t, int>> found;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const auto donor = rule(0.5, seed)->next(history, true).donor;
    ASSERT_TRUE(donor);
    EXPECT_EQ(donor->rank, (OriginRank{donor->run == 9 ? 1 : 2, 10}));
    found.emplace(donor->run, donor->reports);
  }
  std::set<std::pair<std::size_t, int>> all;
  for (int reports = 1; reports <= 4; ++reports) all.emplace(8, reports);
  for (int reports = 1; reports <= 9; ++reports) all.emplace(9, reports);
  EXPECT_EQ(found, all);
}

TEST(HoneForks, a_diverged_run_is_not_continued) {
  History history = ended_runs(5, {0});
  const auto exploded = history.add_run(history.add_trial({}));
  report(history, exploded, {1000});
  history.add_report(exploded, 1, Score::diverged());
  history.end_run(exploded, false, true);
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    EXPECT_EQ(rule(0.5, seed)->next(history, true).donor->run, 4U);
}

TEST(HoneForks, what_a_fork_inherited_is_ranked_once) {
  History history = with_a_fork();
  const auto run = history.add_run(history.add_trial({}));
  const Verdict verdict = rule(0.5)->judge(history, run, 0, Score::of(5));
  EXPECT_EQ(input(verdict.inputs, "rivals"), 5);
  EXPECT_EQ(input(verdict.inputs, "place"), 2);
  // A sweep whose rule starts no forks, but whose user did, is judged as it always was.
  EXPECT_EQ(input(rule(0)->judge(history, run, 0, Score::of(5)).inputs, "rivals"), 6);
}

TEST(HoneForks, a_fork_that_leads_gets_no_second_look_which_would_train_from_nothing) {
  History history(Goal::maximize, 0);
  const auto first = history.add_run(history.add_trial({}));
  report(history, first, {9, 1, 9, 1});
  history.end_run(first, false, true);
  for (int i = 0; i < 11; ++i) {
    const auto run = history.add_run(history.add_trial({}));
    report(history, run, {0, 5, 0, 5, 0, 5});
    history.end_run(run, false, true);
  }
  const auto fork = history.add_run(history.add_trial({}));
  const std::vector<Score> inherited{Score::of(9), Score::of(1), Score::of(9), Score::of(1)};
  history.inherit(fork, inherited);
  report(history, fork, {9, 9, 1, 9, 9, 9});
  history.end_run(fork, true, true);
  EXPECT_EQ(rule(0)->next(history, true).kind, NextAction::Kind::replicate);
  EXPECT_EQ(rule(0.5)->next(history, true).kind, NextAction::Kind::propose);
}

TEST(HoneForks, refuses_a_share_outside_0_to_1) {
  for (const double share : {-0.1, 1.5}) {
    const auto made = make_terminator({"hone", {{"forks", share}}}, {10, 1, 10});
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().at, "/terminator/forks");
  }
}

}  // namespace
}  // namespace hone
