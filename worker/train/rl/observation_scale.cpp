#include "worker/train/rl/observation_scale.hpp"

#include <algorithm>
#include <cmath>

namespace hone::rl {
namespace {

constexpr float scaled_max = 10;  // bounds observations unlike any before

class ScaledEnv final : public envs::VecEnv {
 public:
  ScaledEnv(std::unique_ptr<envs::VecEnv> env, ObservationScale& scale, Scaling scaling)
      : env_(std::move(env)), scale_(scale), scaling_(scaling) {}

  const envs::EnvSpec& spec() const override { return env_->spec(); }
  int count() const override { return env_->count(); }

  void reset(float* observations) override {
    env_->reset(observations);
    see(observations);
  }

  void step(const envs::Actions& actions, const envs::StepOut& out) override {
    env_->step(actions, out);
    see(out.observations);
    for (int i = 0; i < count(); ++i)
      if (envs::episode_over(out.terminated[i], out.truncated[i]))
        scale_.apply(out.final_observations + static_cast<std::ptrdiff_t>(i) * size(), 1);
  }

  std::vector<std::uint64_t> save() const override { return env_->save(); }

  // Does not learn: the statistics contain these observations already.
  bool restore(std::span<const std::uint64_t> words, float* observations) override {
    if (!env_->restore(words, observations)) return false;
    scale_.apply(observations, count());
    return true;
  }

 private:
  [[nodiscard]] int size() const { return spec().observation_size; }

  void see(float* observations) {
    if (scaling_ == Scaling::learned) scale_.learn(observations, count());
    scale_.apply(observations, count());
  }

  std::unique_ptr<envs::VecEnv> env_;
  ObservationScale& scale_;
  Scaling scaling_;
};

}  // namespace

ObservationScale::ObservationScale(int size)
    : state_{0, std::vector<double>(static_cast<std::size_t>(size)),
             std::vector<double>(static_cast<std::size_t>(size))},
      factors_(static_cast<std::size_t>(size), 1.0F) {}

// Joins the sums of the batch to those of all before (Chan, Golub and LeVeque, 1979), which loses
// fewer digits than adding row by row.
void ObservationScale::learn(const float* rows, int count) {
  const std::scoped_lock lock(mutex_);
  const auto size = factors_.size();
  const double total = state_.count + count;
  for (std::size_t k = 0; k < size; ++k) {
    double sum = 0, squares = 0;
    for (int i = 0; i < count; ++i) sum += rows[static_cast<std::size_t>(i) * size + k];
    const double mean = sum / count;
    for (int i = 0; i < count; ++i) {
      const double off = rows[static_cast<std::size_t>(i) * size + k] - mean;
      squares += off * off;
    }
    const double off = mean - state_.mean[k];
    state_.mean[k] += off * count / total;
    state_.squares[k] += squares + off * off * state_.count * count / total;
  }
  state_.count = total;
  set_factors();
}

void ObservationScale::apply(float* rows, int count) const {
  const std::scoped_lock lock(mutex_);
  const auto size = factors_.size();
  for (int i = 0; i < count; ++i, rows += size)
    for (std::size_t k = 0; k < size; ++k)
      rows[k] = std::clamp((rows[k] - static_cast<float>(state_.mean[k])) * factors_[k],
                           -scaled_max, scaled_max);
}

void ObservationScale::restore(const State& state) {
  state_ = state;
  set_factors();
}

void ObservationScale::set_factors() {
  if (state_.count == 0) return;
  for (std::size_t k = 0; k < factors_.size(); ++k)
    factors_[k] = static_cast<float>(1 / std::sqrt(state_.squares[k] / state_.count + 1e-8));
}

std::unique_ptr<envs::VecEnv> scaled_env(std::unique_ptr<envs::VecEnv> env, ObservationScale& scale,
                                         Scaling scaling) {
  return std::make_unique<ScaledEnv>(std::move(env), scale, scaling);
}

}  // namespace hone::rl
