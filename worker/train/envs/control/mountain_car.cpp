#include "worker/train/envs/control/mountain_car.hpp"

#include <cmath>

#include "worker/train/envs/core/copies.hpp"

namespace hone::envs::mountain_car {
namespace {

constexpr double push = 0.001;
constexpr double force_scale = 0.0015;
constexpr double slope = 0.0025;
constexpr double speed_max = 0.07;
constexpr double x_min = -1.2;
constexpr double x_max = 0.6;
constexpr double flag = 0.5;
constexpr double nearer_flag = 0.45;

double rounded(double number) { return static_cast<double>(static_cast<float>(number)); }

// Uses the slope of the hill at the position before the step.
State rolled(const State& s, double pushed) {
  const double speed =
      std::clamp(s.speed + pushed - slope * std::cos(3 * s.x), -speed_max, speed_max);
  const double x = std::clamp(s.x + speed, x_min, x_max);
  return {x, x == x_min && speed < 0 ? 0 : speed};
}

// The continuous game rounds its state to float: the last digit may be beyond a bound.
bool is_on_track(const State& state) {
  constexpr double slack = 1e-6;
  return state.x >= x_min - slack && state.x <= x_max + slack &&
         std::abs(state.speed) <= speed_max + slack;
}

void observe_state(const State& state, float* out) {
  out[0] = static_cast<float>(state.x);
  out[1] = static_cast<float>(state.speed);
}

struct Rules {
  using State = mountain_car::State;
  static constexpr const EnvSpec& spec = mountain_car::spec;

  static void begin(State& state, Stream& stream) { state = {stream.uniform(-0.6, -0.4), 0}; }
  static void observe(const State& state, float* out) { observe_state(state, out); }
  static bool is_sound(const State& state) { return is_on_track(state); }
  static Outcome move(State& state, std::int32_t action, Stream&) {
    state = advance(state, action);
    return {-1.0F, reached(state)};
  }
};

struct ContinuousRules {
  using State = mountain_car::State;
  static constexpr const EnvSpec& spec = continuous_spec;

  static void begin(State& state, Stream& stream) {
    state = {rounded(stream.uniform(-0.6, -0.4)), 0};
  }
  static void observe(const State& state, float* out) { observe_state(state, out); }
  static bool is_sound(const State& state) { return is_on_track(state); }
  static Outcome move(State& state, const float* action, Stream&) {
    const double force = action[0];
    state = advance_by_force(state, force);
    const bool over = reached_by_force(state);
    // The cost is that of the action before it is clipped.
    return {static_cast<float>((over ? 100.0 : 0.0) - 0.1 * force * force), over};
  }
};

}  // namespace

State advance(const State& state, int action) { return rolled(state, (action - 1) * push); }

State advance_by_force(const State& state, double force) {
  const auto next = rolled(state, std::clamp(force, -1.0, 1.0) * force_scale);
  return {rounded(next.x), rounded(next.speed)};
}

bool reached(const State& state) { return state.x >= flag && state.speed >= 0; }
bool reached_by_force(const State& state) { return state.x >= nearer_flag && state.speed >= 0; }

BuiltinEnv builtin() { return {&spec, make_copies<Rules>}; }

BuiltinEnv continuous() { return {&continuous_spec, make_copies<ContinuousRules>}; }

}  // namespace hone::envs::mountain_car
