// Both implementations of the network against autograd, on one packed vector.
#include "worker/train/nn/network.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <stdexcept>

#include "worker/train/envs/core/stream.hpp"

namespace hone::nn {
namespace {

std::vector<float> noise(std::size_t count, std::uint64_t seed) {
  envs::Stream random(seed, envs::Purpose::weights, 0);
  std::vector<float> values(count);
  for (auto& value : values) value = static_cast<float>(random.normal());
  return values;
}

// The network in double precision, recorded by autograd; weights in the file's order.
struct Reference {
  std::vector<at::Tensor> leaves;
  at::Tensor outputs;  // rows x outputs

  Reference(const NetShape& shape, const std::vector<float>& weights,
            const std::vector<float>& observations) {
    for (const auto& part : net_parts(shape)) {
      const std::vector<std::int64_t> sizes(part.shape.begin(), part.shape.end());
      const at::ArrayRef<float> values(weights.data() + part.offset, part.size);
      leaves.push_back(at::tensor(values).to(at::kDouble).reshape(sizes).set_requires_grad(true));
    }
    auto x = at::tensor(observations).to(at::kDouble).reshape({-1, shape.inputs});
    if (shape.kind != NetKind::mlp) x = convolved(shape, x);
    for (int layer = 0; layer < shape.layers; ++layer) {
      const auto at_layer = static_cast<std::size_t>(2 * layer) + 2 * conv_layers(shape).size();
      x = at::linear(x, leaves[at_layer], leaves[at_layer + 1]);
      x = shape.activation == Activation::tanh ? at::tanh(x) : at::relu(x);
    }
    const auto named = [&](const char* name) -> const at::Tensor& {
      std::size_t i = 0;
      for (const auto& part : net_parts(shape)) {
        if (part.name == name) return leaves[i];
        ++i;
      }
      throw std::invalid_argument(name);
    };
    std::vector<at::Tensor> heads{at::linear(x, named("policy.weight"), named("policy.bias"))};
    if (shape.policy == Policy::squashed)
      heads.push_back(at::linear(x, named("log_deviation.weight"), named("log_deviation.bias")));
    if (shape.policy == Policy::gaussian)
      heads.push_back(named("log_deviation.bias").expand({x.size(0), shape.actions}));
    heads.push_back(at::linear(x, named("value.weight"), named("value.bias")));
    outputs = at::cat(heads, 1);
  }

