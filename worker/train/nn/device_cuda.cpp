// Streams and graphs of CUDA. Compiled where libtorch has CUDA.
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/cuda.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "worker/train/nn/device_queue.hpp"

namespace hone::nn {
namespace {

// Libraries choose algorithms and allocate in the first calls, which must not be recorded.
constexpr int warm_up_runs = 2;

// What a process takes besides what it allocates: its CUDA context and libraries. An upper bound,
// measured with a tiny network on an H100 (docs/gpu.md).
constexpr std::uint64_t context_bytes = 895ULL << 20U;

// Within a process, only one recording may be under way (PyTorch's notes on CUDA graphs).
std::mutex& recording() {
  static std::mutex mutex;
  return mutex;
}

class CudaQueue final : public DeviceQueue {
 public:
  explicit CudaQueue(const DeviceChoices& choices)
      : choices_(choices),
        stream_(choices.streams ? c10::cuda::getStreamFromPool()
                                : c10::cuda::getDefaultCUDAStream()) {}

  [[nodiscard]] at::TensorOptions device() const override {
    return at::TensorOptions(at::kFloat).device(at::kCUDA);
  }
  [[nodiscard]] at::TensorOptions host() const override {
    return at::TensorOptions(at::kFloat).pinned_memory(choices_.pinned);
  }

  void run(const std::function<void()>& work) override {
    const c10::cuda::CUDAStreamGuard on_stream(stream_);
    work();
  }

  std::function<void()> record(const std::function<void()>& work) override {
    if (!choices_.graphs) {
      run(work);
      return [this, work] { run(work); };
    }
    const std::scoped_lock lock(recording());
    const c10::cuda::CUDAStreamGuard on_stream(stream_);
    for (int i = 0; i < warm_up_runs; ++i) work();
    stream_.synchronize();
    auto graph = std::make_shared<at::cuda::CUDAGraph>();
    // Other threads may allocate meanwhile.
    graph->capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
    work();
    graph->capture_end();
    graph->replay();
    return [this, graph = std::move(graph)] {
      const c10::cuda::CUDAStreamGuard again(stream_);
      graph->replay();
    };
  }

  void wait() override { stream_.synchronize(); }

 private:
  DeviceChoices choices_;
  c10::cuda::CUDAStream stream_;
};

}  // namespace

bool has_cuda() { return torch::cuda::is_available(); }

void bound_memory(std::uint64_t bytes) {
  const auto total = at::cuda::getCurrentDeviceProperties()->totalGlobalMem;
  const auto left = static_cast<double>(bytes > context_bytes ? bytes - context_bytes : 0);
  c10::cuda::CUDACachingAllocator::setMemoryFraction(
      std::min(1.0, left / static_cast<double>(total)), c10::cuda::current_device());
}

std::unique_ptr<DeviceQueue> make_cuda_queue(const DeviceChoices& choices) {
  return std::make_unique<CudaQueue>(choices);
}

}  // namespace hone::nn
