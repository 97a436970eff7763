#include "worker/train/nn/device_queue.hpp"

#ifndef HONE_CUDA
#include <stdexcept>
#endif

namespace hone::nn {
namespace {

class CpuQueue final : public DeviceQueue {
 public:
  [[nodiscard]] at::TensorOptions device() const override { return {at::kFloat}; }
  [[nodiscard]] at::TensorOptions host() const override { return {at::kFloat}; }
  void run(const std::function<void()>& work) override { work(); }
  std::function<void()> record(const std::function<void()>& work) override {
    work();
    return work;
  }
  void wait() override {}
};

}  // namespace

std::unique_ptr<DeviceQueue> make_cpu_queue() { return std::make_unique<CpuQueue>(); }

#ifndef HONE_CUDA  // else device_cuda.cpp has them
bool has_cuda() { return false; }
void bound_memory(std::uint64_t) {}
std::unique_ptr<DeviceQueue> make_cuda_queue(const DeviceChoices&) {
  throw std::logic_error("this libtorch has no CUDA");
}
#endif

}  // namespace hone::nn
