// The rule that adjusts the numbers of agents, predictors and trainers.
#include "worker/train/actor_critic/worker_counts.hpp"

#include <gtest/gtest.h>

namespace hone::ac {
namespace {

constexpr rl::WorkerCounts most{8, 4, 4};

int distance(const rl::WorkerCounts& a, const rl::WorkerCounts& b) {
  return std::max({std::abs(a.agents - b.agents), std::abs(a.predictors - b.predictors),
                   std::abs(a.trainers - b.trainers)});
}

TEST(WorkerCountTuner, keeps_a_move_that_was_faster) {
  WorkerCountTuner tuner({4, 2, 2}, most, 1);
  const auto trial = tuner.judge(100);
  EXPECT_EQ(distance(trial, {4, 2, 2}), 1);
  const auto next = tuner.judge(101);
  EXPECT_EQ(tuner.state().kept, trial);
  EXPECT_EQ(distance(next, trial), 1);
}

TEST(WorkerCountTuner, undoes_a_move_that_was_not_faster_and_measures_again) {
  WorkerCountTuner tuner({4, 2, 2}, most, 1);
  (void)tuner.judge(100);
  EXPECT_EQ(tuner.judge(100), (rl::WorkerCounts{4, 2, 2})) << "as fast is not faster";
  const auto next = tuner.judge(50);  // the games have become slower: 100 no longer counts
  EXPECT_EQ(distance(next, {4, 2, 2}), 1);
  (void)tuner.judge(51);
  EXPECT_EQ(tuner.state().kept, next);
}

TEST(WorkerCountTuner, stays_within_its_bounds) {
  WorkerCountTuner tuner({1, 1, 1}, {2, 1, 1}, 3);
  for (int i = 1; i < 200; ++i) {
    const auto counts = tuner.judge(i);
    EXPECT_GE(counts.agents, 1);
    EXPECT_LE(counts.agents, 2);
    EXPECT_EQ(counts.predictors, 1);
    EXPECT_EQ(counts.trainers, 1);
  }
  WorkerCountTuner nowhere({1, 1, 1}, {1, 1, 1}, 3);
  EXPECT_EQ(nowhere.judge(1), (rl::WorkerCounts{1, 1, 1}));
}

TEST(WorkerCountTuner, climbs_to_the_fastest_counts) {
  const auto throughput = [](const rl::WorkerCounts& s) {
    return 100.0 - (s.agents - 6) * (s.agents - 6) - (s.predictors - 2) * (s.predictors - 2) -
           (s.trainers - 3) * (s.trainers - 3);
  };
  WorkerCountTuner tuner({1, 1, 1}, most, 5);
  for (int i = 0; i < 300; ++i) (void)tuner.judge(throughput(tuner.now()));
  EXPECT_EQ(tuner.state().kept, (rl::WorkerCounts{6, 2, 3}));
}

TEST(WorkerCountTuner, counts_of_a_strange_file_started_as_many_threads) {
  for (const rl::WorkerCounts& kept :
       {rl::WorkerCounts{0, 1, 1}, rl::WorkerCounts{1, -7, 1},
        rl::WorkerCounts{1, 1, 1'000'000'000}, rl::WorkerCounts{9, 1, 1}}) {
    WorkerCountTuner tuner({2, 2, 2}, most, 1);
    tuner.restore({kept, 0, 0});
    EXPECT_EQ(tuner.now(), (rl::WorkerCounts{2, 2, 2}));
  }
}

TEST(WorkerCountTuner, continues_from_its_state_with_the_same_moves) {
  WorkerCountTuner tuner({4, 2, 2}, most, 1);
  (void)tuner.judge(100);
  (void)tuner.judge(101);
  WorkerCountTuner resumed({1, 1, 1}, most, 1);
  resumed.restore(tuner.state());
  EXPECT_EQ(resumed.now(), tuner.state().kept);
  WorkerCountTuner again({1, 1, 1}, most, 1);
  again.restore(tuner.state());
  EXPECT_EQ(resumed.judge(7), again.judge(7));
}

}  // namespace
}  // namespace hone::ac
