// The cross-entropy method and REINFORCE on CartPole against published learning speeds.
#include "worker/train/episodic/episodic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "worker/train/episodic/policy_net.hpp"

namespace hone::trainers::episodic {
namespace {

TEST(PolicyNet, has_the_gradient_of_its_log_probability) {
  placement::RandomGenerator generator(3);
  PolicyNet net(5, generator);
  const Observation seen{0.3, -0.7, 0.2, 1.1};
  net.forward(seen);
  std::vector<double> gradient(net.weights().size(), 0);
  net.add_gradient(1, 2.5, gradient);
  constexpr double step = 1e-6;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const double weight = net.weights()[i];
    net.weights()[i] = weight + step;
    const double above = 2.5 * std::log(net.forward(seen)[1]);
    net.weights()[i] = weight - step;
    const double below = 2.5 * std::log(net.forward(seen)[1]);
    net.weights()[i] = weight;
    EXPECT_NEAR(gradient[i], (above - below) / (2 * step), 1e-6) << i;
  }
}

TEST(Episodes, are_discounted_and_cut_at_a_percentile) {
  const auto returns = discounted(4, 0.99);
  EXPECT_NEAR(returns[0], 3.9404, 1e-4);
  EXPECT_NEAR(returns[1], 2.9701, 1e-4);
  EXPECT_NEAR(returns[2], 1.99, 1e-12);
  EXPECT_EQ(returns[3], 1);
  EXPECT_NEAR(percentile({4, 1, 3, 2}, 70), 3.1, 1e-12);
}

// The number of episodes until the mean of 100 reached the goal; limit + 1 if it did not. Sorted.
std::vector<std::int64_t> episodes_to_solve(const char* trainer, int seeds, std::int64_t limit) {
  std::vector<std::int64_t> episodes;
  const auto make = std::string_view(trainer) == "cem" ? make_cem : make_reinforce;
  for (int seed = 1; seed <= seeds; ++seed) {
    auto settings = Settings::resolve(*find_trainer(trainer), {}, {});
    auto made = make({std::move(settings).value(), static_cast<std::uint64_t>(seed), limit});
    const auto& learner = *made;
    for (std::int64_t at = 100; at <= limit && !learner->solved(); at += 100)
      learner->advance(at, {}, [] {});
    episodes.push_back(learner->solved() ? learner->solved()->step : limit + 1);
  }
  std::sort(episodes.begin(), episodes.end());
  return episodes;
}

TEST(CrossEntropyMethod, solves_cartpole_as_fast_as_published) {
  constexpr std::int64_t batch = 16;
  const auto episodes = episodes_to_solve("cem", 20, 120 * batch);
  EXPECT_LE(episodes[18], 120 * batch);  // 19 of 20 seeds
  EXPECT_GE(episodes[10], 35 * batch);
  EXPECT_LE(episodes[10], 65 * batch);
}

TEST(Reinforce, solves_cartpole_as_fast_as_published) {
  const auto episodes = episodes_to_solve("reinforce", 10, 1500);
  EXPECT_LE(episodes[8], 1500);
  EXPECT_LE(episodes[5], 816);
}

}  // namespace
}  // namespace hone::trainers::episodic
