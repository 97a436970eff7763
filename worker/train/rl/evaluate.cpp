#include "worker/train/rl/evaluate.hpp"

#include <algorithm>
#include <cmath>

#include "worker/train/envs/core/stream.hpp"
#include "worker/train/envs/table.hpp"
#include "worker/train/nn/gaussian.hpp"
#include "worker/train/rl/model.hpp"

namespace hone::rl {
namespace {

// In an environment without a step limit a perfect player would never finish: its return so far
// counts.
constexpr int steps_max = 100'000;
// Share of random actions with which a model of dqn is sampled: the published one.
constexpr double dqn_epsilon = 0.05;

const std::vector<float>& played_weights(const Model& model) {
  return model.average.empty() ? model.parameters.weights : model.average;
}

// Plays one episode in each copy of the environment: short episodes do not count more often.
class EvaluationRun {
 public:
  EvaluationRun(const Model& model, std::unique_ptr<envs::VecEnv> env,
                const trainers::EvaluationPlan& plan)
      : model_(model),
        sample_(plan.sample && model.trainer != "dqn"),
        epsilon_(plan.sample && model.trainer == "dqn" ? dqn_epsilon : 0),
        tick_(plan.tick),
        stream_(plan.seed, envs::Purpose::evaluation, 0),
        env_(std::move(env)),
        network_(nn::make_own_network(model.net, env_->count())),
        weights_(pack(model.net, played_weights(model))) {
    const auto count = static_cast<std::size_t>(env_->count());
    observations_.resize(count * static_cast<std::size_t>(model.net.input_floats()));
    final_observations_.resize(observations_.size());
    rewards_.resize(count);
    terminated_.resize(count);
    truncated_.resize(count);
    actions_.resize(count);
    numbers_.resize(count * static_cast<std::size_t>(model.net.deviations()));
    returns_.resize(count, 0.0);
    over_.resize(count, false);
  }

  std::vector<double> play() {
    env_->reset(observations_.data());
    for (int t = 0; t < steps_max && std::find(over_.begin(), over_.end(), false) != over_.end();
         ++t) {
      act();
      env_->step({actions_, numbers_}, {observations_.data(), rewards_.data(), terminated_.data(),
                                        truncated_.data(), final_observations_.data()});
      for (std::size_t i = 0; i < over_.size(); ++i) {
        if (!over_[i]) returns_[i] += rewards_[i];
        over_[i] = over_[i] || envs::episode_over(terminated_[i], truncated_[i]);
      }
      tick_(static_cast<int>(std::count(over_.begin(), over_.end(), true)));
    }
    return returns_;
  }

 private:
  void act() {
    const auto heads = network_->forward(weights_, observations_.data(), env_->count());
    if (model_.net.policy != nn::Policy::categorical) return choose_numbers(heads);
    if (sample_) dense::best_kernels().softmax(heads);
    for (std::size_t i = 0; i < actions_.size(); ++i)
      actions_[i] = sample_ ? drawn(heads, i) : most_probable(heads, i);
    if (epsilon_ > 0) make_some_random();
  }

  void make_some_random() {
    for (auto& action : actions_)
      if (stream_.uniform() < epsilon_)
        action = static_cast<std::int32_t>(stream_.uniform() * model_.net.actions);
  }

  void choose_numbers(const dense::Heads& heads) {
    const auto each = static_cast<std::size_t>(model_.net.actions);
    const auto at = [&](std::size_t output, std::size_t row) {
      return heads.data[output * static_cast<std::size_t>(heads.stride) + row];
    };
    for (std::size_t i = 0; i < over_.size(); ++i)
      for (std::size_t d = 0; d < each; ++d) {
        double number = at(d, i);
        if (sample_) number += nn::gaussian_deviation(at(each + d, i)) * stream_.normal();
        if (model_.net.policy == nn::Policy::squashed) number = std::tanh(number);
        numbers_[i * each + d] = static_cast<float>(number);
      }
  }

  static std::int32_t most_probable(const dense::Heads& heads, std::size_t row) {
    std::int32_t best = 0;
    for (std::int32_t a = 1; a < heads.actions; ++a)
      if (heads.data[a * heads.stride + static_cast<std::ptrdiff_t>(row)] >
          heads.data[best * heads.stride + static_cast<std::ptrdiff_t>(row)])
        best = a;
    return best;
  }

  std::int32_t drawn(const dense::Heads& probabilities, std::size_t row) {
    const float* p = probabilities.data + row;
    double u = stream_.uniform();
    std::int32_t a = 0;
    while (a + 1 < probabilities.actions && (u -= p[a * probabilities.stride]) >= 0) ++a;
    return a;
  }

  const Model& model_;
  bool sample_;
  double epsilon_;
  const std::function<void(int)>& tick_;
  envs::Stream stream_;
  std::unique_ptr<envs::VecEnv> env_;
  std::unique_ptr<nn::Network> network_;
  dense::Floats weights_;
  std::vector<float> observations_, final_observations_, rewards_;
  std::vector<std::uint8_t> terminated_, truncated_;
  std::vector<std::int32_t> actions_;
  std::vector<float> numbers_;  // of continuous actions
  std::vector<double> returns_;
  std::vector<bool> over_;
};

}  // namespace

Result<trainers::Evaluation> evaluate(const trainers::EvaluationPlan& plan) {
  auto model = read_model(plan.model);
  if (!model) return model.error();
  const auto name = plan.env.empty() ? model->env : plan.env;
  const auto known = envs::find_env(name);
  if (!known) return known.error();
  if (known->spec.observation_size != model->net.inputs ||
      known->spec.actions != model->net.actions ||
      (known->spec.action_kind == envs::ActionKind::continuous) !=
          (model->net.policy != nn::Policy::categorical))
    return refuse(Code::invalid,
                  plan.model.string() + " was trained on " + model->env +
                      ", whose observations or actions differ from those of " + name,
                  "/env");
  model->net.storage = known->spec.storage;
  // The complement: streams that the training did not use.
  auto env = known->make({.count = plan.episodes, .seed = ~plan.seed});
  if (!env) return env.error();
  ObservationScale scale(model->net.inputs);
  if (!model->observations.mean.empty()) {
    scale.restore(model->observations);
    *env = scaled_env(*std::move(env), scale, Scaling::fixed);
  }
  return trainers::Evaluation{name, EvaluationRun(*model, std::move(*env), plan).play()};
}

}  // namespace hone::rl
