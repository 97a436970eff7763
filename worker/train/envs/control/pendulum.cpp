#include "worker/train/envs/control/pendulum.hpp"

#include <cmath>
#include <numbers>

#include "worker/train/envs/core/copies.hpp"

namespace hone::envs::pendulum {
namespace {

using std::numbers::pi;

constexpr double torque_max = 2;
constexpr double rate_max = 8;
constexpr double tick = 0.05;

// Wraps an angle to [-pi, pi).
double within_a_turn(double angle) {
  const double turned = std::fmod(angle + pi, 2 * pi);
  return (turned < 0 ? turned + 2 * pi : turned) - pi;
}

struct Rules {
  using State = pendulum::State;
  static constexpr const EnvSpec& spec = pendulum::spec;

  static void begin(State& state, Stream& stream) {
    state.angle = stream.uniform(-pi, pi);
    state.rate = stream.uniform(-1, 1);
  }

  static void observe(const State& state, float* out) {
    out[0] = static_cast<float>(std::cos(state.angle));
    out[1] = static_cast<float>(std::sin(state.angle));
    out[2] = static_cast<float>(state.rate);
  }

  static bool is_sound(const State& state) {
    return std::isfinite(state.angle) && std::abs(state.rate) <= rate_max;
  }

  static Outcome move(State& state, const float* action, Stream&) {
    const auto swing = advance(state, torque_max * static_cast<double>(action[0]));
    state = swing.state;
    return {static_cast<float>(swing.reward), false};
  }
};

}  // namespace

Swing advance(const State& s, double asked) {
  const double torque = std::clamp(asked, -torque_max, torque_max);
  const double tilt = within_a_turn(s.angle);
  const double cost = tilt * tilt + 0.1 * s.rate * s.rate + 0.001 * torque * torque;
  const double rate =
      std::clamp(s.rate + (15 * std::sin(s.angle) + 3 * torque) * tick, -rate_max, rate_max);
  return {{s.angle + rate * tick, rate}, -cost};
}

BuiltinEnv builtin() { return {&spec, make_copies<Rules>}; }

}  // namespace hone::envs::pendulum
