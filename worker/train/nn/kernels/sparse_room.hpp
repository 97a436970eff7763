// The buffers of the convolution of samples that are mostly zeros: which squares contain each cell,
// and room for intermediate results.
#pragma once

#include <vector>

#include "worker/train/nn/kernels/floats.hpp"
#include "worker/train/nn/kernels/kernels.hpp"

namespace hone::dense {

class SparseRoom {
 public:
  // For batches of at most `samples` samples of these planes.
  SparseRoom(int rows, int columns, int channels, int samples_max);

  // A convolution with these buffers. The caller fills in samples, in, weights, bias and out.
  SparseConvolution plan();

 private:
  SparseConvolution shape_;
  std::vector<SparseCell> seen_;
  Floats field_;
  Numbers cells_, ends_;
};

}  // namespace hone::dense
