#include "worker/train/nn/device_torch.hpp"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "worker/train/nn/device_layers.hpp"

namespace hone::nn {
namespace {

// The number of rows that a batch is padded to: 16, 32, 48, 64, 96, 128, 192, ... At most a third
// is wasted, and few sizes are recorded.
std::int64_t padded_rows(int rows, int rows_max) {
  constexpr auto line = static_cast<std::int64_t>(dense::line_floats);
  std::int64_t size = line;
  while (size < rows) size = size % 3 == 0 ? size / 3 * 4 : std::max(size + line, size / 2 * 3);
  return std::min(size,
                  static_cast<std::int64_t>(dense::padded(static_cast<std::size_t>(rows_max))));
}

// A batch of one size and what repeats its passes; empty until they have run once.
struct Pass {
  DeviceBatch batch;
  std::function<void()> forward, backward;
};

class DeviceNetwork final : public Network {
 public:
  DeviceNetwork(const NetShape& shape, int rows_max, std::unique_ptr<DeviceQueue> queue)
      : Network(0),  // input() is overridden
        shape_(shape),
        rows_max_(rows_max),
        queue_(std::move(queue)),
        layers_(shape, queue_->device()),
        staged_(at::zeros({padded_rows(rows_max, rows_max), shape.input_floats()}, queue_->host())),
        observations_(at::zeros(staged_.sizes(), queue_->device())),
        host_outputs_(at::zeros({shape.outputs() * staged_.size(0)}, queue_->host())),
        host_slopes_(at::zeros(host_outputs_.sizes(), queue_->host())),
        host_gradient_(at::zeros(layers_.gradient().sizes(), queue_->host())) {
    queue_->wait();
  }

  float* input() override { return staged_.data_ptr<float>(); }

  dense::Heads forward(const WeightView& weights, const float* observations, int rows) override {
    const at::NoGradGuard no_autograd;
    take_weights(weights);
    if (observations != input())
      std::copy_n(observations, static_cast<std::ptrdiff_t>(rows) * staged_.size(1), input());
    rows_ = rows;
    now_ = &pass_of(rows);
    auto& batch = now_->batch;
    queue_->run([&] {
      observations_.narrow(0, 0, rows).copy_(staged_.narrow(0, 0, rows), /*non_blocking=*/true);
    });
    repeat(now_->forward, [this, &batch] { layers_.forward(batch); });
    queue_->run([&] { host(host_outputs_).copy_(batch.outputs, /*non_blocking=*/true); });
    queue_->wait();
    return {host_outputs_.data_ptr<float>(), rows, shape_.policy_outputs(),
            static_cast<int>(batch.rows)};
  }

  std::span<const float> backward(std::span<const float>, const float* output_gradient) override {
    const at::NoGradGuard no_autograd;
    auto& batch = now_->batch;
    stage_slopes(output_gradient, batch.rows);
    queue_->run([&] { batch.slopes.copy_(host(host_slopes_), /*non_blocking=*/true); });
    repeat(now_->backward, [this, &batch] { layers_.backward(batch); });
    queue_->run([&] { host_gradient_.copy_(layers_.gradient(), /*non_blocking=*/true); });
    queue_->wait();
    return {host_gradient_.data_ptr<float>(), static_cast<std::size_t>(host_gradient_.numel())};
  }

 private:
  void repeat(std::function<void()>& recorded, const std::function<void()>& work) {
    if (recorded)
      recorded();
    else
      recorded = queue_->record(work);
  }

  void take_weights(const WeightView& weights) {
    if (weights.version != 0 && weights.version == version_) return;
    version_ = weights.version;
    // The last gradient is not needed any more once the next weights are used.
    std::copy(weights.parameters.begin(), weights.parameters.end(),
              host_gradient_.data_ptr<float>());
    queue_->run([&] {
      layers_.weights().copy_(host_gradient_, /*non_blocking=*/true);
      layers_.use_weights();
    });
  }

  Pass& pass_of(int rows) {
    const auto size = padded_rows(rows, rows_max_);
    auto& pass = passes_[size];
    if (pass.batch.rows != 0) return pass;
    pass.batch.rows = size;
    pass.batch.observations = observations_.narrow(0, 0, size);
    queue_->run([&] { pass.batch.slopes = at::zeros({shape_.outputs(), size}, queue_->device()); });
    return pass;
  }

  // The rows of padding have no slope.
  void stage_slopes(const float* slopes, std::int64_t size) {
    float* out = host_slopes_.data_ptr<float>();
    for (int a = 0; a < shape_.outputs(); ++a, slopes += size)
      out = std::fill_n(std::copy_n(slopes, rows_, out), size - rows_, 0.0F);
  }

  // Those of the batch of now.
  [[nodiscard]] at::Tensor host(const at::Tensor& buffer) const {
    const auto size = now_->batch.rows;
    return buffer.narrow(0, 0, shape_.outputs() * size).view({shape_.outputs(), size});
  }

  NetShape shape_;
  int rows_max_;
  std::unique_ptr<DeviceQueue> queue_;
  DeviceLayers layers_;
  at::Tensor staged_, observations_;
  at::Tensor host_outputs_, host_slopes_, host_gradient_;
  std::map<std::int64_t, Pass> passes_;
  Pass* now_ = nullptr;
  int rows_ = 0;
  std::uint64_t version_ = 0;
};

}  // namespace

std::unique_ptr<Network> make_device_network(const NetShape& shape, int rows_max,
                                             std::unique_ptr<DeviceQueue> queue) {
  return std::make_unique<DeviceNetwork>(shape, rows_max, std::move(queue));
}

NetworkMaker cuda_maker(const DeviceChoices& choices) {
  // What hone lets a run take of a GPU that it shares.
  if (const char* bytes = std::getenv("HONE_GPU_MEMORY"))
    bound_memory(std::strtoull(bytes, nullptr, 10));
  at::globalContext().setAllowTF32CuDNN(choices.tf32);
  at::globalContext().setAllowTF32CuBLAS(choices.tf32);
  return {[choices](const NetShape& shape, int rows_max) {
    return make_device_network(shape, rows_max, make_cuda_queue(choices));
  }};
}

}  // namespace hone::nn
