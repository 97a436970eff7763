// The part of a VecEnv that is the same for every environment: it steps copies one after another,
// ends and begins their episodes, saves and restores them. An environment supplies its rules:
//
//   struct Rules {
//     using State = ...;                                   // whole 64-bit words, no padding
//     static constexpr const EnvSpec& spec = ...;
//     explicit Rules(const EnvPlan& plan);                 // optional
//     void begin(State& state, Stream& stream);            // a new episode
//     void observe(const State& state, float* out);
//     Outcome move(State& state, Action action, Stream& stream);
//     static bool is_sound(const State& state);            // whether play can lead to it, roughly
//   };
//
// where Action is std::int32_t, or const float* for continuous actions.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

#include "worker/train/envs/core/env.hpp"
#include "worker/train/envs/core/stream.hpp"

namespace hone::envs {

struct Outcome {
  float reward = 0;
  bool over = false;  // by the rules of the environment, not by the step limit
};

template <class Rules>
class Copies final : public VecEnv {
 public:
  explicit Copies(const EnvPlan& plan) : rules_(rules_of(plan)) {
    copies_.reserve(static_cast<std::size_t>(plan.count));
    for (int i = 0; i < plan.count; ++i) {
      const auto index = plan.first_index + static_cast<std::uint64_t>(i);
      copies_.push_back({{}, 0, Stream(plan.seed, Purpose::environment, index)});
    }
  }

  const EnvSpec& spec() const override { return Rules::spec; }
  int count() const override { return static_cast<int>(copies_.size()); }

  void reset(float* observations) override {
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      begin(copies_[i]);
      rules_.observe(copies_[i].state, observations + size_ * i);
    }
  }

  void step(const Actions& actions, const StepOut& out) override {
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      auto& copy = copies_[i];
      const auto outcome = rules_.move(copy.state, action_of(actions, i), copy.stream);
      ++copy.steps;
      const bool late = Rules::spec.step_limit > 0 &&
                        copy.steps >= static_cast<std::uint64_t>(Rules::spec.step_limit);
      out.rewards[i] = outcome.reward;
      out.terminated[i] = outcome.over ? 1 : 0;
      out.truncated[i] = late ? 1 : 0;
      if (outcome.over || late) {
        rules_.observe(copy.state, out.final_observations + size_ * i);
        begin(copy);
      }
      rules_.observe(copy.state, out.observations + size_ * i);
    }
  }

  std::vector<std::uint64_t> save() const override {
    std::vector<std::uint64_t> words;
    words.reserve(copies_.size() * words_per_copy_);
    for (const auto& copy : copies_) {
      const auto state = std::bit_cast<StateWords>(copy.state);
      words.insert(words.end(), state.begin(), state.end());
      words.push_back(copy.steps);
      words.insert(words.end(), copy.stream.words().begin(), copy.stream.words().end());
    }
    return words;
  }

  bool restore(std::span<const std::uint64_t> words, float* observations) override {
    if (words.size() != copies_.size() * words_per_copy_) return false;
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      const auto part = words.subspan(i * words_per_copy_, words_per_copy_);
      StateWords state;
      Stream::Words stream;
      std::copy_n(part.begin(), state.size(), state.begin());
      std::copy_n(part.end() - stream.size(), stream.size(), stream.begin());
      // The words come from a file: they must be no place outside of an array, no endless turn.
      if (!Rules::is_sound(std::bit_cast<State>(state))) return false;
      copies_[i] = {std::bit_cast<State>(state), part[state.size()], Stream(stream)};
      rules_.observe(copies_[i].state, observations + size_ * i);
    }
    return true;
  }

 private:
  using State = typename Rules::State;
  using StateWords = std::array<std::uint64_t, sizeof(State) / sizeof(std::uint64_t)>;

  struct Copy {
    State state;
    std::uint64_t steps = 0;
    Stream stream;
  };

  static constexpr auto size_ = static_cast<std::size_t>(Rules::spec.row_floats());
  static constexpr std::size_t words_per_copy_ =
      std::tuple_size_v<StateWords> + 1 + std::tuple_size_v<Stream::Words>;

  static Rules rules_of(const EnvPlan& plan) {
    if constexpr (std::is_constructible_v<Rules, const EnvPlan&>)
      return Rules(plan);
    else
      return Rules{};
  }

  static auto action_of(const Actions& actions, std::size_t i) {
    if constexpr (Rules::spec.action_kind == ActionKind::continuous)
      return actions.continuous.data() + i * static_cast<std::size_t>(Rules::spec.actions);
    else
      return actions.discrete[i];
  }

  void begin(Copy& copy) {
    rules_.begin(copy.state, copy.stream);
    copy.steps = 0;
  }

  Rules rules_;
  std::vector<Copy> copies_;
};

template <class Rules>
std::unique_ptr<VecEnv> make_copies(const EnvPlan& plan) {
  return std::make_unique<Copies<Rules>>(plan);
}

}  // namespace hone::envs
