// What the convolution of mostly blank samples works in: which squares see a cell, and room for
// what it finds.
#pragma once

#include <vector>

#include "worker/train/nn/kernels/floats.hpp"
#include "worker/train/nn/kernels/kernels.hpp"

namespace hone::dense {

class SparseRoom {
 public:
  // For samples of these planes, so many at a time.
  SparseRoom(int rows, int columns, int channels, int samples_max);

  // A convolution here: what is missing is samples, in, weights, bias and out.
  SparseConvolution plan();

 private:
  SparseConvolution shape_;
  std::vector<SparseCell> seen_;
  Floats field_;
  Numbers cells_, ends_;
};

}  // namespace hone::dense
