// Parity mode against a plain replay: one agent's play, returns, losses, gradients and RMSProp
// again, in doubles, without the trainer's queues, kernels and packed layouts.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <vector>

#include "worker/train/envs/core/stream.hpp"
#include "worker/train/envs/table.hpp"
#include "worker/train/rl/model.hpp"
#include "worker/train/table.hpp"

namespace hone::trainers::parity_replay {
namespace {

using Vector = std::vector<double>;

constexpr std::size_t inputs = 4, hidden = 256, actions = 2;
constexpr std::uint64_t seed = 11;
constexpr int frames = 400;  // some 20 episodes

// The published constants: Config.py of github.com/NVlabs/GA3C, and the loss of its NetworkVP.py.
constexpr int t_max = 5;
constexpr double gamma = 0.99, beta = 0.01, rate = 3e-4, decay = 0.99, epsilon = 0.1;
constexpr double log_floor = 1e-6;

// The parts of the model file, in its order.
constexpr std::size_t hidden_bias = hidden * inputs;
constexpr std::size_t policy = hidden_bias + hidden;
constexpr std::size_t value = policy + actions * hidden;
constexpr std::size_t policy_bias = value + hidden;
constexpr std::size_t value_bias = policy_bias + actions;
constexpr std::size_t parameters = value_bias + 1;

struct Experience {
  std::array<double, inputs> observation{};
  std::size_t action = 0;
  double reward = 0;
};

struct Outputs {
  std::array<double, hidden> units{};
  std::array<double, actions> chances{};
  double value = 0;
};

class Replay {
 public:
  explicit Replay(const rl::Model& model)
      : weights_(model.parameters.weights.begin(), model.parameters.weights.end()),
        mean_square_(model.parameters.mean_square.begin(), model.parameters.mean_square.end()) {}

  void play() {
    const auto found = envs::find_env("CartPole-v1");
    const auto env = std::move(*found->make({1, seed, 0, {}}));
    envs::Stream stream(seed, envs::Purpose::action, 0);
    std::array<float, inputs> state{}, next{}, last{};
    env->reset(state.data());
    std::vector<Experience> track;
    int time = 0;
    for (int frame = 0; frame < frames; ++frame) {
      Experience now;
      std::copy(state.begin(), state.end(), now.observation.begin());
      const Outputs seen = forward(now.observation);
      const auto uniform = static_cast<double>(stream.bits() >> 40) * 0x1p-24;
      now.action = uniform >= seen.chances[0] ? 1 : 0;
      const auto chosen = static_cast<std::int32_t>(now.action);
      float reward = 0;
      std::uint8_t terminated = 0, truncated = 0;
      env->step({{&chosen, 1}, {}}, {next.data(), &reward, &terminated, &truncated, last.data()});
      now.reward = std::clamp(static_cast<double>(reward), -1.0, 1.0);
      track.push_back(now);
      const bool done = terminated != 0 || truncated != 0;
      if (done || time == t_max) {
        train(track, done ? 0 : seen.value);
        track.erase(track.begin(), track.end() - (done ? 0 : 1));
        time = 0;
      }
      time = done ? 0 : time + 1;
      ends_ += done ? 1 : 0;
      state = next;
    }
  }

  [[nodiscard]] const Vector& weights() const { return weights_; }
  [[nodiscard]] const Vector& mean_square() const { return mean_square_; }
  [[nodiscard]] int updates() const { return updates_; }
  [[nodiscard]] int samples() const { return samples_; }
  [[nodiscard]] int ends() const { return ends_; }

 private:
  [[nodiscard]] Outputs forward(const std::array<double, inputs>& observation) const {
    Outputs out;
    for (std::size_t h = 0; h < hidden; ++h) {
      double sum = weights_[hidden_bias + h];
      for (std::size_t i = 0; i < inputs; ++i) sum += weights_[h * inputs + i] * observation[i];
      out.units[h] = std::max(0.0, sum);
    }
    const auto head = [&](std::size_t row, std::size_t bias) {
      double sum = weights_[bias];
      for (std::size_t h = 0; h < hidden; ++h) sum += weights_[row + h] * out.units[h];
      return sum;
    };
    double total = 0;
    for (std::size_t a = 0; a < actions; ++a)
      total += out.chances[a] = std::exp(head(policy + a * hidden, policy_bias + a));
    for (double& chance : out.chances) chance /= total;
    out.value = head(value, value_bias);
    return out;
  }

