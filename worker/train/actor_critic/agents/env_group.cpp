#include "worker/train/actor_critic/agents/env_group.hpp"

#include <algorithm>
#include <limits>

#include "worker/train/nn/gaussian.hpp"
#include "worker/train/nn/kernels/kernels.hpp"

namespace hone::ac {

EnvGroup::EnvGroup(std::unique_ptr<envs::VecEnv> env, std::uint64_t seed, std::uint64_t first_index)
    : env_(std::move(env)), running_(static_cast<std::size_t>(env_->count())) {
  const auto count = static_cast<std::size_t>(env_->count());
  const auto size = static_cast<std::size_t>(env_->spec().row_floats());
  for (std::size_t i = 0; i < count; ++i)
    streams_.emplace_back(seed, envs::Purpose::action, first_index + i);
  for (auto* rows : {&latest_, &final_observations_, &also_observations_})
    rows->resize(count * size);
  for (auto* column : {&values_, &rewards_, &also_values_, &uniforms_, &cumulative_})
    column->resize(count);
  log_chances_.resize(dense::padded(count), 1);
  numbers_.resize(count * numbers_each());
  const auto outputs = static_cast<std::size_t>(env_->spec().actions) + numbers_each();
  policy_.resize(count * outputs);
  terminated_.resize(count);
  truncated_.resize(count);
  actions_.resize(count);
  discounted_returns_.resize(count);
  request_.policy = policy_;
  request_.values = values_;
  request_.extra_values = also_values_;
  request_.rows = env_->count();
  env_->reset(latest_.data());
}

void EnvGroup::predict(const float* observations, NetworkClient& client,
                       std::span<const int> also) {
  const auto size = env_->spec().row_floats();
  float* out = also_observations_.data();
  for (const int i : also) out = std::copy_n(final_observations_.data() + i * size, size, out);
  request_.observations = observations;
  request_.extra_observations = also_observations_.data();
  request_.extra_rows = static_cast<int>(also.size());
  client.predict(request_);
}

void EnvGroup::draw_actions() {
  if (numbers_.empty())
    draw_choices();
  else
    draw_numbers();
}

void EnvGroup::draw_numbers() {
  const auto count = actions_.size();
  const auto each = numbers_each();
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t d = 0; d < each; ++d) {
      const double deviation = nn::gaussian_deviation(policy_[(each + d) * count + i]);
      numbers_[i * each + d] =
          policy_[d * count + i] + static_cast<float>(deviation * streams_[i].normal());
    }
}

// Inversion: the action is the number of cumulative probabilities up to the uniform number.
void EnvGroup::draw_choices() {
  const auto count = actions_.size();
  for (std::size_t i = 0; i < count; ++i)
    uniforms_[i] = static_cast<float>(streams_[i].bits() >> 40) * 0x1p-24F;
  std::fill(actions_.begin(), actions_.end(), 0);
  std::fill(cumulative_.begin(), cumulative_.end(), 0.0F);
  const float* probabilities = policy_.data();
  for (int a = 1; a < env_->spec().actions; ++a, probabilities += count)
    for (std::size_t i = 0; i < count; ++i) {
      cumulative_[i] += probabilities[i];
      actions_[i] += uniforms_[i] >= cumulative_[i] ? 1 : 0;
    }
}

std::span<const float> EnvGroup::log_chances() {
  const auto count = actions_.size();
  const auto each = numbers_each();
  for (std::size_t i = 0; i < count; ++i) {
    if (each == 0) {
      const float chance = policy_[static_cast<std::size_t>(actions_[i]) * count + i];
      log_chances_[i] = std::max(chance, std::numeric_limits<float>::min());
      continue;
    }
    double sum = 0;
    for (std::size_t d = 0; d < each; ++d)
      sum += nn::gaussian_log_density(numbers_[i * each + d], policy_[d * count + i],
                                      nn::gaussian_deviation(policy_[(each + d) * count + i]));
    log_chances_[i] = static_cast<float>(sum);
  }
  if (each == 0)
    dense::best_kernels().logarithm(log_chances_.data(),
                                    static_cast<std::int64_t>(log_chances_.size()));
  return std::span(log_chances_).first(count);
}

void EnvGroup::step(float* next, rl::EpisodeLog& episodes) {
  env_->step({actions_, numbers_}, {next, rewards_.data(), terminated_.data(), truncated_.data(),
                                    final_observations_.data()});
  running_.step(rewards_, terminated_, truncated_, episodes);
}

EnvGroup::State EnvGroup::state() const {
  State state{env_->save(), {}, running_.returns(), running_.lengths(), discounted_returns_};
  for (const auto& stream : streams_)
    state.streams.insert(state.streams.end(), stream.words().begin(), stream.words().end());
  return state;
}

bool EnvGroup::restore(const State& state) {
  const auto words = envs::Stream::Words{}.size();
  if (state.streams.size() != streams_.size() * words) return false;
  if (!running_.fits(state.running_returns, state.running_lengths)) return false;
  if (state.discounted_returns.size() != discounted_returns_.size()) return false;
  if (!env_->restore(state.environments, latest_.data())) return false;
  if (!env_->spec().forgets) {
    running_.restore(state.running_returns, state.running_lengths);
    discounted_returns_ = state.discounted_returns;
  }
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    envs::Stream::Words part;
    std::copy_n(state.streams.begin() + static_cast<std::ptrdiff_t>(i * words), words,
                part.begin());
    streams_[i] = envs::Stream(part);
  }
  return true;
}

}  // namespace hone::ac
