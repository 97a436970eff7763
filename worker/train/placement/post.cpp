#include "worker/train/placement/post.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

namespace hone::trainers {
namespace {

constexpr int ppo_steps = 10;
constexpr double probability_min = 1e-9;
constexpr double kl_slack = 1.5;
constexpr double beta_factor = 2;

// Advantages of mean 0 and deviation 1, which do not depend on the scale of the graph. Lower costs
// have larger ones.
std::vector<double> advantages_of(const std::vector<Sample>& samples) {
  const auto count = static_cast<double>(samples.size());
  double mean = 0;
  for (const Sample& sample : samples) mean += sample.cost_ms / count;
  double square = 0;
  for (const Sample& sample : samples) square += (sample.cost_ms - mean) * (sample.cost_ms - mean);
  const double deviation = std::sqrt(square / count);
  std::vector<double> advantages;
  for (const Sample& sample : samples)
    advantages.push_back(deviation > 0 ? (mean - sample.cost_ms) / deviation : 0);
  return advantages;
}

std::vector<placement::Placement> placements_of(const std::vector<Sample>& samples) {
  std::vector<placement::Placement> placements;
  for (const Sample& sample : samples) placements.push_back(sample.placement);
  return placements;
}

}  // namespace

SoftmaxAgent::SoftmaxAgent(const AgentPlan& plan)
    : policy_(plan.problem.groups, plan.problem.devices()),
      elite_share_(plan.settings.real("elite_share")),
      epsilon_(plan.settings.real("epsilon")),
      beta_(plan.settings.real("kl_weight")),
      kl_target_(plan.settings.real("kl_target")),
      one_device_ms_(plan.problem.one_device_ms),
      budget_(std::max<std::int64_t>(1, plan.budget)),
      failures_until_(plan.settings.integer("failures_until")) {
  const std::string& name = plan.settings.word("agent");
  if (name == "post" || name == "ce") elite_every_ = plan.settings.small_integer("elite_every");
  if (name == "post" || name == "ppo") update_every_ = plan.settings.small_integer("update_every");
  if (name == "reinforce") {
    reinforce_ = true;
    update_every_ = plan.settings.small_integer("update_every");
  }
  baseline_decay_ = plan.settings.real("baseline_decay");
  learning_rate_ = plan.settings.real("learning_rate");
  if (learning_rate_ == 0) learning_rate_ = reinforce_ ? 0.1 : 0.5;
  if (!plan.leaning.empty()) policy_.lean(plan.leaning, plan.settings.real("init_bias"));
  policy_.bar(plan.problem);
}

placement::Placement SoftmaxAgent::sample(placement::RandomGenerator& generator) {
  return policy_.sample(generator);
}
placement::Placement SoftmaxAgent::greedy() { return policy_.greedy(); }
double SoftmaxAgent::entropy() { return policy_.entropy(); }

int SoftmaxAgent::wanted() const {
  const auto left = [&](int every) {
    return every > 0 ? every - static_cast<int>(seen_ % every) : 1 << 20;
  };
  return std::min(left(elite_every_), left(update_every_));
}

void SoftmaxAgent::observe(const Sample& sample) {
  ++seen_;
  window_.push_back(sample);
  const auto longest = static_cast<std::size_t>(std::max(elite_every_, update_every_));
  if (window_.size() > longest) window_.erase(window_.begin());
  if (elite_every_ > 0 && seen_ % elite_every_ == 0) return learn_from_elites();
  if (update_every_ > 0 && seen_ % update_every_ == 0) {
    const auto count = std::min(window_.size(), static_cast<std::size_t>(update_every_));
    std::vector<Sample> last(window_.end() - static_cast<std::ptrdiff_t>(count), window_.end());
    if (reinforce_)
      learn_by_gradient(std::move(last));
    else
      learn_by_ppo(last);
  }
}

// Minimizes the cross-entropy in closed form: the share of the elites that chose each device.
void SoftmaxAgent::learn_from_elites() {
  std::vector<Sample> elites = window_;
  std::stable_sort(elites.begin(), elites.end(),
                   [](const Sample& a, const Sample& b) { return a.cost_ms < b.cost_ms; });
  const auto wanted = std::max<std::size_t>(
      1, static_cast<std::size_t>(std::lround(elite_share_ * static_cast<double>(elites.size()))));
  elites.resize(std::min(elites.size(), wanted));
  const double progress = std::min(1.0, static_cast<double>(seen_) / static_cast<double>(budget_));
  const double epsilon = epsilon_ * (1 - progress);
  const double share = 1.0 / static_cast<double>(elites.size());
  for (int g = 0; g < policy_.groups(); ++g) {
    std::vector<double> f(static_cast<std::size_t>(policy_.devices()), 0);
    for (const Sample& elite : elites)
      f[static_cast<std::size_t>(elite.placement[static_cast<std::size_t>(g)])] += share;
    for (std::size_t d = 0; d < f.size(); ++d) {
      double& logit = policy_.logits()[policy_.row(g) + d];
      const bool barred = policy_.probabilities()[policy_.row(g) + d] == 0;
      const double mixed = (1 - epsilon) * f[d] + epsilon / policy_.devices();
      if (!barred) logit = std::log(std::max(mixed, probability_min));
    }
  }
  policy_.refresh();
}

void SoftmaxAgent::learn_by_ppo(const std::vector<Sample>& samples) {
  const auto placements = placements_of(samples);
  const auto advantages = advantages_of(samples);
  const SoftmaxPolicy old = policy_;
  const PpoTerms terms{placements, advantages, old, beta_};
  for (int step = 0; step < ppo_steps; ++step) {
    const auto gradient = ppo_gradient(terms, policy_);
    for (std::size_t i = 0; i < gradient.size(); ++i)
      policy_.logits()[i] += learning_rate_ * gradient[i];
    policy_.refresh();
  }
  const double kl = mean_kl(old, policy_);
  if (kl > kl_slack * kl_target_) beta_ *= beta_factor;
  if (kl < kl_target_ / kl_slack) beta_ /= beta_factor;
}

// REINFORCE on the square root of the cost with a moving baseline; late failures are ignored.
void SoftmaxAgent::learn_by_gradient(std::vector<Sample> samples) {
  if (seen_ > failures_until_)
    std::erase_if(samples, [](const Sample& sample) { return !sample.ran; });
  if (samples.empty()) return;
  std::vector<double> weights;
  double mean = 0;
  for (const Sample& sample : samples) {
    weights.push_back(std::sqrt(sample.cost_ms / one_device_ms_));
    mean += weights.back() / static_cast<double>(samples.size());
  }
  if (baseline_ < 0) baseline_ = mean;
  for (double& weight : weights)
    weight = (baseline_ - weight) / static_cast<double>(samples.size());
  const auto gradient = log_probability_gradient(placements_of(samples), weights, policy_);
  adam_.step(policy_.logits(), gradient, -learning_rate_);
  policy_.refresh();
  baseline_ = baseline_decay_ * baseline_ + (1 - baseline_decay_) * mean;
}

Json SoftmaxAgent::state() const {
  return {{"seen", seen_},         {"logits", policy_.logits()}, {"beta", beta_},
          {"baseline", baseline_}, {"window", json_of(window_)}, {"adam", adam_.state()}};
}

Status SoftmaxAgent::restore(const Json& state) {
  JsonState reader(state);
  std::vector<double> logits;
  Json window;
  Json adam;
  reader.read("logits", logits).read("window", window).read("adam", adam);
  reader.read("seen", seen_).read("beta", beta_).read("baseline", baseline_);
  if (!reader.sound()) return reader.status();
  if (logits.size() != policy_.logits().size())
    return refuse(Code::invalid, "it is of another number of groups or devices");
  auto samples = read_samples(window, static_cast<std::size_t>(policy_.groups()),
                              static_cast<std::size_t>(policy_.devices()));
  reader.require("window", samples.has_value());
  reader.require("adam", adam_.restore(adam, logits.size()));
  if (!reader.sound()) return reader.status();
  policy_.logits() = std::move(logits);
  policy_.refresh();
  window_ = *std::move(samples);
  return Done{};
}

}  // namespace hone::trainers
