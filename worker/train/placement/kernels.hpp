// What a device of this machine does when it runs for real. kernels_torch.cpp does it with
// libtorch.
#pragma once

#include <string>

namespace hone::trainers {

// One of the two is 0: a task is bound by arithmetic or by memory.
struct RealWork {
  double flop = 0;   // products of matrices
  double bytes = 0;  // read and written
};

// Devices and tensors are numbered from 0. Tensors are made and forgotten while nothing runs;
// otherwise each thread may call for tensors that no other uses at that time.
class Kernels {
 public:
  Kernels() = default;
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;
  virtual ~Kernels() = default;

  [[nodiscard]] virtual int devices() const = 0;
  [[nodiscard]] virtual std::string name(int device) const = 0;

  // The thread that will work for this device says so first: a processor's stays on one core.
  virtual void enter(int /*device*/) {}

  // Returns when it is done. One thread a device.
  virtual void work(int device, const RealWork& work) = 0;

  virtual int make_tensor(int device, double bytes) = 0;  // of at least one number
  virtual void forget_tensors() = 0;
  // Fills the second, wherever the two are; returns when it is there.
  virtual void copy(int from, int to) = 0;
  // The first number of a tensor: what tells that everything came along.
  virtual void put(int tensor, float number) = 0;
  virtual float get(int tensor) = 0;
};

}  // namespace hone::trainers
