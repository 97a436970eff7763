// Networks of every shape on libtorch, on any of its devices. Includes ATen: only for files of the
// module that is loaded on demand.
#pragma once

#include <memory>

#include "worker/train/nn/network.hpp"

namespace hone::ga3c {

enum class Device { cpu, cuda };

bool has_cuda();

// Copies the packed vector to the device in each forward pass, and the gradient back: the learner
// and its optimizer stay on the CPU. autograd computes the backward pass.
std::unique_ptr<Network> make_device_network(const NetShape& shape, int rows_max, Device device);

}  // namespace hone::ga3c
