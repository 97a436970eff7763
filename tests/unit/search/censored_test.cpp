// Samplers, and the rule hone, under an objective of time, where some trials never reach the bar.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "schemas/types/reach.hpp"
#include "server/search/samplers/sampler.hpp"
#include "server/search/terminators/hone/smoothed_curves.hpp"
#include "server/search/terminators/terminator.hpp"

namespace hone {
namespace {

const Space censored_space{{"x", FloatDomain{0, 1, Scale::linear, {}, {}}, ""},
                           {"y", FloatDomain{0, 1, Scale::linear, {}, {}}, ""}};
const Objective time_until_bar{"return", Goal::soonest, Reach{100, false, RunClock::seconds}};

// The bar is reached where x < 0.3, after 10 s + 300 s for each unit of distance of y from 0.2.
// Elsewhere the return stays below it, by more for larger x.
void train(History& history, const Params& params, std::span<const double> point) {
  const double x = std::get<double>(*find(params, "x")), y = std::get<double>(*find(params, "y"));
  const double time = 10 + 300 * std::abs(y - 0.2);
  const auto run = history.add_run(history.add_trial(point));
  const Score value = Score::of(x < 0.3 ? 100 : 100 - 80 * x);
  history.add_report(run, 0, counted(time_until_bar, value, time));
  history.end_run(run, true, true);
}

class Censored : public testing::TestWithParam<SamplerRow> {};

// A sampler that learns proposes more of those that reach the bar than the draws at random, of
// which three in ten do, and faster ones.
TEST_P(Censored, proposals_move_to_where_the_bar_is_reached_soon) {
  const auto space = std::move(SearchSpace::make(censored_space, {})).value();
  SearchSpec search;
  search.method = GetParam().method;
  search.trials = 120;
  const auto sampler = std::move(GetParam().make(search, space)).value();
  History history(Goal::soonest, 2);
  int reached = 0;
  for (int number = 0; number < 120; ++number) {
    const auto point = sampler->propose(space, history, {7, number});
    ASSERT_TRUE(point) << "trial " << number;
    const Params params = space.params_at(*point);
    train(history, params, *point);
    if (number >= 80 && std::get<double>(*find(params, "x")) < 0.3) ++reached;
  }
  const double best = -history.outcome(history.ranked().front()).merit;
  EXPECT_LT(best, some_not_reached_from);
  const bool learns = GetParam().method != "random" && GetParam().method != "sobol";
  if (learns) {
    EXPECT_GE(reached, 20) << "of 40";
    EXPECT_LT(best, 20);
  }
}

std::vector<SamplerRow> proposing() {
  std::vector<SamplerRow> rows;
  for (const SamplerRow& row : sampler_table())
    if (row.method != "external" && row.method != "grid" && !is_population_method(row.method))
      rows.push_back(row);
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Samplers, Censored, testing::ValuesIn(proposing()),
                         [](const auto& row) { return std::string(row.param.method); });

constexpr int run_phases = 10;

// Adds a run with a phase every `seconds`. One that reaches the bar of 100 ends with its time.
void add_curve(History& history, std::size_t trial, const std::vector<double>& returns,
               double seconds = 10) {
  const auto run = history.add_run(trial);
  std::vector<Score> scores;
  double time = 0;
  for (const double value : returns)
    scores.push_back(counted(time_until_bar, Score::of(value), time += seconds));
  const int left = run_phases - static_cast<int>(returns.size());
  const auto rest = settled(time_until_bar, Score::of(returns.back()), time, left);
  scores.insert(scores.end(), rest.begin(), rest.end());
  history.add_curve(run, scores);
  if (static_cast<int>(scores.size()) == run_phases)
    history.end_run(run, true, true);
  else
    history.set_state(run, RunRecord::State::paused);
}

std::unique_ptr<Terminator> version(int number) {
  const TerminatorSpec spec{"hone", {{"version", double(number)}}};
  return std::move(make_terminator(spec, {100, 1, run_phases, true})).value();
}

// In the same phase, trial 0 reaches the bar after 20 s from far below it, trial 1 after 30 s from
// close to it.
TEST(CensoredCurves, a_run_that_had_been_near_the_bar_was_ahead_of_one_that_reached_it_sooner) {
  History history(Goal::soonest, 0);
  add_curve(history, history.add_trial({}), {1, 100}, 10);
  add_curve(history, history.add_trial({}), {99, 100}, 15);
  EXPECT_EQ(version(2)->incumbent(history), 1U);
  EXPECT_EQ(version(3)->incumbent(history), 0U);
}

TEST(CensoredCurves, average_times_with_times_alone) {
  History history(Goal::soonest, 0);
  add_curve(history, history.add_trial({}), {1, 100});
  add_curve(history, history.add_trial({}), {20, 60, 40});
  add_curve(history, history.add_trial({}), {90, 99});
  const SmoothedCurves curves(history, 1, 1, run_phases, std::nullopt, true);
  const auto scores = curves.curves()[0].scores;
  EXPECT_LT(scores[0], -not_reached_from);
  for (std::size_t phase = 1; phase < scores.size(); ++phase) EXPECT_EQ(scores[phase], -20);
  // Moves below the bar: + 40, - 20 and + 9 of a gap; reaching it is no move.
  const auto merit = [&](double value) {
    return -counted(time_until_bar, Score::of(value), 0).value();
  };
  const double up = merit(60) - merit(20), down = merit(60) - merit(40),
               near = merit(99) - merit(90);
  EXPECT_NEAR(curves.efficiency(),
              (3 * (up - down + near) / (up + down + near) + 4 * 0.6) / (3 + 4), 1e-12);
}

TEST(CensoredCurves, a_trial_with_a_run_below_the_bar_follows_those_without) {
  History history(Goal::soonest, 0);
  const auto lucky = history.add_trial({});
  add_curve(history, lucky, {100});
  add_curve(history, lucky, std::vector<double>(run_phases, 99));  // a second look
  const auto slow = history.add_trial({});
  add_curve(history, slow, {1, 1, 1, 1, 1, 1, 1, 100});
  const SmoothedCurves curves(history, 1, 1, run_phases, std::nullopt, true);
  for (const double doubt : {0.0, 0.2, 1.0}) EXPECT_EQ(curves.leader(doubt, true)->trial, slow);
}

// A sweep of an objective that is no time is decided by version 3 as by version 2, so that what is
// published of one holds for the other. Merits as large as those of missed bars are among them.
TEST(CensoredCurves, version_3_decides_as_version_2_where_no_value_is_a_time) {
  const auto before = version(2), after = version(3);
  int verdicts = 0;
  for (const Goal goal : {Goal::maximize, Goal::minimize})
    for (const double unit : {1.0, 1e15}) {
      History history(goal, 0);
      Rng rng(5, Purpose::simulation, 0);
      for (int step = 0; step < 600; ++step) {
        const NextAction next = after->next(history, history.trials().size() < 100);
        const NextAction same = before->next(history, history.trials().size() < 100);
        ASSERT_EQ(std::pair(same.kind, same.index), std::pair(next.kind, next.index)) << step;
        ASSERT_EQ(before->incumbent(history), after->incumbent(history)) << step;
        if (next.kind == NextAction::Kind::wait) break;
        std::size_t run = next.index;
        if (next.kind == NextAction::Kind::propose) run = history.add_run(history.add_trial({}));
        if (next.kind == NextAction::Kind::replicate) run = history.add_run(next.index);
        const int phase = static_cast<int>(history.runs()[run].merits.size());
        const bool diverges = rng.uniform() < 0.01;
        const double value = unit * (rng.normal() + 0.2 * phase);
        if (phase == run_phases - 1 || diverges) {
          history.add_report(run, phase, diverges ? Score::diverged() : Score::of(value));
          history.end_run(run, !diverges, true);
          continue;
        }
        const Verdict verdict = after->judge(history, run, phase, Score::of(value));
        ASSERT_EQ(before->judge(history, run, phase, Score::of(value)), verdict) << step;
        ++verdicts;
        history.add_report(run, phase, Score::of(value));
        history.set_state(run, RunRecord::State::paused);
      }
    }
  EXPECT_GT(verdicts, 1000);
}

}  // namespace
}  // namespace hone
