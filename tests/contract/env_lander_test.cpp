// LunarLander by the returns of known policies: Box2D 2.4 does not give the same digits as the 2.3
// of the original.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "worker/train/envs/core/stream.hpp"
#include "worker/train/envs/table.hpp"

namespace hone::envs {
namespace {

class LunarLander : public testing::Test {
 protected:
  void SetUp() override {
    const auto found = find_env("LunarLander-v3");
    if (!found) GTEST_SKIP() << found.error().detail;
    env_ = *found->make({.count = copies, .seed = 3});
  }

  // The mean return of the episodes that end within so many steps.
  double mean_return(int steps, const std::function<std::int32_t(const float* seen)>& act) {
    std::vector<float> seen(8 * copies), last(8 * copies), rewards(copies);
    std::vector<std::uint8_t> terminated(copies), truncated(copies);
    std::vector<std::int32_t> actions(copies);
    std::vector<double> running(copies);
    double sum = 0, episodes = 0;
    env_->reset(seen.data());
    for (int t = 0; t < steps; ++t) {
      for (std::size_t i = 0; i < copies; ++i) actions[i] = act(seen.data() + 8 * i);
      env_->step({actions, {}},
                 {seen.data(), rewards.data(), terminated.data(), truncated.data(), last.data()});
      for (std::size_t i = 0; i < copies; ++i) {
        running[i] += static_cast<double>(rewards[i]);
        if (terminated[i] == 0 && truncated[i] == 0) continue;
        sum += running[i];
        running[i] = 0;
        ++episodes;
      }
    }
    return sum / episodes;
  }

  static constexpr std::size_t copies = 16;
  std::unique_ptr<VecEnv> env_;
};

TEST_F(LunarLander, crashes_for_200_points_at_random) {
  Stream random(1, Purpose::action, 0);
  const auto mean = mean_return(
      4000, [&](const float*) { return static_cast<std::int32_t>(random.uniform() * 4); });
  EXPECT_NEAR(mean, -199.7, 25);
}

// The heuristic that the authors published: lean towards the pad, brake the fall.
std::int32_t heuristic(const float* s) {
  const float lean = std::clamp(s[0] * 0.5F + s[2], -0.4F, 0.4F);
  float turn = (lean - s[4]) * 0.5F - s[5];
  float lift = (0.55F * std::abs(s[0]) - s[1]) * 0.5F - s[3] * 0.5F;
  if (s[6] != 0 || s[7] != 0) {
    turn = 0;
    lift = -s[3] * 0.5F;
  }
  if (lift > std::abs(turn) && lift > 0.05F) return 2;
  if (turn < -0.05F) return 3;
  return turn > 0.05F ? 1 : 0;
}

TEST_F(LunarLander, is_landed_by_the_published_rule) {
  EXPECT_NEAR(mean_return(2000, heuristic), 237.8, 35);
}

}  // namespace
}  // namespace hone::envs
