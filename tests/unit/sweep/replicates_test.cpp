// Trials of several runs: judged whole, raced, confirmed; no trial waits permanently for a seed.
#include <set>

#include "server/search/history/seed_curves.hpp"
#include "server/search/seeds/leaders.hpp"
#include "server/search/seeds/race.hpp"
#include "server/search/statistics/tests.hpp"
#include "server/sweep/state/shape.hpp"
#include "tests/unit/sweep/replicates_given.hpp"

namespace hone {
namespace {

class EveryRule : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (rule() == "pbt") GTEST_SKIP() << "a member of a population is one run";
  }
  [[nodiscard]] static std::string rule() {
    return std::string(terminator_table()[static_cast<std::size_t>(GetParam())].rule);
  }
};

TEST_P(EveryRule, ends_with_several_seeds) {
  Play play(replicated(rule(), 3), jumpy);
  play.run_to_end(play.id);
  EXPECT_EQ(play.sweep(play.id).state, SweepState::completed);
}

TEST_P(EveryRule, ends_when_racing) {
  Play play(replicated(rule(), 2, 5), jumpy);
  play.run_to_end(play.id);
  EXPECT_EQ(play.sweep(play.id).state, SweepState::completed);
}

TEST_P(EveryRule, ends_though_seeds_crash) {
  Play play(replicated(rule(), 3, 4), jumpy);
  play.crashes = [](RunId run, int phase) {
    return run.trial.value % 2 == 0 && run.replicate == 1 && phase == 1;
  };
  play.run_to_end(play.id);
  EXPECT_EQ(play.sweep(play.id).state, SweepState::completed);
}

TEST_P(EveryRule, its_verdicts_follow_from_their_inputs) {
  Play play(replicated(rule(), 2, 5), jumpy);
  play.run_to_end(play.id);
  const Terminator& rule = *play.sweep(play.id).terminator;
  for (const auto& [run, verdicts] : play.verdicts)
    for (const Verdict& verdict : verdicts) {
      if (verdict.reason == VerdictReason::last_phase) continue;
      EXPECT_FALSE(rule.explain(verdict).empty());
      if (verdict.reason == VerdictReason::finishes) continue;  // its rule would pause it
      EXPECT_EQ(rule.recompute(verdict.inputs), verdict.action) << rule.explain(verdict);
    }
}

INSTANTIATE_TEST_SUITE_P(MultiSeedTerminator, EveryRule,
                         testing::Range(0, static_cast<int>(terminator_table().size())),
                         [](const auto& rule) {
                           return std::string(
                               terminator_table()[static_cast<std::size_t>(rule.param)].rule);
                         });

// Trial 0 has one run far above all others and is poor on average.
double one_lucky_run(std::int64_t trial, int replicate, int) {
  if (trial == 0) return replicate == 0 ? 100 : 0;
  return 60 + static_cast<double>(trial);
}

TEST(MultiSeedTerminator, a_lucky_run_does_not_save_its_trial) {
  Play play(replicated("percentile", 3, 0, 8), one_lucky_run);
  play.run_to_end(play.id);
  const auto named = play.sweep(play.id).terminator->incumbent(play.sweep(play.id).history);
  ASSERT_TRUE(named);
  EXPECT_EQ(*named, 7U);
}

// All trials are alike but for one unlucky run of the last.
TEST(MultiSeedTerminator, an_unlucky_run_is_not_stopped_by_itself) {
  const auto value = [](std::int64_t trial, int replicate, int phase) {
    if (trial == 5) return replicate == 0 && phase == 0 ? 8.0 : 13.0;
    return 10.0 + static_cast<double>(replicate) * 0.1;
  };
  Play play(replicated("median", 3), value);
  play.run_to_end(play.id);
  const TrialId last = play.sweep(play.id).trials.back();
  for (const hone::Run& run : find_trial(play.book, last)->runs)
    EXPECT_EQ(run.state, RunState::completed) << text(run.id);
}

TEST(MultiSeedTerminator, a_trial_that_is_stopped_takes_its_waiting_seeds_along) {
  Play play(replicated("hone", 3), jumpy);
  play.run_to_end(play.id);
  for (const TrialId id : play.sweep(play.id).trials) {
    std::set<RunState> states;
    for (const hone::Run& run : find_trial(play.book, id)->runs) states.insert(run.state);
    EXPECT_EQ(states.size(), 1U) << text(id);
  }
}

TEST(MultiSeedTerminator, is_assessed_by_the_seeds_that_are_left) {
  Play play(replicated("none", 3, 0, 2),
            [](std::int64_t, int replicate, int) { return static_cast<double>(replicate); });
  play.crashes = [](RunId run, int phase) { return run.replicate == 2 && phase == 2; };
  play.run_to_end(play.id);
  const History& history = play.sweep(play.id).history;
  // An exit status says something about the parameters: with the mean, the trial has failed.
  EXPECT_EQ(history.outcome(0).grade, TrialOutcome::Grade::failed);
  EXPECT_EQ(history.outcome(0).values, 3);
  EXPECT_EQ(history.outcome(0).phase, 3);
}

