// What agents share: the log of episodes, the frames they may play, and the barrier of A2C.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "worker/train/actor_critic/serving/network_client.hpp"
#include "worker/train/rl/episodes.hpp"
#include "worker/train/rl/frames.hpp"

namespace hone::ac {
namespace {

std::vector<rl::Episode> episodes_of(double sum, std::size_t count) {
  return std::vector<rl::Episode>(count, rl::Episode{sum, 10});
}

TEST(EpisodeLog, keeps_the_last_hundred_episodes) {
  rl::EpisodeLog log;
  log.finish(episodes_of(1, 60));
  log.finish(episodes_of(2, 70));
  const auto state = log.state();
  EXPECT_EQ(state.finished, 130);
  ASSERT_EQ(state.last.size(), rl::EpisodeLog::window);
  EXPECT_EQ(state.last[29], 1);
  EXPECT_EQ(state.last[30], 2);
  EXPECT_EQ(state.last_lengths, std::vector<double>(rl::EpisodeLog::window, 10));
}

TEST(RunningEpisodes, counts_whole_games_of_which_single_lives_are_lost) {
  rl::EpisodeLog log;
  rl::RunningEpisodes running(2);
  const std::vector<float> rewards{3, 1};
  const std::vector<std::uint8_t> no{0, 0}, lost{envs::life_lost, 0}, over{1, 0}, cut{0, 1};
  running.step(rewards, no, no, log);
  running.step(rewards, lost, no, log);
  EXPECT_EQ(log.state().finished, 0) << "a lost life ended an episode";
  running.step(rewards, over, no, log);
  running.step(rewards, lost, cut, log);
  const auto state = log.state();
  EXPECT_EQ(state.last, (std::vector<double>{9, 4}));
  EXPECT_EQ(running.returns(), (std::vector<double>{3, 0})) << "the next game's, after a lost life";
}

TEST(EpisodeLog, reports_the_goal_once_and_only_for_a_full_window) {
  rl::EpisodeLog log;
  int reached = 0;
  log.watch(5, [&] { ++reached; });
  log.finish(episodes_of(9, rl::EpisodeLog::window - 1));
  EXPECT_EQ(reached, 0) << "the window is not full";
  log.finish(episodes_of(9, 1));
  EXPECT_EQ(reached, 1);
  log.finish(episodes_of(9, 10));
  EXPECT_EQ(reached, 1);
}

TEST(EpisodeLog, does_not_report_a_goal_that_the_mean_misses) {
  rl::EpisodeLog log;
  int reached = 0;
  log.watch(5, [&] { ++reached; });
  log.finish(episodes_of(4.99, rl::EpisodeLog::window));
  EXPECT_EQ(reached, 0);
  log.finish(episodes_of(6, 2));  // (98 * 4.99 + 2 * 6) / 100 = 5.01
  EXPECT_EQ(reached, 1);
}

TEST(EpisodeLog, continues_from_its_state) {
  rl::EpisodeLog log;
  log.finish(episodes_of(3, 5));
  rl::EpisodeLog restored;
  restored.finish(episodes_of(7, 50));
  restored.restore(log.state());
  EXPECT_EQ(restored.state().last, log.state().last);
  EXPECT_EQ(restored.state().finished, 5);
  int reached = 0;
  restored.watch(3, [&] { ++reached; });
  restored.finish(episodes_of(3, rl::EpisodeLog::window - 5));
  EXPECT_EQ(reached, 1) << "the sum of the restored episodes counts";
}

TEST(FrameBudget, grants_no_frames_while_it_is_paused) {
  rl::FrameCounter frames;
  frames.open_until(100);
  rl::FrameBudget first(frames);
  rl::FrameBudget second(frames);
  first.pause();
  EXPECT_TRUE(first.is_paused());
  EXPECT_EQ(first.claim(1, 10), 0);
  EXPECT_EQ(second.claim(1, 10), 10) << "the other actors continue";
  first.resume();
  EXPECT_FALSE(first.is_paused());
  EXPECT_EQ(first.claim(1, 10), 10);
  EXPECT_EQ(frames.claimed(), 20);
}

TEST(FrameBudget, never_grants_more_than_the_counter_has) {
  rl::FrameCounter frames;
  frames.open_until(10'000);
  std::vector<std::jthread> threads;
  std::atomic<std::int64_t> granted{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      rl::FrameBudget budget(frames);
      while (const int steps = budget.claim(3, 7)) granted += 3 * steps;
    });
  threads.clear();
  EXPECT_EQ(granted, frames.claimed());
  EXPECT_GE(granted, 10'000);
  EXPECT_LT(granted, 10'003);
}

TEST(FrameCounter, counts_on_from_a_restored_number) {
  rl::FrameCounter frames;
  frames.restore(90);
  frames.open_until(100);
  EXPECT_EQ(frames.claim(4, 10), 3);
  EXPECT_EQ(frames.claimed(), 102);
}

class Barrier : public testing::Test {
 protected:
  static LearningRule rule(bool mean_loss) {
    LearningRule rule;
    rule.mean_loss = mean_loss;
    rule.optimizer.clip = 0;
    return rule;
  }

  // Adds the gradients 1, 2, 3, ... of members with 1, 2, 3, ... samples, in the given order of
  // arrival; returns the weights after the update.
  static std::vector<float> updated(const std::vector<int>& arrivals, bool mean_loss) {
    const nn::NetShape shape{2, 3, 2};
    const std::vector<float> start(parameter_count(shape), 0.5F);
    ParameterServer server(rule(mean_loss), shape, start, 8);
    GradientBarrier barrier(static_cast<int>(arrivals.size()), server);
    std::vector<std::jthread> threads;
    std::atomic<std::size_t> turn{0};
    for (std::size_t i = 0; i < arrivals.size(); ++i)
      threads.emplace_back([&, i] {
        for (std::size_t now = turn; now != i; now = turn) turn.wait(now);
        const int member = arrivals[i];
        const auto value = static_cast<float>(member + 1);
        const auto gradient = pack(shape, std::vector<float>(start.size(), value));
        LearningMeter meter;
        meter.samples = member + 1;
        turn = i + 1;
        turn.notify_all();
        barrier.add_and_wait(member, gradient, meter);
      });
    threads.clear();
    EXPECT_EQ(server.state().updates, 1);
    return server.state().weights;
  }
};

TEST_F(Barrier, makes_one_update_that_does_not_depend_on_the_order_of_arrival) {
  for (const bool mean_loss : {true, false})
    EXPECT_EQ(updated({0, 1, 2}, mean_loss), updated({2, 1, 0}, mean_loss));
}

TEST_F(Barrier, weights_means_by_their_samples_and_adds_sums) {
  EXPECT_NE(updated({0, 1}, true), std::vector<float>(updated({0, 1}, true).size(), 0.5F));
  // (1 * 1 + 2 * 2) / 3 as a mean and 1 + 2 as a sum: RMSProp makes steps of other lengths.
  EXPECT_NE(updated({0, 1}, true), updated({0, 1}, false));
}

TEST_F(Barrier, does_not_wait_for_a_member_that_has_left) {
  const nn::NetShape shape{2, 3, 2};
  const std::vector<float> start(parameter_count(shape), 0.5F);
  ParameterServer server(rule(true), shape, start, 8);
  GradientBarrier barrier(2, server);
  std::jthread waits([&] {
    LearningMeter meter;
    meter.samples = 1;
    barrier.add_and_wait(0, pack(shape, std::vector<float>(start.size(), 1.0F)), meter);
  });
  barrier.leave();
  waits.join();
  EXPECT_EQ(server.state().updates, 1);
}

TEST(ParameterServer, marks_a_run_as_diverged_and_keeps_the_last_weights) {
  const nn::NetShape shape{2, 3, 2};
  const std::vector<float> start(parameter_count(shape), 0.5F);
  LearningRule rule;
  ParameterServer server(rule, shape, start, 1);
  LearningMeter meter;
  meter.samples = 1;
  server.apply(pack(shape, std::vector<float>(start.size(), NAN)), meter);
  EXPECT_TRUE(server.diverged());
  EXPECT_EQ(server.state().weights, start);
  EXPECT_EQ(server.state().updates, 0);
}

TEST(ParameterServer, anneals_the_entropy_over_the_frames_of_the_budget) {
  const nn::NetShape shape{2, 3, 2};
  const std::vector<float> start(parameter_count(shape), 0.5F);
  LearningRule rule;
  rule.entropy = {0.4, 0.0};
  rule.frames_total = 100;
  ParameterServer server(rule, shape, start, 1);
  EXPECT_DOUBLE_EQ(server.loss_weights().entropy, 0.4);
  LearningMeter meter;
  meter.samples = 25;
  server.apply(pack(shape, std::vector<float>(start.size(), 0.1F)), meter);
  EXPECT_DOUBLE_EQ(server.loss_weights().entropy, 0.3);
  meter.samples = 1000;
  server.apply(pack(shape, std::vector<float>(start.size(), 0.1F)), meter);
  EXPECT_DOUBLE_EQ(server.loss_weights().entropy, 0.0) << "beyond the budget it stays at its end";
}

}  // namespace
}  // namespace hone::ac
