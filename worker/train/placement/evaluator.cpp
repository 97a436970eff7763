#include "worker/train/placement/evaluator.hpp"

#include <algorithm>
#include <thread>

namespace hone::trainers {
namespace {

// Starting a thread costs about as much as simulating this many tasks.
constexpr std::size_t tasks_per_thread = 4000;

}  // namespace

Evaluator::Evaluator(const placement::Problem& problem, int threads) : problem_(problem) {
  for (int i = 0; i < threads; ++i)
    simulators_.push_back(std::make_unique<placement::Simulator>(problem));
}

std::vector<Sample> Evaluator::evaluate(std::vector<placement::Placement> placements) {
  std::vector<Sample> samples;
  for (auto& placed : placements) samples.push_back({std::move(placed)});
  const std::size_t tasks = samples.size() * static_cast<std::size_t>(problem_.tasks);
  const std::size_t threads =
      std::clamp<std::size_t>(tasks / tasks_per_thread, 1, simulators_.size());
  std::vector<std::jthread> others;
  for (std::size_t t = 1; t < threads; ++t)
    others.emplace_back([&, t] { evaluate_some(samples, t, threads); });
  evaluate_some(samples, 0, threads);
  others.clear();
  return samples;
}

void Evaluator::evaluate_some(std::vector<Sample>& samples, std::size_t first, std::size_t stride) {
  for (std::size_t i = first; i < samples.size(); i += stride) {
    samples[i].step_ms = simulators_[first]->step_ms(samples[i].placement);
    samples[i].ran = samples[i].step_ms < problem_.failed_ms;
  }
}

}  // namespace hone::trainers
