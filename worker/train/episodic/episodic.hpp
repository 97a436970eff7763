// Two simple agents on CartPole: the cross-entropy method and REINFORCE. A run takes seconds.
#pragma once

#include <memory>
#include <vector>

#include "worker/train/run/trainer.hpp"

namespace hone::trainers::episodic {

Result<std::unique_ptr<Trainer>> make_cem(const TrainingJob& job);
Result<std::unique_ptr<Trainer>> make_reinforce(const TrainingJob& job);
Result<Evaluation> evaluate(const EvaluationPlan& plan);

// The value with a share of the others below it, between neighbours by their distance.
double percentile(std::vector<double> values, double percent);

// sum_k gamma^k r_{t+k}, for rewards of 1.
std::vector<double> discounted(std::size_t steps, double gamma);

}  // namespace hone::trainers::episodic
