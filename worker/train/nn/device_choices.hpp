// What networks on a GPU may use.
#pragma once

namespace hone::nn {

// The defaults are what gained in tests/bench/device_bench.cpp, which measures the others too.
struct DeviceChoices {
  bool streams = true;  // a stream for each network; else all share the default one
  bool graphs = true;   // passes are recorded once as CUDA graphs and repeated; needs streams
  bool pinned = true;   // memory of the host that the GPU reads while the caller continues
  bool tf32 = false;    // products of numbers with 10 bits behind the point instead of 23
};

}  // namespace hone::nn
