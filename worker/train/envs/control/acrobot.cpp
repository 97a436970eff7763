#include "worker/train/envs/control/acrobot.hpp"

#include <cmath>
#include <numbers>

#include "worker/train/envs/core/copies.hpp"

namespace hone::envs::acrobot {
namespace {

using std::numbers::pi;

// Of both links; the centre of mass is halfway.
constexpr double mass = 1.0;
constexpr double moment = 1.0;
constexpr double length = 1.0;
constexpr double centre = 0.5;
constexpr double gravity = 9.8;
constexpr double tick = 0.2;
constexpr double angle_rate_max = 4 * pi;
constexpr double bend_rate_max = 9 * pi;
constexpr double start_spread = 0.1;

// The derivative of the state by time, per second.
State slope(const State& s, double torque) {
  const double cosine = std::cos(s.bend);
  const double sine = std::sin(s.bend);
  const double lever = mass * length * centre;
  const double own = mass * centre * centre + moment;
  const double d1 = mass * centre * centre +
                    mass * (length * length + centre * centre + 2 * length * centre * cosine) +
                    moment + moment;
  const double d2 = mass * (centre * centre + length * centre * cosine) + moment;
  const double pull2 = mass * centre * gravity * std::cos(s.angle + s.bend - pi / 2);
  const double pull1 =
      -lever * s.bend_rate * s.bend_rate * sine - 2 * lever * s.bend_rate * s.angle_rate * sine +
      (mass * centre + mass * length) * gravity * std::cos(s.angle - pi / 2) + pull2;
  const double bend =
      (torque + d2 / d1 * pull1 - lever * s.angle_rate * s.angle_rate * sine - pull2) /
      (own - d2 * d2 / d1);
  return {s.angle_rate, s.bend_rate, -(d2 * bend + pull1) / d1, bend};
}

State moved(const State& s, const State& change, double seconds) {
  return {s.angle + seconds * change.angle, s.bend + seconds * change.bend,
          s.angle_rate + seconds * change.angle_rate, s.bend_rate + seconds * change.bend_rate};
}

double wrapped(double angle) {
  while (angle > pi) angle -= 2 * pi;
  while (angle < -pi) angle += 2 * pi;
  return angle;
}

struct Rules {
  using State = acrobot::State;
  static constexpr const EnvSpec& spec = acrobot::spec;

  static void begin(State& state, Stream& stream) {
    const auto draw = [&] {  // Gymnasium rounds the first state, and no later one, to float
      return static_cast<double>(static_cast<float>(stream.uniform(-start_spread, start_spread)));
    };
    state.angle = draw();
    state.bend = draw();
    state.angle_rate = draw();
    state.bend_rate = draw();
  }

  static void observe(const State& state, float* out) {
    out[0] = static_cast<float>(std::cos(state.angle));
    out[1] = static_cast<float>(std::sin(state.angle));
    out[2] = static_cast<float>(std::cos(state.bend));
    out[3] = static_cast<float>(std::sin(state.bend));
    out[4] = static_cast<float>(state.angle_rate);
    out[5] = static_cast<float>(state.bend_rate);
  }

  static bool is_sound(const State& state) {
    return std::abs(state.angle) <= pi && std::abs(state.bend) <= pi &&
           std::abs(state.angle_rate) <= angle_rate_max &&
           std::abs(state.bend_rate) <= bend_rate_max;
  }

  static Outcome move(State& state, std::int32_t action, Stream&) {
    state = advance(state, action);
    const bool over = reached(state);
    return {over ? 0.0F : -1.0F, over};
  }
};

}  // namespace

State advance(const State& s, int action) {
  const double torque = action - 1;
  const auto k1 = slope(s, torque);
  const auto k2 = slope(moved(s, k1, tick / 2), torque);
  const auto k3 = slope(moved(s, k2, tick / 2), torque);
  const auto k4 = slope(moved(s, k3, tick), torque);
  auto next = moved(s, k1, tick / 6);
  next = moved(next, k2, tick / 3);
  next = moved(next, k3, tick / 3);
  next = moved(next, k4, tick / 6);
  return {wrapped(next.angle), wrapped(next.bend),
          std::clamp(next.angle_rate, -angle_rate_max, angle_rate_max),
          std::clamp(next.bend_rate, -bend_rate_max, bend_rate_max)};
}

bool reached(const State& state) {
  return -std::cos(state.angle) - std::cos(state.angle + state.bend) > 1.0;
}

BuiltinEnv builtin() { return {&spec, make_copies<Rules>}; }

}  // namespace hone::envs::acrobot
