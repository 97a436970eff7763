#include "worker/train/placement/evaluator.hpp"

#include <algorithm>

#include "base/in_parallel.hpp"

namespace hone::trainers {
namespace {

// Starting a thread costs about as much as simulating this many tasks.
constexpr std::size_t tasks_per_thread = 4000;

}  // namespace

Evaluator::Evaluator(const placement::Problem& problem, int threads) : problem_(problem) {
  for (int i = 0; i < threads; ++i)
    simulators_.push_back(std::make_unique<placement::Simulator>(problem));
}

std::vector<Evaluated> Evaluator::evaluate(std::vector<placement::Placement> placements) {
  std::vector<Evaluated> all(placements.size());
  const std::size_t tasks = all.size() * static_cast<std::size_t>(problem_.tasks);
  const std::size_t threads =
      std::clamp<std::size_t>(tasks / tasks_per_thread, 1, simulators_.size());
  in_parallel(threads, all.size(), [&](std::size_t thread, std::size_t i) {
    const placement::Cost cost = simulators_[thread]->cost(placements[i]);
    all[i] = {{std::move(placements[i]), cost.total_ms, cost.step_ms < problem_.failed_ms}, cost};
  });
  return all;
}

}  // namespace hone::trainers
