// Step-for-step agreement with the originals: golden values computed with the code of Gymnasium.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <numbers>

#include "worker/train/envs/control/mountain_car.hpp"
#include "worker/train/envs/control/pendulum.hpp"

namespace hone::envs {
namespace {

TEST(MountainCar, agrees_with_gymnasium_over_mixed_actions) {
  constexpr std::array actions{2, 2, 0, 0, 1, 2, 2, 2, 0, 0};
  const std::map<int, mountain_car::State> golden{
      {1, {-0.49917684300416926, 0.0008231569958307428}},
      {10, {-0.49737000772724027, -0.0009118984237592763}},
      {30, {-0.514731381854319, -0.001824936132235937}}};
  mountain_car::State state{-0.5, 0};
  for (int t = 1; t <= 30; ++t) {
    state =
        mountain_car::advance(state, actions.at(static_cast<std::size_t>(t - 1) % actions.size()));
    EXPECT_FALSE(mountain_car::reached(state));
    if (!golden.contains(t)) continue;
    EXPECT_NEAR(state.x, golden.at(t).x, 1e-12) << t;
    EXPECT_NEAR(state.speed, golden.at(t).speed, 1e-12) << t;
  }
}

TEST(MountainCar, stops_at_the_left_wall_and_is_over_at_the_flag_only_uphill) {
  const auto stopped = mountain_car::advance({-1.19, -0.07}, 0);
  EXPECT_EQ(stopped.x, -1.2);
  EXPECT_EQ(stopped.speed, 0);
  EXPECT_TRUE(mountain_car::reached({0.5, 0}));
  EXPECT_FALSE(mountain_car::reached({0.55, -0.01}));
  EXPECT_FALSE(mountain_car::reached({0.49, 0.07}));
}

TEST(MountainCarContinuous, agrees_with_gymnasium_over_mixed_forces) {
  mountain_car::State state{-0.5, 0};
  for (const double force : {0.5, -1.5, 1.0, -1.0, 0.3, 0.0, 1.0, -1.0, 0.25, -0.75})
    state = mountain_car::advance_by_force(state, force);
  EXPECT_NEAR(state.x, -0.509837806224823, 1e-12);
  EXPECT_NEAR(state.speed, -0.002619717502966523, 1e-12);
}

TEST(MountainCarContinuous, charges_for_the_force_that_was_asked_for) {
  const auto env = mountain_car::continuous().make({.count = 1, .seed = 1});
  std::array<float, 2> seen{}, last{};
  float reward = 0;
  std::uint8_t terminated = 0, truncated = 0;
  env->reset(seen.data());
  const auto pay = [&](float force) {
    env->step({{}, {&force, 1}}, {seen.data(), &reward, &terminated, &truncated, last.data()});
    return reward;
  };
  EXPECT_FLOAT_EQ(pay(-0.75F), -0.05625F);
  EXPECT_FLOAT_EQ(pay(3), -0.9F);
}

TEST(Pendulum, agrees_with_gymnasium_over_mixed_torques) {
  constexpr std::array torques{0.5, -1.5, 2.0, -2.0, 3.0, 0.0, 1.0, -1.0, 0.25, -0.75};
  pendulum::Swing swing{{1, -0.5}, 0};
  swing = pendulum::advance(swing.state, torques[0]);
  EXPECT_NEAR(swing.state.angle, 1.010305161930296, 1e-12);
  EXPECT_NEAR(swing.state.rate, 0.2061032386059224, 1e-12);
  EXPECT_NEAR(swing.reward, -1.02525, 1e-12);
  for (std::size_t t = 1; t < torques.size(); ++t)
    swing = pendulum::advance(swing.state, torques.at(t));
  EXPECT_NEAR(swing.state.angle, 2.642331980107058, 1e-12);
  EXPECT_NEAR(swing.state.rate, 6.3012209760259825, 1e-12);
  EXPECT_NEAR(swing.reward, -8.860418585377326, 1e-12);
}

TEST(Pendulum, pays_by_the_shorter_way_to_upright_however_often_it_turned) {
  constexpr double pi = std::numbers::pi;
  EXPECT_NEAR(pendulum::advance({0.1 + 6 * pi, 0}, 0).reward, -0.01, 1e-12);
  EXPECT_NEAR(pendulum::advance({0.1 - 6 * pi, 0}, 0).reward, -0.01, 1e-12);
  EXPECT_NEAR(pendulum::advance({pi + 0.1, 0}, 0).reward, -(pi - 0.1) * (pi - 0.1), 1e-12);
}

}  // namespace
}  // namespace hone::envs