TEST(MultiSeedTerminator, canceled_seeds_are_not_waited_for) {
  History history(Goal::maximize, 0, 1, {3, 3, Aggregate::mean, false});
  history.add_trial({});
  for (const auto& values : std::vector<std::vector<double>>{{1, 2, 3}, {3, 4, 5}, {7}})
    add_curve(history, 0, values);
  EXPECT_EQ(SeedCurves(history, 0).length(), 1);
  history.end_run(2, false, false);  // its worker was lost for good
  EXPECT_EQ(SeedCurves(history, 0).length(), 3);
  EXPECT_EQ(SeedCurves(history, 0).values(2), (std::vector<double>{3, 5}));
}

// Six trials of two seeds each, all of which wait after their first phase.
History six_that_wait(const SweepSpec& spec) {
  History history(Goal::maximize, 0, 1, replication_of(spec));
  for (std::size_t trial = 0; trial < 6; ++trial) {
    history.add_trial({});
    for (int seed = 0; seed < 2; ++seed) {
      const auto run = history.add_run(trial);
      history.add_report(run, 0, Score::of(static_cast<double>(trial)));
      history.set_state(run, RunRecord::State::paused);
    }
  }
  return history;
}

SweepSpec halving() {
  SweepSpec spec = replicated("asha", 2);
  spec.terminator.settings = {{"eta", 2}};
  return spec;
}

// Its sibling was let through and is done; what the rule thinks of the trial by now is no reason to
// leave the trial half trained.
TEST(MultiSeedTerminator, a_seed_that_its_trial_left_behind_was_closed) {
  const auto rule =
      std::move(make_terminator(halving().terminator, sweep_shape(halving()))).value();
  History history = six_that_wait(halving());
  EXPECT_FALSE(rule->promotable(history, 0));
  for (int phase = 1; phase < 4; ++phase) history.add_report(1, phase, Score::of(0));
  history.end_run(1, true, true);
  EXPECT_TRUE(rule->promotable(history, 0));
}

// One seed of a promoted trial came through the next phase and waits for the other, which has yet
// to be leased.
TEST(MultiSeedTerminator, a_seed_that_waits_for_one_to_be_resumed_was_closed) {
  const auto rule =
      std::move(make_terminator(halving().terminator, sweep_shape(halving()))).value();
  History history = six_that_wait(halving());
  history.add_report(0, 1, Score::of(0));
  EXPECT_TRUE(rule->promotable(history, 0));
  EXPECT_TRUE(rule->promotable(history, 1));
  EXPECT_FALSE(rule->promotable(history, 2));
}

TEST(Racing, adds_seeds_to_contenders_and_to_nobody_else) {
  Play play(replicated("none", 1, 6, 10), jumpy);
  play.run_to_end(play.id);
  std::size_t most = 0, total = 0;
  for (const TrialId id : play.sweep(play.id).trials) {
    const std::size_t runs = find_trial(play.book, id)->runs.size();
    EXPECT_LE(runs, 6U);
    most = std::max(most, runs), total += runs;
  }
  EXPECT_GE(most, 3U);
  EXPECT_LT(total, 30U);
  EXPECT_GE(find_trial(play.book, play.sweep(play.id).trials[9])->runs.size(), 2U);
  EXPECT_EQ(find_trial(play.book, play.sweep(play.id).trials[0])->runs.size(), 1U);
}

TEST(Racing, stops_a_trial_that_is_significantly_worse) {
  const auto value = [](std::int64_t trial, int replicate, int phase) {
    return (trial == 3 ? 100.0 : 10.0) + replicate + phase;
  };
  Play play(replicated("none", 3, 5), value);
  play.run_to_end(play.id);
  bool outraced = false;
  for (const auto& [run, verdicts] : play.verdicts)
    for (const Verdict& verdict : verdicts)
      outraced = outraced || verdict.reason == VerdictReason::outraced;
  EXPECT_TRUE(outraced);
  EXPECT_EQ(play.sweep(play.id).history.ranked()[0], 3U);
}

// Contenders share one noise estimate: a single value far behind the leader needs no second seed to
// be called worse.
TEST(Racing, compares_by_the_noise_of_all_trials) {
  const std::vector<double> leader{10, 11, 12}, behind{5}, near{10.5};
  const Noise known{1, 8};
  EXPECT_LT(p_worse(behind, leader, known), 0.001);
  EXPECT_GT(p_worse(near, leader, known), 0.2);
  EXPECT_EQ(p_worse(behind, leader, Noise{}), 0.5);  // nothing is known yet
  EXPECT_EQ(p_worse(behind, leader, Noise{0, 8}), 0);
  EXPECT_NEAR(p_worse(behind, leader, known), student_cdf(-6 / std::sqrt(4.0 / 3), 8), 1e-12);
}

