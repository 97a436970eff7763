// The cross-entropy method (Rubinstein, 1999) and REINFORCE (Williams, 1992) on environments
// with discrete actions. A run on CartPole takes seconds.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "worker/train/run/trainer.hpp"

namespace hone::trainers::episodic {

Result<std::unique_ptr<Trainer>> make_cem(const TrainingJob& job);
Result<std::unique_ptr<Trainer>> make_reinforce(const TrainingJob& job);
Result<Evaluation> evaluate(const EvaluationPlan& plan);

// The value below which `percent` of the values are, interpolated linearly between neighbours.
// Precondition: values is not empty.
double percentile(std::vector<double> values, double percent);

// sum_k gamma^k r_{t+k}, for each t.
std::vector<double> discounted(std::span<const double> rewards, double gamma);

}  // namespace hone::trainers::episodic
