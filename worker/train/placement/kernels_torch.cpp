// Real devices on libtorch: GPUs first, then CPUs of one thread each. Part of the module that is
// loaded on demand.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <sched.h>
#include <torch/cuda.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "worker/train/placement/kernels.hpp"

namespace hone::trainers {
namespace {

constexpr std::int64_t side = 256;              // of the right matrix
constexpr std::int64_t rows_max = 1024;         // of the left matrix, in one product
constexpr std::int64_t stream_max = 8'388'608;  // numbers: more than a cache holds

// A device. The main thread makes its buffers, and the thread of the device uses them.
struct RealDevice {
  at::Device place;
  at::Tensor left, right, product, source, sink;

  explicit RealDevice(at::Device where) : place(where) {
    const auto options = at::TensorOptions(at::kFloat).device(where);
    left = at::ones({rows_max, side}, options);
    right = at::full({side, side}, 1.0F / side, options);
    product = at::zeros({rows_max, side}, options);
    source = at::ones({stream_max}, options);
    sink = at::zeros({stream_max}, options);
  }

  void multiply(double flop) {
    auto rows = static_cast<std::int64_t>(std::ceil(flop / (2.0 * side * side)));
    for (; rows > 0; rows -= rows_max) {
      const auto now = std::min(rows, rows_max);
      auto result = product.narrow(0, 0, now);
      at::mm_out(result, left.narrow(0, 0, now), right);
    }
  }

  void stream(double bytes) {
    auto numbers = static_cast<std::int64_t>(std::ceil(bytes / (2 * sizeof(float))));
    for (; numbers > 0; numbers -= stream_max) {
      const auto now = std::min(numbers, stream_max);
      sink.narrow(0, 0, now).copy_(source.narrow(0, 0, now));
    }
  }
};

class TorchKernels final : public Kernels {
 public:
  TorchKernels(int accelerators, int processors) {
    const int gpus = static_cast<int>(torch::cuda::device_count());
    for (int d = 0; d < accelerators; ++d)
      devices_.emplace_back(d < gpus ? at::Device(at::kCUDA, static_cast<at::DeviceIndex>(d))
                                     : at::Device(at::kCPU));
    for (int d = 0; d < processors; ++d) devices_.emplace_back(at::Device(at::kCPU));
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    for (std::size_t core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &allowed)) cores_.push_back(core);
  }

  [[nodiscard]] int devices() const override { return static_cast<int>(devices_.size()); }
  [[nodiscard]] std::string name(int device) const override {
    return devices_[static_cast<std::size_t>(device)].place.str();
  }

  // The operating system would run a thread on the core of the thread that woke it: two devices on
  // one core. If pinning is not allowed, that remains so.
  void enter(int device) override {
    if (!devices_[static_cast<std::size_t>(device)].place.is_cpu() || cores_.empty()) return;
    const auto before = std::count_if(devices_.begin(), devices_.begin() + device,
                                      [](const RealDevice& other) { return other.place.is_cpu(); });
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cores_[static_cast<std::size_t>(before) % cores_.size()], &one);
    sched_setaffinity(0, sizeof one, &one);
  }

  void work(int device, const RealWork& work) override {
    const at::NoGradGuard no_autograd;
    auto& real = devices_[static_cast<std::size_t>(device)];
    real.multiply(work.flop);
    real.stream(work.bytes);
    wait_for(real.place);
  }

  int make_tensor(int device, double bytes) override {
    const auto numbers = std::max<std::int64_t>(1, std::llround(bytes / sizeof(float)));
    const auto place = devices_[static_cast<std::size_t>(device)].place;
    tensors_.push_back(at::zeros({numbers}, at::TensorOptions(at::kFloat).device(place)));
    return static_cast<int>(tensors_.size()) - 1;
  }
  void forget_tensors() override { tensors_.clear(); }

  void copy(int from, int to) override {
    const at::NoGradGuard no_autograd;
    auto& target = tensor(to);
    const auto& source = tensor(from);
    const auto count = std::min(source.numel(), target.numel());
    target.narrow(0, 0, count).copy_(source.narrow(0, 0, count));
    wait_for(source.device());
    wait_for(target.device());
  }

  void put(int tensor_index, float number) override {
    auto& target = tensor(tensor_index);
    if (target.is_cpu())
      *target.data_ptr<float>() = number;
    else
      target.narrow(0, 0, 1).fill_(number);
  }
  float get(int tensor_index) override {
    const auto& source = tensor(tensor_index);
    return source.is_cpu() ? *source.data_ptr<float>() : source.narrow(0, 0, 1).item<float>();
  }

 private:
  static void wait_for(const at::Device& place) {
    if (place.is_cuda()) torch::cuda::synchronize(place.index());
  }
  at::Tensor& tensor(int index) { return tensors_[static_cast<std::size_t>(index)]; }

  std::vector<RealDevice> devices_;
  std::vector<std::size_t> cores_;  // that this process may use
  std::vector<at::Tensor> tensors_;
};

}  // namespace
}  // namespace hone::trainers

// The function that measure.cpp looks up.
extern "C" hone::trainers::Kernels* hone_torch_kernels(int accelerators, int processors) {
  return std::make_unique<hone::trainers::TorchKernels>(accelerators, processors).release();
}
