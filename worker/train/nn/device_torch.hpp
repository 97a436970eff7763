// Networks of every shape on libtorch, on any of its devices. Includes ATen: only for files of the
// module that is loaded on demand.
#pragma once

#include <memory>

#include "worker/train/nn/device_queue.hpp"
#include "worker/train/nn/network.hpp"

namespace hone::nn {

// Both passes are written out, so that nothing is recorded for autograd. The learner and its
// optimizer stay on the CPU: each version of the weights is copied to the device once, and each
// gradient back. A batch is padded with rows to one of a few sizes, for each of which the passes
// are recorded once (see DeviceQueue::record).
std::unique_ptr<Network> make_device_network(const NetShape& shape, int rows_max,
                                             std::unique_ptr<DeviceQueue> queue);

// Networks on the GPU. Precondition: has_cuda().
NetworkMaker cuda_maker(const DeviceChoices& choices);

}  // namespace hone::nn
