#include "worker/train/value/q_loss.hpp"

#include <algorithm>
#include <cmath>

namespace hone::q {
namespace {

double output_of(const dense::Heads& outputs, int output, int row) {
  return outputs.data[output * outputs.stride + row];
}

double mean_advantage(const dense::Heads& outputs, int row) {
  double sum = 0;
  for (int a = 0; a < outputs.actions; ++a) sum += output_of(outputs, a, row);
  return sum / outputs.actions;
}

// What is added to each action's output.
double offset_of(const dense::Heads& outputs, int row, bool dueling) {
  return dueling ? output_of(outputs, outputs.actions, row) - mean_advantage(outputs, row) : 0;
}

}  // namespace

void q_values(const dense::Heads& outputs, int row, bool dueling, std::span<double> out) {
  const double offset = offset_of(outputs, row, dueling);
  for (int a = 0; a < outputs.actions; ++a)
    out[static_cast<std::size_t>(a)] = output_of(outputs, a, row) + offset;
}

std::int32_t greedy_action(const dense::Heads& outputs, int row) {
  std::int32_t best = 0;
  for (std::int32_t a = 1; a < outputs.actions; ++a)
    if (output_of(outputs, a, row) > output_of(outputs, best, row)) best = a;
  return best;
}

QLossSums q_loss(const QLossPlan& plan) {
  const auto& outputs = plan.outputs;
  QLossSums sums;
  for (int row = 0; row < outputs.rows; ++row) {
    const auto action = plan.actions[row];
    const double q = output_of(outputs, action, row) + offset_of(outputs, row, plan.dueling);
    const double error = plan.targets[row] - q;
    const double weight = plan.weights[row];
    const double slope = plan.bound > 0 ? std::clamp(error, -plan.bound, plan.bound) : error;
    const double push = -weight * slope / outputs.rows;  // d loss / d Q
    const auto put = [&](int output, double value) {
      plan.gradient[output * outputs.stride + row] = static_cast<float>(value);
    };
    const double shared = plan.dueling ? push / outputs.actions : 0;
    for (int a = 0; a < outputs.actions; ++a) put(a, (a == action ? push : 0) - shared);
    put(outputs.actions, plan.dueling ? push : 0);
    plan.errors[row] = static_cast<float>(error);
    sums.loss += weight * slope * (error - slope / 2);
    sums.value += q;
  }
  return sums;
}

}  // namespace hone::q
