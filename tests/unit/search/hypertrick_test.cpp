// The golden trace and the closed forms of HyperTrick (Heinrich and Frosio, arXiv 1902.02725).
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "base/rng.hpp"
#include "server/search/history/history.hpp"
#include "server/search/terminators/terminator.hpp"
#include "tests/unit/search/play.hpp"

namespace hone {
namespace {

std::unique_ptr<Terminator> hypertrick(double rate, std::int64_t runs, int phases) {
  return std::move(make_terminator({"hypertrick", {{"eviction_rate", rate}}}, {runs, 1, phases}))
      .value();
}

struct Outcome {
  int phases_run = 0;
  std::vector<std::vector<int>> evicted;  // by phase
  std::vector<int> completed;
};

// Every phase is reported by the surviving runs in the order that `order` gives; the last phase is
// never judged.
Outcome play(
    const Terminator& rule, int runs, int phases,
    const std::function<double(int run, int phase)>& metric,
    const std::function<void(std::vector<int>&, int phase)>& order = [](auto&, int) {}) {
  History history(Goal::maximize, 0);
  for (int run = 0; run < runs; ++run) history.add_run(history.add_trial({}));
  std::vector<int> alive(static_cast<std::size_t>(runs));
  for (int run = 0; run < runs; ++run) alive[static_cast<std::size_t>(run)] = run;
  Outcome outcome;
  for (int phase = 0; phase < phases; ++phase) {
    order(alive, phase);
    std::vector<int> kept;
    outcome.evicted.emplace_back();
    for (const int run : alive) {
      ++outcome.phases_run;
      const Score score = Score::of(metric(run, phase));
      const bool last = phase == phases - 1;
      const bool stop =
          !last &&
          rule.judge(history, static_cast<std::size_t>(run), phase, score).action == Action::stop;
      history.add_report(static_cast<std::size_t>(run), phase, score);
      (stop ? outcome.evicted.back() : kept).push_back(run);
    }
    alive = kept;
  }
  outcome.completed = alive;
  return outcome;
}

TEST(HyperTrick, golden_trace) {
  const double quality[] = {7, 3, 12, 1, 16, 9, 5, 14, 2, 11, 8, 15, 4, 10, 6, 13};
  const auto outcome =
      play(*hypertrick(0.25, 16, 4), 16, 4, [&](int run, int) { return quality[run]; });
  EXPECT_EQ(outcome.evicted[0], (std::vector<int>{8, 12, 14}));
  EXPECT_EQ(outcome.evicted[1], (std::vector<int>{6, 10}));
  EXPECT_EQ(outcome.evicted[2], (std::vector<int>{13}));
  EXPECT_EQ(outcome.completed, (std::vector<int>{0, 1, 2, 3, 4, 5, 7, 9, 11, 15}));
  EXPECT_EQ(outcome.phases_run, 50);  // alpha = 0.78125
}

// Every judged run is the worst so far: 16 + floor(8) + floor(6) + floor(4.5) phases.
TEST(HyperTrick, always_evicting_runs_34_phases) {
  const auto outcome = play(*hypertrick(0.25, 16, 4), 16, 4, [](int run, int) { return -run; });
  EXPECT_EQ(outcome.phases_run, 34);
}

// Every judged run is the best so far.
TEST(HyperTrick, never_evicting_runs_every_phase) {
  const auto outcome = play(*hypertrick(0.25, 16, 4), 16, 4, [](int run, int) { return run; });
  EXPECT_EQ(outcome.phases_run, 64);
}

TEST(HyperTrick, constant_metrics_do_not_keep_every_run_alive) {
  const auto outcome = play(*hypertrick(0.25, 16, 4), 16, 4, [](int, int) { return 1.0; });
  EXPECT_EQ(outcome.phases_run, 34);  // ties are evicted: no run is strictly below
}

TEST(HyperTrick, decides_the_same_under_a_monotone_transform) {
  const auto metric = [](int run, int phase) { return std::sin(1.7 * run + phase); };
  const auto rule = hypertrick(0.25, 50, 6);
  const auto plain = play(*rule, 50, 6, metric);
  const auto warped =
      play(*rule, 50, 6, [&](int run, int phase) { return std::exp(5 * metric(run, phase)); });
  EXPECT_EQ(plain.evicted, warped.evicted);
}

// 20 runs of W0 = 1000 with independent metrics: the completion rate meets its closed form 0.37747.
TEST(HyperTrick, completion_rate_of_independent_metrics_meets_the_closed_form) {
  const auto rule = hypertrick(0.25, 1000, 10);
  double alpha = 0;
  for (std::uint64_t repeat = 0; repeat < 20; ++repeat) {
    Rng rng(repeat, Purpose::simulation, 0);
    alpha +=
        play(*rule, 1000, 10, [&](int, int) { return rng.normal(); }).phases_run / 10'000.0 / 20;
  }
  EXPECT_NEAR(alpha, 0.377, 0.004);
  EXPECT_NEAR(rule->expected_phases() / 10, 0.37747, 1e-5);
}

// The same with fixed qualities whose order of arrival is drawn again in every phase.
TEST(HyperTrick, completion_rate_of_fixed_quality_in_fresh_order) {
  const auto rule = hypertrick(0.25, 1000, 10);
  double alpha = 0;
  for (std::uint64_t repeat = 0; repeat < 20; ++repeat) {
    Rng rng(repeat, Purpose::simulation, 1);
    const auto shuffle = [&](std::vector<int>& runs, int) {
      for (std::size_t i = runs.size(); i > 1; --i) std::swap(runs[i - 1], runs[rng.below(i)]);
    };
    alpha += play(
                 *rule, 1000, 10, [](int run, int) { return run; }, shuffle)
                 .phases_run /
             10'000.0 / 20;
  }
  EXPECT_NEAR(alpha, 0.377, 0.006);
}

// Early runs stay early: they are exempt in every phase, and what was judged before passes easily.
TEST(HyperTrick, completion_rate_of_fixed_quality_in_a_persistent_order_is_far_above) {
  const auto rule = hypertrick(0.25, 1000, 10);
  double alpha = 0;
  for (std::uint64_t repeat = 0; repeat < 20; ++repeat) {
    std::vector<double> quality;
    Rng rng(repeat, Purpose::simulation, 2);
    for (int run = 0; run < 1000; ++run) quality.push_back(rng.normal());
    const auto metric = [&](int run, int) { return quality[static_cast<std::size_t>(run)]; };
    alpha += play(*rule, 1000, 10, metric).phases_run / 10'000.0 / 20;
  }
  EXPECT_GT(alpha, 0.45);
  EXPECT_LT(alpha, 0.60);
}

// 16 runs on 6 nodes, phases of equal length, independent metrics: the mean of the simulated
// reference, and the bounds of the closed forms in every single sweep. No node waits while a run
// is unstarted.
TEST(HyperTrick, sixteen_runs_on_six_nodes_meet_their_reference) {
  const SweepShape plan{16, 1, 4};
  const auto rule = hypertrick(0.25, 16, 4);
  constexpr int repeats = 4000;
  double alpha = 0;
  for (std::uint64_t repeat = 0; repeat < repeats; ++repeat) {
    Rng rng(repeat, Purpose::simulation, 4);
    Play sweep(*rule, plan, 6, [&](auto, auto) { return Score::of(rng.normal()); });
    sweep.on_step = [&] { EXPECT_TRUE(!sweep.proposals_left() || sweep.training() == 6); };
    sweep.run();
    EXPECT_GE(sweep.phases(), 34);
    EXPECT_LE(sweep.phases(), 64);
    alpha += sweep.phases() / 64.0 / repeats;
  }
  EXPECT_NEAR(alpha, 0.693, 0.01);
}

TEST(HyperTrick, the_default_shares_give_the_rate_back) {
  for (const double rate : {0.1, 0.10846, 0.25, 0.5, 0.9}) {
    const double evict_quantile = std::sqrt(rate);
    EXPECT_NEAR((1 - (1 - evict_quantile)) * evict_quantile, rate, 1e-12);
    EXPECT_TRUE(make_terminator({"hypertrick",
                                 {{"eviction_rate", rate},
                                  {"dcm_fraction", 1 - evict_quantile},
                                  {"evict_quantile", evict_quantile}}},
                                {16, 1, 4})
                    .ok());
  }
  EXPECT_FALSE(
      make_terminator(
          {"hypertrick",
           {{"eviction_rate", 0.25}, {"dcm_fraction", 0.5}, {"evict_quantile", 0.5 + 4e-12}}},
          {16, 1, 4})
          .ok());
}

TEST(HyperTrick, shares_follow_from_the_rate_and_must_agree_with_it) {
  const auto make = [](std::vector<std::pair<std::string, double>> settings) {
    return make_terminator({"hypertrick", std::move(settings)}, {16, 1, 4});
  };
  EXPECT_TRUE(make({}).ok());
  EXPECT_TRUE(make({{"eviction_rate", 0.25}, {"dcm_fraction", 0.5}, {"evict_quantile", 0.5}}).ok());
  EXPECT_TRUE(make({{"eviction_rate", 0.25}, {"dcm_fraction", 0.0}}).ok());
  EXPECT_TRUE(make({{"eviction_rate", 0.25}, {"evict_quantile", 0.3}}).ok());
  EXPECT_EQ(
      make({{"eviction_rate", 0.25}, {"dcm_fraction", 0.6}, {"evict_quantile", 0.5}}).error().at,
      "/terminator");
  EXPECT_EQ(make({{"eviction_rate", 0.25}, {"evict_quantile", 0.2}}).error().at, "/terminator");
  EXPECT_EQ(make({{"eviction_rate", 0}}).error().at, "/terminator/eviction_rate");
  EXPECT_EQ(make({{"eviction_rate", 1}}).error().at, "/terminator/eviction_rate");
  const auto unknown = make({{"evicton_rate", 0.25}});
  EXPECT_EQ(unknown.error().at, "/terminator/evicton_rate");
  EXPECT_NE(unknown.error().detail.find("did you mean 'eviction_rate'"), std::string::npos);
}

TEST(HyperTrick, explains_with_the_numbers_of_the_verdict) {
  const auto rule = hypertrick(0.25, 16, 4);
  const Verdict verdict{Action::stop,
                        VerdictReason::evicted,
                        {{"reports", 9}, {"quota", 8}, {"rank_below", 1}, {"cutoff", 4}}};
  EXPECT_EQ(rule->recompute(verdict.inputs), Action::stop);
  EXPECT_EQ(rule->explain(verdict),
            "HyperTrick evicted it: 1 of the 9 reports of the phase so far were worse, and a run "
            "needs at least 4 (the lower 0.5 of them) to continue");
}

}  // namespace
}  // namespace hone