  // Planes are [row][column][channel] here and [channel][row][column] in libtorch.
  [[nodiscard]] at::Tensor convolved(const NetShape& shape, const at::Tensor& observations) const {
    const auto& planes = shape.planes;
    auto x = observations.reshape({-1, planes.rows, planes.columns, planes.channels})
                 .permute({0, 3, 1, 2});
    std::size_t leaf = 0;
    for (const auto& layer : conv_layers(shape)) {
      const auto after = [&](int in, int out) {
        return std::max(0, (out - 1) * layer.stride + layer.side - in) - layer.before;
      };
      x = at::constant_pad_nd(x, {layer.before, after(layer.in.columns, layer.out.columns),
                                  layer.before, after(layer.in.rows, layer.out.rows)});
      x = at::relu(
          at::conv2d(x, leaves[leaf].permute({0, 3, 1, 2}), leaves[leaf + 1], layer.stride));
      leaf += 2;
    }
    return x.permute({0, 2, 3, 1}).flatten(1);
  }
};

// Relative to the size of the whole part: single elements may be sums that cancel.
void expect_same(std::span<const float> ours, const at::Tensor& reference) {
  const auto flat = reference.detach().contiguous();
  ASSERT_EQ(static_cast<std::int64_t>(ours.size()), flat.numel());
  const double size = flat.abs().max().item<double>();
  for (std::size_t i = 0; i < ours.size(); ++i)
    ASSERT_NEAR(ours[i], flat.data_ptr<double>()[i], 1e-5 * size) << i;
}

std::vector<float> by_rows(const dense::Heads& heads) {
  std::vector<float> values;
  for (int row = 0; row < heads.rows; ++row)
    for (int a = 0; a <= heads.actions; ++a) values.push_back(heads.data[a * heads.stride + row]);
  return values;
}

class Passes : public testing::TestWithParam<
                   std::tuple<Backend, int, std::tuple<int, int>, Activation, Policy>> {};

void expect_passes_agree_with_autograd(Backend backend, const NetShape& shape,
                                       const std::vector<float>& observations) {
  const auto weights = noise(parameter_count(shape), 1);
  const int rows = static_cast<int>(observations.size()) / shape.inputs;
  const auto packed = pack(shape, weights);
  const Reference reference(shape, weights, observations);

  const auto maker = network_maker(backend);
  if (backend == Backend::cuda && !maker.ok()) GTEST_SKIP() << maker.error().detail;
  ASSERT_TRUE(maker.ok()) << maker.error().detail;
  const auto network = maker->make(shape, 64);
  const auto heads = network->forward(packed, observations.data(), rows);
  expect_same(by_rows(heads), reference.outputs);

  const auto back = noise(static_cast<std::size_t>(heads.stride * shape.outputs()), 3);
  std::vector<float> back_by_rows;
  for (int row = 0; row < rows; ++row)
    for (int a = 0; a < shape.outputs(); ++a)
      back_by_rows.push_back(back[static_cast<std::size_t>(a * heads.stride + row)]);
  const auto gradients = torch::autograd::grad(
      {reference.outputs}, reference.leaves,
      {at::tensor(back_by_rows).to(at::kDouble).reshape({rows, shape.outputs()})});
  const auto packed_gradient = network->backward(packed, back.data());
  const auto ours = unpack(shape, packed_gradient);
  const auto parts = net_parts(shape);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    SCOPED_TRACE(parts[i].name);
    expect_same(std::span(ours).subspan(parts[i].offset, parts[i].size), gradients[i]);
  }
  EXPECT_EQ(pack(shape, ours), dense::Floats(packed_gradient.begin(), packed_gradient.end()))
      << "padding has no gradient";
}

TEST_P(Passes, agree_with_autograd) {
  const auto [backend, rows, size, activation, policy] = GetParam();
  expect_passes_agree_with_autograd(
      backend, {5, std::get<0>(size), 3, activation, std::get<1>(size), policy},
      noise(static_cast<std::size_t>(rows) * 5, 2));
}

class Convolutions
    : public testing::TestWithParam<std::tuple<NetKind, envs::Planes, int, Backend>> {};

TEST_P(Convolutions, agree_with_autograd) {
  const auto [kind, planes, rows, backend] = GetParam();
  const NetShape shape{.inputs = planes.size(),
                       .hidden = 24,
                       .actions = 3,
                       .activation = Activation::relu,
                       .kind = kind,
                       .planes = planes};
  auto observations = noise(static_cast<std::size_t>(rows * shape.inputs), 2);
  for (std::size_t i = 0; i < observations.size(); ++i)  // MinAtar's are mostly zeros
    if (shape.kind == NetKind::minatar && i % 5 != 0) observations[i] = 0;
  expect_passes_agree_with_autograd(backend, shape, observations);
}

// Bands of colour with something that moves: most squares are like others of the batch.
TEST(Published, network_agrees_with_autograd_on_screens_of_games) {
  const envs::Planes planes{84, 84, 4};
  NetShape shape{
      .inputs = planes.size(), .hidden = 24, .actions = 3, .activation = Activation::relu};
  shape.kind = NetKind::conv;
  shape.planes = planes;
  std::vector<float> observations;
  for (int row = 0; row < 5; ++row)
    for (int y = 0; y < planes.rows; ++y)
      for (int x = 0; x < planes.columns; ++x)
        for (int screen = 0; screen < planes.channels; ++screen) {
          const int ball = 9 * row + 4 * screen;
          const bool inside = std::abs(y - ball) < 3 && std::abs(x - 2 * ball) < 2;
          observations.push_back(inside ? 0.9F : 0.3F * static_cast<float>(y / 20));
        }
  expect_passes_agree_with_autograd(Backend::own, shape, observations);
}

std::string backend_name(Backend backend) {
  if (backend == Backend::own) return "own";
  return backend == Backend::torch ? "torch" : "cuda";
}

std::string convolution_name(const testing::TestParamInfo<Convolutions::ParamType>& one) {
  const auto& [kind, planes, rows, backend] = one.param;
  return backend_name(backend) + "_" + std::to_string(planes.rows) + "x" +
         std::to_string(planes.columns) + "x" + std::to_string(planes.channels) + "_" +
         std::to_string(rows) + "_rows";
}

std::string pass_name(const testing::TestParamInfo<Passes::ParamType>& one) {
  const auto& [backend, rows, hidden, activation, policy] = one.param;
  const char* const kind = policy == Policy::categorical ? "categorical"
                           : policy == Policy::gaussian  ? "gaussian"
                                                         : "squashed";
  return backend_name(backend) + "_" + std::to_string(rows) + "_rows_" +
         std::to_string(std::get<0>(hidden)) + "x" + std::to_string(std::get<1>(hidden)) + "_" +
         (activation == Activation::relu ? "relu_" : "tanh_") + kind;
}

INSTANTIATE_TEST_SUITE_P(MinAtar, Convolutions,
                         testing::Combine(testing::Values(NetKind::minatar),
                                          testing::Values(envs::Planes{10, 10, 4},
                                                          envs::Planes{10, 10, 7},
                                                          envs::Planes{5, 7, 1}),
                                          testing::Values(1, 17),
                                          testing::Values(Backend::own, Backend::torch)),
                         convolution_name);
INSTANTIATE_TEST_SUITE_P(
    Published, Convolutions,
    testing::Combine(testing::Values(NetKind::conv),
                     testing::Values(envs::Planes{84, 84, 4}, envs::Planes{21, 30, 3}),
                     testing::Values(1, 5), testing::Values(Backend::own, Backend::torch)),
    convolution_name);

TEST(Published, network_has_the_parameters_of_the_paper) {
  const envs::Planes planes{84, 84, 4};
  NetShape shape{.inputs = planes.size(), .hidden = 256, .actions = 6};
  shape.kind = NetKind::conv;
  shape.planes = planes;
  EXPECT_EQ(parameter_count(shape), 1'005'623U);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Passes,
    testing::Combine(testing::Values(Backend::own, Backend::torch), testing::Values(1, 2, 17, 64),
                     testing::Values(std::tuple(24, 1), std::tuple(16, 2), std::tuple(40, 3)),
                     testing::Values(Activation::relu, Activation::tanh),
                     testing::Values(Policy::categorical, Policy::gaussian, Policy::squashed)),
    pass_name);

// Skipped without a GPU and a libtorch that supports it.
INSTANTIATE_TEST_SUITE_P(Gpu, Passes,
                         testing::Values(std::tuple(Backend::cuda, 17, std::tuple(16, 2),
                                                    Activation::tanh, Policy::gaussian)),
                         pass_name);
INSTANTIATE_TEST_SUITE_P(Gpu, Convolutions,
                         testing::Values(std::tuple(NetKind::conv, envs::Planes{84, 84, 4}, 5,
                                                    Backend::cuda)),
                         convolution_name);

class EveryBackend : public testing::TestWithParam<Backend> {};

TEST_P(EveryBackend, answers_each_batch_by_its_own_weights) {
  const NetShape shape{4, 8, 2};
  const auto first = pack(shape, noise(parameter_count(shape), 1));
  const auto second = pack(shape, noise(parameter_count(shape), 2));
  const auto observations = noise(4 * 3, 3);
  const auto network = network_maker(GetParam())->make(shape, 3);
  const auto by_first = by_rows(network->forward(first, observations.data(), 3));
  EXPECT_NE(by_rows(network->forward(second, observations.data(), 3)), by_first);
  EXPECT_EQ(by_rows(network->forward(first, observations.data(), 3)), by_first);
}

TEST_P(EveryBackend, answers_each_version_by_its_own_weights) {
  const envs::Planes planes{21, 23, 3};
  for (const auto kind : {NetKind::mlp, NetKind::conv}) {
    NetShape shape{.inputs = planes.size(), .hidden = 24, .actions = 3, .kind = kind};
    shape.planes = planes;
    const auto first = pack(shape, noise(parameter_count(shape), 1));
    const auto second = pack(shape, noise(parameter_count(shape), 2));
    const auto network = network_maker(GetParam())->make(shape, 3);
    const auto screens = noise(static_cast<std::size_t>(3 * shape.inputs), 3);
    std::copy(screens.begin(), screens.end(), network->input());
    const auto answer = [&](const WeightView& weights) {
      return by_rows(network->forward(weights, network->input(), 3));
    };
    const auto by_first = answer({first, 1});
    EXPECT_EQ(answer({first, 1}), by_first);
    const auto by_second = answer({second, 2});
    EXPECT_NE(by_second, by_first);
    EXPECT_EQ(answer({first, 3}), by_first);
    EXPECT_EQ(answer(second), by_second) << "without a version";
    EXPECT_EQ(answer(first), by_first) << "without a version";
  }
}

TEST_P(EveryBackend, reads_bytes_as_the_numbers_they_stand_for) {
  const envs::Planes planes{21, 23, 3};
  constexpr int rows = 3;
  for (const auto kind : {NetKind::mlp, NetKind::minatar, NetKind::conv}) {
    NetShape floats{.inputs = planes.size(), .hidden = 24, .actions = 3, .kind = kind};
    floats.planes = planes;
    auto bytes = floats;
    bytes.storage = envs::Storage::bytes;
    std::vector<float> screens(static_cast<std::size_t>(rows * bytes.input_floats()));
    std::vector<float> numbers(static_cast<std::size_t>(rows * planes.size()));
    envs::Stream random(1, envs::Purpose::environment, 0);
    for (int row = 0; row < rows; ++row) {
      const auto* screen = screens.data() + row * bytes.input_floats();
      auto* pixels =
          reinterpret_cast<std::uint8_t*>(screens.data()) + 4 * row * bytes.input_floats();
      for (int i = 0; i < planes.size(); ++i) pixels[i] = static_cast<std::uint8_t>(random.bits());
      envs::read_numbers(bytes.storage, screen, planes.size(),
                         numbers.data() + row * planes.size());
    }
    const auto packed = pack(floats, noise(parameter_count(floats), 2));
    const auto back = noise(static_cast<std::size_t>(16 * floats.outputs()), 3);
    const auto by_floats = network_maker(GetParam())->make(floats, rows);
    const auto by_bytes = network_maker(GetParam())->make(bytes, rows);
    EXPECT_EQ(by_rows(by_bytes->forward(packed, screens.data(), rows)),
              by_rows(by_floats->forward(packed, numbers.data(), rows)));
    const auto gradient = by_floats->backward(packed, back.data());
    const auto same = by_bytes->backward(packed, back.data());
    EXPECT_TRUE(std::equal(gradient.begin(), gradient.end(), same.begin(), same.end()));
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, EveryBackend, testing::Values(Backend::own, Backend::torch),
                         [](const auto& one) { return backend_name(one.param); });

}  // namespace
}  // namespace hone::nn
