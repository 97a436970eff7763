#include "worker/train/envs/control/cartpole.hpp"

#include <cmath>

#include "worker/train/envs/core/copies.hpp"

namespace hone::envs::cartpole {
namespace {

constexpr double gravity = 9.8;
constexpr double pole_mass = 0.1;
constexpr double total_mass = 1.1;
constexpr double half_length = 0.5;
constexpr double pole_moment = pole_mass * half_length;
constexpr double force = 10.0;
constexpr double tick = 0.02;
constexpr double x_max = 2.4;
constexpr double angle_max = 0.20943951023931953;  // 12 degrees
constexpr double start_spread = 0.05;

struct Rules {
  using State = cartpole::State;
  static constexpr const EnvSpec& spec = cartpole::spec;

  static void begin(State& state, Stream& stream) {
    const auto draw = [&] { return stream.uniform(-start_spread, start_spread); };
    state.x = draw();
    state.speed = draw();
    state.angle = draw();
    state.turn_rate = draw();
  }

  static void observe(const State& state, float* out) {
    out[0] = static_cast<float>(state.x);
    out[1] = static_cast<float>(state.speed);
    out[2] = static_cast<float>(state.angle);
    out[3] = static_cast<float>(state.turn_rate);
  }

  static bool is_sound(const State& state) {
    return std::isfinite(state.x) && std::isfinite(state.speed) && std::isfinite(state.angle) &&
           std::isfinite(state.turn_rate);
  }

  static Outcome move(State& state, std::int32_t action, Stream&) {
    state = advance(state, action);
    return {1.0F, failed(state)};
  }
};

}  // namespace

State advance(const State& s, int action) {
  const double push = action == 1 ? force : -force;
  const double cosine = std::cos(s.angle);
  const double sine = std::sin(s.angle);
  const double shared = (push + pole_moment * s.turn_rate * s.turn_rate * sine) / total_mass;
  const double turn = (gravity * sine - cosine * shared) /
                      (half_length * (4.0 / 3.0 - pole_mass * cosine * cosine / total_mass));
  const double pull = shared - pole_moment * turn * cosine / total_mass;
  return {s.x + tick * s.speed, s.speed + tick * pull, s.angle + tick * s.turn_rate,
          s.turn_rate + tick * turn};
}

bool failed(const State& state) {
  return std::abs(state.x) > x_max || std::abs(state.angle) > angle_max;
}

BuiltinEnv builtin() { return {&spec, make_copies<Rules>}; }

}  // namespace hone::envs::cartpole
