// The parameters of a network: their first values, their order in files and in memory.
#include <gtest/gtest.h>

#include "worker/train/nn/network.hpp"

namespace hone::rl {
namespace {

TEST(Weights, start_with_a_nearly_uniform_policy) {
  const nn::NetShape shape{4, 128, 2};
  const auto weights = first_weights(shape, nn::WeightStart::scaled, 1);
  EXPECT_EQ(weights, first_weights(shape, nn::WeightStart::scaled, 1));
  EXPECT_NE(weights, first_weights(shape, nn::WeightStart::scaled, 2));
  const auto network = make_own_network(shape, 1);
  const std::vector<float> observation{0.1F, -0.2F, 0.05F, 0.3F};
  const auto packed = pack(shape, weights);
  const auto heads = network->forward(packed, observation.data(), 1);
  EXPECT_NEAR(heads.data[0], heads.data[heads.stride], 0.05);
}

TEST(Weights, start_parity_within_the_published_bounds) {
  const nn::NetShape shape{4, 100, 2};
  const auto weights = first_weights(shape, nn::WeightStart::uniform, 1);
  for (const auto& named : net_parts(shape)) {
    const double bound = named.name.starts_with("hidden") ? 0.5 : 0.1;
    for (std::size_t i = 0; i < named.size; ++i)
      EXPECT_LE(std::abs(weights[named.offset + i]), bound) << named.name;
  }
}

TEST(Weights, come_back_from_the_packed_order) {
  for (const auto& shape :
       {nn::NetShape{4, 128, 2}, nn::NetShape{5, 7, 3, nn::Activation::relu, 3}}) {
    const auto weights = first_weights(shape, nn::WeightStart::uniform, 1);
    const auto packed = pack(shape, weights);
    EXPECT_EQ(packed.size() % dense::line_floats, 0U);
    EXPECT_EQ(unpack(shape, packed), weights);
  }
}

// The whole gradient of a network by differences, for a machine without libtorch.
TEST(Weights, slope_is_what_the_network_says) {
  const nn::NetShape shape{3, 6, 2, nn::Activation::tanh, 2};
  auto weights = first_weights(shape, nn::WeightStart::uniform, 1);
  const std::vector<float> observations{0.3F, -0.2F, 0.9F, -1.0F, 0.5F, 0.1F};
  constexpr int rows = 2;
  const auto network = make_own_network(shape, rows);
  const auto total = [&](const std::vector<float>& values) {  // of all outputs
    const auto packed = pack(shape, values);
    const auto heads = network->forward(packed, observations.data(), rows);
    double sum = 0;
    for (int a = 0; a <= shape.actions; ++a)
      for (int row = 0; row < rows; ++row) sum += heads.data[a * heads.stride + row];
    return sum;
  };
  const auto packed = pack(shape, weights);
  const auto heads = network->forward(packed, observations.data(), rows);
  const dense::Floats back(static_cast<std::size_t>(heads.stride * (shape.actions + 1)), 1.0F);
  const auto gradient = unpack(shape, network->backward(packed, back.data()));
  constexpr float nudge = 1e-2F;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    auto up = weights;
    auto down = weights;
    up[i] += nudge;
    down[i] -= nudge;
    EXPECT_NEAR(gradient[i], (total(up) - total(down)) / (2 * nudge), 1e-3) << i;
  }
}

}  // namespace
}  // namespace hone::rl
