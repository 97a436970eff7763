#include "worker/envs/cartpole.hpp"

#include <bit>
#include <cmath>

#include "worker/envs/stream.hpp"

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

struct Cart {
  State state;
  std::uint64_t steps = 0;
  Stream stream;
};

constexpr std::size_t words_per_cart = 9;  // 4 of the state, the step count, 4 of the stream

class CartPoles final : public VecEnv {
 public:
  explicit CartPoles(const EnvPlan& plan) {
    carts_.reserve(static_cast<std::size_t>(plan.count));
    for (int i = 0; i < plan.count; ++i) {
      const auto index = plan.first_index + static_cast<std::uint64_t>(i);
      carts_.push_back({{}, 0, Stream(plan.seed, Purpose::environment, index)});
    }
  }

  const EnvSpec& spec() const override { return cartpole::spec; }
  int count() const override { return static_cast<int>(carts_.size()); }

  void reset(float* observations) override {
    for (std::size_t i = 0; i < carts_.size(); ++i) {
      begin(carts_[i]);
      observe(carts_[i].state, observations + 4 * i);
    }
  }

  void step(std::span<const std::int32_t> actions, const StepOut& out) override {
    for (std::size_t i = 0; i < carts_.size(); ++i) {
      auto& cart = carts_[i];
      cart.state = advance(cart.state, actions[i]);
      const bool over = failed(cart.state);
      const bool late = ++cart.steps >= static_cast<std::uint64_t>(cartpole::spec.step_limit);
      out.rewards[i] = 1.0F;
      out.terminated[i] = over ? 1 : 0;
      out.truncated[i] = late ? 1 : 0;
      if (over || late) {
        observe(cart.state, out.final_observations + 4 * i);
        begin(cart);
      }
      observe(cart.state, out.observations + 4 * i);
    }
  }

  std::vector<std::uint64_t> save() const override {
    std::vector<std::uint64_t> words;
    words.reserve(carts_.size() * words_per_cart);
    for (const auto& cart : carts_) {
      const auto& s = cart.state;
      for (double number : {s.x, s.speed, s.angle, s.turn_rate})
        words.push_back(std::bit_cast<std::uint64_t>(number));
      words.push_back(cart.steps);
      words.insert(words.end(), cart.stream.words().begin(), cart.stream.words().end());
    }
    return words;
  }

  bool restore(std::span<const std::uint64_t> words, float* observations) override {
    if (words.size() != carts_.size() * words_per_cart) return false;
    for (std::size_t i = 0; i < carts_.size(); ++i) {
      const auto part = words.subspan(i * words_per_cart, words_per_cart);
      const auto number = [&](std::size_t k) { return std::bit_cast<double>(part[k]); };
      carts_[i].state = {number(0), number(1), number(2), number(3)};
      carts_[i].steps = part[4];
      carts_[i].stream = Stream(Stream::Words{part[5], part[6], part[7], part[8]});
      observe(carts_[i].state, observations + 4 * i);
    }
    return true;
  }

 private:
  static void begin(Cart& cart) {
    auto draw = [&] { return cart.stream.uniform(-start_spread, start_spread); };
    cart.state.x = draw();
    cart.state.speed = draw();
    cart.state.angle = draw();
    cart.state.turn_rate = draw();
    cart.steps = 0;
  }

  static void observe(const State& state, float* out) {
    out[0] = static_cast<float>(state.x);
    out[1] = static_cast<float>(state.speed);
    out[2] = static_cast<float>(state.angle);
    out[3] = static_cast<float>(state.turn_rate);
  }

  std::vector<Cart> carts_;
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

std::unique_ptr<VecEnv> make(const EnvPlan& plan) { return std::make_unique<CartPoles>(plan); }

}  // namespace hone::envs::cartpole