  // The last experience gives the value of its state alone; its reward is dropped.
  void train(const std::vector<Experience>& track, double tail) {
    if (track.size() < 2) return;
    Vector gradient(parameters, 0.0);
    double target = tail;
    for (std::size_t t = track.size() - 1; t-- > 0;) {
      target = track[t].reward + gamma * target;
      add_gradient(track[t], target, gradient);
    }
    for (std::size_t i = 0; i < parameters; ++i) {
      mean_square_[i] = decay * mean_square_[i] + (1 - decay) * gradient[i] * gradient[i];
      weights_[i] -= rate * gradient[i] / std::sqrt(mean_square_[i] + epsilon);
    }
    ++updates_;
    samples_ += static_cast<int>(track.size()) - 1;
  }

  // Of -log max(pi(a), floor) (R - V) - beta H(pi) + (R - V)^2 / 2, summed over the rollout.
  void add_gradient(const Experience& one, double target, Vector& gradient) const {
    const Outputs out = forward(one.observation);
    const double error = target - out.value;
    double entropy = 0;
    for (const double chance : out.chances) entropy -= chance * std::log(chance);
    std::array<double, hidden> back{};
    const auto through = [&](std::size_t row, std::size_t bias, double slope) {
      gradient[bias] += slope;
      for (std::size_t h = 0; h < hidden; ++h) {
        gradient[row + h] += slope * out.units[h];
        back[h] += slope * weights_[row + h];
      }
    };
    const double learns = out.chances[one.action] > log_floor ? 1 : 0;
    for (std::size_t a = 0; a < actions; ++a) {
      const double chance = out.chances[a];
      const double picked = a == one.action ? 1 : 0;
      through(policy + a * hidden, policy_bias + a,
              -learns * error * (picked - chance) + beta * chance * (std::log(chance) + entropy));
    }
    through(value, value_bias, -error);
    for (std::size_t h = 0; h < hidden; ++h) {
      if (out.units[h] <= 0) continue;
      gradient[hidden_bias + h] += back[h];
      for (std::size_t i = 0; i < inputs; ++i)
        gradient[h * inputs + i] += back[h] * one.observation[i];
    }
  }

  Vector weights_, mean_square_;
  int updates_ = 0, samples_ = 0, ends_ = 0;
};

double largest_difference(const Vector& ours, const std::vector<float>& theirs) {
  double most = 0;
  for (std::size_t i = 0; i < ours.size(); ++i)
    most = std::max(most, std::abs(ours[i] - static_cast<double>(theirs[i])));
  return most;
}

TEST(ParityReplay, plain_doubles_give_the_same_weights) {
  const Params params{{"mode", std::string("parity")},    {"agents", std::int64_t{1}},
                      {"predictors", std::int64_t{1}},    {"trainers", std::int64_t{1}},
                      {"dynamic", std::string("no")},     {"deterministic", std::string("yes")},
                      {"env", std::string("CartPole-v1")}};
  auto settings = Settings::resolve(*find_trainer("ga3c"), {}, params);
  ASSERT_TRUE(settings.ok());
  const auto trainer =
      std::move(*find_trainer_row("ga3c")->make({std::move(*settings), seed, frames}));
  const auto path = std::filesystem::temp_directory_path() /
                    ("hone-parity-" + std::to_string(::getpid()) + ".safetensors");
  const auto saved = [&] {
    EXPECT_TRUE(trainer->save(path).ok());
    auto model = rl::read_model(path);
    std::filesystem::remove(path);
    return std::move(*model);
  };
  const auto before = saved();
  ASSERT_EQ(before.parameters.weights.size(), parameters);
  trainer->advance(frames, {}, [] {});
  const auto after = saved();
  Replay replay(before);
  replay.play();
  EXPECT_GT(replay.ends(), 5) << "ends of episodes are part of it";
  EXPECT_EQ(after.parameters.updates, replay.updates());
  EXPECT_EQ(after.parameters.frames, replay.samples());
  const Vector start(before.parameters.weights.begin(), before.parameters.weights.end());
  const double moved = largest_difference(start, after.parameters.weights);
  EXPECT_LT(largest_difference(replay.weights(), after.parameters.weights), 1e-3 * moved);
  EXPECT_LT(largest_difference(replay.mean_square(), after.parameters.mean_square), 1e-3);
}

}  // namespace
}  // namespace hone::trainers::parity_replay