TEST(Racing, expects_less_of_a_lucky_trial_than_it_showed) {
  Play play(replicated("none", 2, 0, 8), jumpy);
  play.run_to_end(play.id);
  const History& history = play.sweep(play.id).history;
  const auto expected = expectations_of(history);
  const std::size_t best = history.ranked()[0], worst = history.ranked().back();
  ASSERT_TRUE(expected[best] && expected[worst]);
  EXPECT_LT(*expected[best], history.outcome(best).merit);
  EXPECT_GT(*expected[worst], history.outcome(worst).merit);
}

TEST(Instances, are_normalized_and_told_to_the_run) {
  SweepSpec spec = replicated("none", 1, 0, 2);
  spec.replicates.instances =
      InstancesSpec{"game", {std::string("a"), std::string("b")}, {0, -500}, {500, 0}};
  Play play(spec, [](std::int64_t trial, int replicate, int) {
    return replicate == 0 ? 100.0 * static_cast<double>(trial + 1) : -250.0;
  });
  const auto grant = play.acquire(play.join("join-3"), "look");
  ASSERT_TRUE(grant);
  EXPECT_EQ(std::get<std::string>(*find(grant->params, "game")), "a");
  play.when(End{grant->lease, {EndReason::requeue_requested, 85, "", {}}});
  play.run_to_end(play.id);
  const History& history = play.sweep(play.id).history;
  EXPECT_NEAR(history.outcome(0).merit, (0.2 + 0.5) / 2, 1e-12);
  EXPECT_NEAR(history.outcome(1).merit, (0.4 + 0.5) / 2, 1e-12);
}

TEST(Confirm, trains_the_leaders_again_on_seeds_that_tuning_never_used) {
  SweepSpec spec = replicated("none", 2);
  spec.confirm = ConfirmSpec{2, 4};
  Play play(spec, jumpy);
  play.run_to_end(play.id);
  ASSERT_EQ(play.sweep(play.id).confirmed_by.size(), 1U);
  const SweepId confirmation = play.sweep(play.id).confirmed_by[0];
  play.run_to_end(confirmation);
  const Sweep& confirmed = play.sweep(confirmation);
  EXPECT_EQ(confirmed.spec.confirms, play.id);
  ASSERT_EQ(confirmed.trials.size(), 2U);
  std::set<std::uint64_t> tuned, tested;
  for (const TrialId id : play.sweep(play.id).trials)
    for (const hone::Run& run : find_trial(play.book, id)->runs) tuned.insert(run.seed);
  for (const TrialId id : confirmed.trials)
    for (const hone::Run& run : find_trial(play.book, id)->runs) tested.insert(run.seed);
  EXPECT_EQ(tested.size(), 4U);  // the same ones for both
  for (const std::uint64_t seed : tested) EXPECT_FALSE(tuned.contains(seed));
  auto leaders = find_leaders(play.sweep(play.id).history, 2);
  std::ranges::sort(leaders);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(find_trial(play.book, confirmed.trials[i])->params,
              find_trial(play.book, play.sweep(play.id).trials[leaders[i]])->params);
}

TEST(Confirm, is_made_once_a_request_and_not_of_confirmations) {
  Play play(replicated("none", 1), jumpy);
  play.when(Confirm{play.id, {"early", 3, 5}});
  ASSERT_TRUE(play.error);
  EXPECT_EQ(play.error->code, Code::conflict);
  play.run_to_end(play.id);
  EXPECT_EQ(play.when(Confirm{play.id, {"once", 3, 5}}).size(), 4U);
  EXPECT_TRUE(play.when(Confirm{play.id, {"once", 3, 5}}).empty());
  EXPECT_FALSE(play.error);
  play.when(Confirm{play.sweep(play.id).confirmed_by[0], {"again", 3, 5}});
  ASSERT_TRUE(play.error);
  EXPECT_EQ(play.error->code, Code::conflict);
}

TEST(Confirm, is_not_asked_for_in_a_submission) {
  SweepSpec spec = small_spec();
  spec.confirms = SweepId{1};
  Given given;
  given.when(Submit{{"r", spec, {}}});
  ASSERT_TRUE(given.error);
  EXPECT_EQ(given.error->at, "/spec/confirms");
}

// The other seeds say whether the parameters are at fault.
TEST(MultiSeedTerminator, a_seed_that_diverges_leaves_its_waiting_siblings) {
  Given given;
  given.submit(replicated("none", 3, 0, 1));
  const auto grant = given.acquire(given.join(), "a");
  given.report(grant->lease, 0, Score::diverged());
  const auto& runs = find_trial(given.book, grant->attempt.run.trial)->runs;
  ASSERT_EQ(runs.size(), 3U);
  for (const hone::Run& run : runs)
    EXPECT_EQ(is_end(run.state), run.id == grant->attempt.run) << text(run.id);
}

}  // namespace
}  // namespace hone
