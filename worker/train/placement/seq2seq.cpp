#include "worker/train/placement/seq2seq.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/in_parallel.hpp"

namespace hone::trainers {
namespace {

constexpr double clip_norm = 1;

void clip(Vector& gradient) {
  double square = 0;
  for (const double x : gradient) square += x * x;
  const double norm = std::sqrt(square);
  if (norm > clip_norm)
    for (double& x : gradient) x *= clip_norm / norm;
}

}  // namespace

Seq2SeqAgent::Seq2SeqAgent(const AgentPlan& plan)
    : network_(plan),
      groups_(static_cast<std::size_t>(plan.problem.groups)),
      devices_(static_cast<std::size_t>(plan.problem.devices())),
      entropy_weight_(plan.settings.real("entropy")),
      learning_rate_(plan.settings.real("learning_rate")),
      baseline_decay_(plan.settings.real("baseline_decay")),
      one_device_ms_(plan.problem.one_device_ms),
      update_every_(static_cast<std::size_t>(plan.settings.integer("update_every"))),
      threads_(static_cast<std::size_t>(plan.settings.integer("threads"))),
      failures_until_(plan.settings.integer("failures_until")),
      weights_(network_.initial_weights()),
      controllers_(static_cast<std::size_t>(plan.settings.integer("controllers")),
                   Controller{weights_}) {
  if (learning_rate_ == 0) learning_rate_ = 0.003;
}

const Seq2SeqAgent::Controller& Seq2SeqAgent::controller_of(std::size_t position) const {
  return controllers_[position / update_every_ % controllers_.size()];
}

int Seq2SeqAgent::wanted() const {
  return static_cast<int>(update_every_ * controllers_.size() - batch_.size());
}

placement::Placement Seq2SeqAgent::sample(placement::RandomGenerator& generator) {
  auto drawn = network_.draw(controller_of(batch_.size()).weights, &generator);
  sampled_ = drawn.log_probability;
  return std::move(drawn.placement);
}

// Several controllers draw in parallel, with a random generator for each placement.
std::vector<placement::Placement> Seq2SeqAgent::draw(int count,
                                                     placement::RandomGenerator& generator) {
  if (controllers_.size() == 1) return Agent::draw(count, generator);
  std::vector<placement::RandomGenerator> own;
  for (int i = 0; i < count; ++i) own.emplace_back(generator.bits());
  std::vector<placement::Placement> drawn(own.size());
  in_parallel(threads_, own.size(), [&](std::size_t, std::size_t i) {
    drawn[i] = network_.draw(controller_of(batch_.size() + i).weights, &own[i]).placement;
  });
  return drawn;
}

placement::Placement Seq2SeqAgent::greedy() { return network_.draw(weights_, nullptr).placement; }

double Seq2SeqAgent::entropy() {
  if (devices_ == 1) return 0;
  const double most = static_cast<double>(groups_) * std::log(static_cast<double>(devices_));
  return network_.draw(weights_, nullptr).entropy / most;
}

void Seq2SeqAgent::observe(const Sample& sample) {
  ++seen_;
  batch_.push_back(sample);
  if (wanted() > 0) return;
  learn();
  batch_.clear();
}

// Empty: the controller has nothing to learn from. Late failures are ignored: one of them could
// destroy a policy that has nearly converged.
Vector Seq2SeqAgent::gradient_of(std::size_t index) {
  Controller& controller = controllers_[index];
  const auto begin = batch_.begin() + static_cast<std::ptrdiff_t>(index * update_every_);
  std::vector<Sample> samples(begin, begin + static_cast<std::ptrdiff_t>(update_every_));
  if (seen_ > failures_until_)
    std::erase_if(samples, [](const Sample& sample) { return !sample.ran; });
  if (samples.empty()) return {};
  const auto count = static_cast<double>(samples.size());
  double mean = 0;
  for (const Sample& sample : samples) mean += std::sqrt(sample.cost_ms / one_device_ms_) / count;
  if (controller.baseline < 0) controller.baseline = mean;
  Vector sum(weights_.size(), 0);
  const double bonus = entropy_weight_ / static_cast<double>(groups_) / count;
  for (const Sample& sample : samples) {
    const double cost = std::sqrt(sample.cost_ms / one_device_ms_);
    const double advantage = (controller.baseline - cost) / count;
    const Vector part = network_.gradient(controller.weights, sample.placement, advantage, bonus);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
  }
  clip(sum);
  controller.baseline = baseline_decay_ * controller.baseline + (1 - baseline_decay_) * mean;
  return sum;
}

void Seq2SeqAgent::learn() {
  std::vector<Vector> gradients(controllers_.size());
  in_parallel(threads_, gradients.size(),
              [&](std::size_t, std::size_t i) { gradients[i] = gradient_of(i); });
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].empty()) adam_.step(weights_, gradients[i], -learning_rate_);
    controllers_[i].weights = weights_;
  }
}

Json Seq2SeqAgent::state() const {
  Json state{{"seen", seen_},
             {"weights", weights_},
             {"adam", adam_.state()},
             {"baseline", controllers_.front().baseline},
             {"batch", json_of(batch_)}};
  if (controllers_.size() == 1) return state;  // its copy is the shared weights
  state["copies"] = Json::array();
  state["baselines"] = Json::array();
  for (const Controller& controller : controllers_) {
    state["copies"].push_back(controller.weights);
    state["baselines"].push_back(controller.baseline);
  }
  return state;
}

Status Seq2SeqAgent::restore(const Json& state) {
  JsonState reader(state);
  Vector weights;
  Json batch;
  Json adam;
  std::vector<double> baselines(1);
  reader.read("weights", weights).read("batch", batch).read("adam", adam);
  reader.read("seen", seen_).read("baseline", baselines.front());
  std::vector<Vector> copies{weights};
  if (controllers_.size() > 1) reader.read("copies", copies).read("baselines", baselines);
  if (!reader.sound()) return reader.status();
  if (weights.size() != weights_.size())
    return refuse(Code::invalid, "it is of another width or number of devices");
  auto samples = read_samples(batch, groups_, devices_);
  reader.require("batch", samples && samples->size() < update_every_ * controllers_.size());
  reader.require("adam", adam_.restore(adam, weights.size()));
  reader.require("baselines", baselines.size() == controllers_.size());
  const auto fits = [&](const Vector& copy) { return copy.size() == weights.size(); };
  reader.require("copies", copies.size() == controllers_.size() &&
                               std::all_of(copies.begin(), copies.end(), fits));
  if (!reader.sound()) return reader.status();
  weights_ = std::move(weights);
  batch_ = *std::move(samples);
  for (std::size_t i = 0; i < controllers_.size(); ++i)
    controllers_[i] = {std::move(copies[i]), baselines[i]};
  return Done{};
}

}  // namespace hone::trainers
