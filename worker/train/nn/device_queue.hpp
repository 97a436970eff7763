// Where the passes of a network run: on the thread of the caller, or on a stream of a GPU. Includes
// ATen: only for files of the module that is loaded on demand.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <memory>

#include "worker/train/nn/device_choices.hpp"

namespace hone::nn {

// Used by one thread at a time, together with the tensors of its network.
class DeviceQueue {
 public:
  DeviceQueue() = default;
  DeviceQueue(const DeviceQueue&) = delete;
  DeviceQueue& operator=(const DeviceQueue&) = delete;
  virtual ~DeviceQueue() = default;

  // Options of tensors on the device, and of those through which the host exchanges data with it.
  [[nodiscard]] virtual at::TensorOptions device() const = 0;
  [[nodiscard]] virtual at::TensorOptions host() const = 0;

  // Runs the work: on a GPU, puts what it computes into the queue.
  virtual void run(const std::function<void()>& work) = 0;
  // Runs the work, which reads and writes tensors of fixed addresses, and returns what repeats it.
  // What the work allocates must live as long as the result.
  virtual std::function<void()> record(const std::function<void()>& work) = 0;
  // Blocks until everything in the queue is done.
  virtual void wait() = 0;
};

std::unique_ptr<DeviceQueue> make_cpu_queue();
// Precondition: has_cuda().
std::unique_ptr<DeviceQueue> make_cuda_queue(const DeviceChoices& choices);

// Whether this libtorch supports CUDA and sees a GPU.
bool has_cuda();

// Lets this process take at most so many bytes of the GPU, those of its context included: further
// allocations fail with "CUDA out of memory". Precondition: has_cuda().
void bound_memory(std::uint64_t bytes);

}  // namespace hone::nn
