// The written-out passes of the network against autograd.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "worker/envs/stream.hpp"
#include "worker/trainers/ga3c/network.hpp"

namespace hone::ga3c {
namespace {

std::vector<float> noise(std::size_t count, std::uint64_t seed) {
  envs::Stream dice(seed, envs::Purpose::weights, 0);
  std::vector<float> values(count);
  for (auto& value : values) value = static_cast<float>(dice.normal());
  return values;
}

at::Tensor part(const std::vector<float>& weights, const NetShape& shape, const std::string& name) {
  for (const auto& candidate : net_parts(shape)) {
    if (candidate.name != name) continue;
    std::vector<std::int64_t> sizes(candidate.shape.begin(), candidate.shape.end());
    return at::tensor(at::ArrayRef<float>(weights.data() + candidate.offset, candidate.size))
        .reshape(sizes);
  }
  ADD_FAILURE() << "no part " << name;
  return {};
}

void expect_same(std::span<const float> ours, const at::Tensor& reference) {
  const auto flat = reference.contiguous();
  ASSERT_EQ(static_cast<std::int64_t>(ours.size()), flat.numel());
  for (std::size_t i = 0; i < ours.size(); ++i)
    EXPECT_NEAR(ours[i], flat.data_ptr<float>()[i], 1e-4) << i;
}

class Passes : public testing::TestWithParam<std::tuple<int, Activation>> {};

TEST_P(Passes, agree_with_autograd) {
  const auto [rows, activation] = GetParam();
  const NetShape shape{5, 24, 3, activation};
  const auto weights = noise(parameter_count(shape), 1);
  const auto observations = noise(static_cast<std::size_t>(rows * shape.inputs), 2);
  const auto output_gradient = noise(static_cast<std::size_t>(rows * (shape.actions + 1)), 3);

  std::vector<at::Tensor> leaves;
  for (const auto& named : net_parts(shape))
    leaves.push_back(part(weights, shape, named.name).set_requires_grad(true));
  const auto x = at::tensor(observations).reshape({rows, shape.inputs});
  const auto inner = at::linear(x, leaves[0], leaves[1]);
  const auto hidden = activation == Activation::tanh ? at::tanh(inner) : at::relu(inner);
  const auto outputs = at::cat(
      {at::linear(hidden, leaves[2], leaves[4]), at::linear(hidden, leaves[3], leaves[5])}, 1);
  const auto back = at::tensor(output_gradient).reshape({rows, shape.actions + 1});
  const auto gradients = torch::autograd::grad({outputs}, leaves, {back});

  const auto network = make_mlp(shape, 64);
  expect_same(network->forward(weights, observations.data(), rows), outputs.detach());
  const auto ours = network->backward(weights, output_gradient);
  const auto parts = net_parts(shape);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    SCOPED_TRACE(parts[i].name);
    expect_same(ours.subspan(parts[i].offset, parts[i].size), gradients[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, Passes,
                         testing::Combine(testing::Values(1, 2, 17, 64),
                                          testing::Values(Activation::relu, Activation::tanh)));

TEST(Network, answers_each_batch_by_its_own_weights) {
  const NetShape shape{4, 8, 2};
  const auto first = noise(parameter_count(shape), 1);
  const auto second = noise(parameter_count(shape), 2);
  const auto observations = noise(4 * 3, 3);
  const auto network = make_mlp(shape, 3);
  const auto copy = [](std::span<const float> values) {
    return std::vector<float>(values.begin(), values.end());
  };
  const auto by_first = copy(network->forward(first, observations.data(), 3));
  EXPECT_NE(copy(network->forward(second, observations.data(), 3)), by_first);
  EXPECT_EQ(copy(network->forward(first, observations.data(), 3)), by_first);
}

TEST(Network, starts_with_a_nearly_uniform_policy) {
  const NetShape shape{4, 128, 2};
  const auto weights = first_weights(shape, WeightStart::scaled, 1);
  EXPECT_EQ(weights, first_weights(shape, WeightStart::scaled, 1));
  EXPECT_NE(weights, first_weights(shape, WeightStart::scaled, 2));
  const auto network = make_mlp(shape, 1);
  const std::vector<float> observation{0.1F, -0.2F, 0.05F, 0.3F};
  const auto outputs = network->forward(weights, observation.data(), 1);
  EXPECT_NEAR(outputs[0], outputs[1], 0.05);
}

TEST(Network, starts_parity_within_the_published_bounds) {
  const NetShape shape{4, 100, 2};
  const auto weights = first_weights(shape, WeightStart::uniform, 1);
  for (const auto& named : net_parts(shape)) {
    const double bound = named.name.starts_with("hidden") ? 0.5 : 0.1;
    for (std::size_t i = 0; i < named.size; ++i)
      EXPECT_LE(std::abs(weights[named.offset + i]), bound) << named.name;
  }
}

}  // namespace
}  // namespace hone::ga3c
