// Copies of a built-in environment, for its tests.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "worker/train/envs/core/stream.hpp"
#include "worker/train/envs/table.hpp"

namespace hone::envs {

// Copies of an environment with the memory that their steps write to, and its numbers.
struct EnvCopies {
  EnvCopies(const EnvRow& row, const EnvPlan& plan)
      : env(row.make(plan)),
        stored(rows() * row_floats()),
        stored_final(stored.size()),
        observations(rows() * size()),
        final_observations(rows() * size(), -1e9F),
        rewards(rows()),
        terminated(rows()),
        truncated(rows()),
        choices(rows()),
        numbers(rows() * static_cast<std::size_t>(env->spec().actions)) {
    env->reset(stored.data());
    read();
  }

  [[nodiscard]] std::size_t rows() const { return static_cast<std::size_t>(env->count()); }
  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(env->spec().observation_size);
  }
  [[nodiscard]] std::size_t row_floats() const {
    return static_cast<std::size_t>(env->spec().row_floats());
  }

  void step() {
    env->step({choices, numbers}, {stored.data(), rewards.data(), terminated.data(),
                                   truncated.data(), stored_final.data()});
    read();
    for (std::size_t i = 0; i < rows(); ++i)
      if (episode_over(terminated[i], truncated[i])) read_row(i, stored_final, final_observations);
  }

  bool restore(std::span<const std::uint64_t> words) {
    const bool restored = env->restore(words, stored.data());
    read();
    return restored;
  }

  void read() {
    for (std::size_t i = 0; i < rows(); ++i) read_row(i, stored, observations);
  }
  void read_row(std::size_t i, const std::vector<float>& from, std::vector<float>& out) const {
    const auto& spec = env->spec();
    read_numbers(spec.storage, from.data() + i * row_floats(), spec.observation_size,
                 out.data() + i * size());
  }

  void step_at_random(Stream& random) {
    for (auto& choice : choices)
      choice = static_cast<std::int32_t>(random.uniform() * env->spec().actions);
    for (auto& number : numbers) number = static_cast<float>(random.uniform(-1.5, 1.5));
    step();
  }

  std::unique_ptr<VecEnv> env;
  std::vector<float> stored, stored_final;  // as the environment stores them
  std::vector<float> observations, final_observations, rewards;
  std::vector<std::uint8_t> terminated, truncated;
  std::vector<std::int32_t> choices;  // discrete actions
  std::vector<float> numbers;         // continuous ones
};

}  // namespace hone::envs
