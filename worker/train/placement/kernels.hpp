// The work that devices of this machine do in a real step; kernels_torch.cpp does it with libtorch.
#pragma once

#include <string>

namespace hone::trainers {

// One of the two is 0: a task is limited by arithmetic or by memory.
struct RealWork {
  double flop = 0;   // products of matrices
  double bytes = 0;  // read and written
};

// Devices and tensors are numbered from 0. Tensors are made and removed while no step runs. During
// a step each thread may use tensors that no other thread uses at that time.
class Kernels {
 public:
  Kernels() = default;
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;
  virtual ~Kernels() = default;

  [[nodiscard]] virtual int devices() const = 0;
  [[nodiscard]] virtual std::string name(int device) const = 0;

  // Called first by the thread that works for this device; that of a CPU is pinned to one core.
  virtual void enter(int /*device*/) {}

  // Blocks until the work is done. One thread for each device.
  virtual void work(int device, const RealWork& work) = 0;

  virtual int make_tensor(int device, double bytes) = 0;  // of at least one number
  virtual void forget_tensors() = 0;
  // Copies the first tensor to the second, on any devices. Blocks until the copy is complete.
  virtual void copy(int from, int to) = 0;
  // The first number of a tensor, by which a run checks that all data arrived.
  virtual void put(int tensor, float number) = 0;
  virtual float get(int tensor) = 0;
};

}  // namespace hone::trainers
