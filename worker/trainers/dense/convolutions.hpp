// The convolutions of kernel_code.cpp, which alone includes this.
#pragma once

#include "worker/trainers/dense/kernels.hpp"
#include "worker/trainers/dense/lanes.hpp"

namespace hone::dense {
namespace {

// Calls visit(number of the sample, value, channel, row, column) for what is not zero.
template <class Visit>
void for_each_cell(const SparseConvolution& c, Visit visit) {
  const float* cell = c.in;
  for (int sample = 0; sample < c.samples; ++sample)
    for (int row = 0; row < c.rows; ++row)
      for (int column = 0; column < c.columns; ++column)
        for (int channel = 0; channel < c.channels; ++channel, ++cell)
          if (*cell != 0.0F) visit(sample, *cell, channel, row, column);
}

// Calls visit(offset of the place in out, offset in weights) for every square that sees the cell.
template <class Visit>
void for_each_square(const SparseConvolution& c, int channel, int row, int column, Visit visit) {
  const int places_down = c.rows - c.side + 1, places_across = c.columns - c.side + 1;
  for (int y = 0; y < c.side; ++y) {
    const int down = row - y;
    if (down < 0 || down >= places_down) continue;
    for (int x = 0; x < c.side; ++x) {
      const int across = column - x;
      if (across < 0 || across >= places_across) continue;
      visit((down * places_across + across) * c.filters,
            ((y * c.side + x) * c.channels + channel) * c.filters);
    }
  }
}

std::int64_t out_size(const SparseConvolution& c) {
  return static_cast<std::int64_t>(c.rows - c.side + 1) * (c.columns - c.side + 1) * c.filters;
}

void convolve_sparse(const SparseConvolution& c) {
  const auto size = out_size(c);
  for (std::int64_t i = 0; i < c.samples * size; i += c.filters)
    for (int f = 0; f < c.filters; f += lanes) store(c.out + i + f, load(c.bias + f));
  for_each_cell(c, [&](int sample, float value, int channel, int row, int column) {
    float* out = c.out + sample * size;
    for_each_square(c, channel, row, column, [&](int place, int weight) {
      for (int f = 0; f < c.filters; f += lanes)
        store(out + place + f, load(out + place + f) + value * load(c.weights + weight + f));
    });
  });
}

void convolve_sparse_back(const SparseConvolutionBack& back) {
  const SparseConvolution& c = back.forward;
  const auto size = out_size(c);
  const std::int64_t weights = static_cast<std::int64_t>(c.side) * c.side * c.channels * c.filters;
  for (std::int64_t i = 0; i < weights; i += lanes) store(back.weight_gradient + i, Lane{});
  for (int f = 0; f < c.filters; f += lanes) {
    Lane total{};
    for (std::int64_t i = 0; i < c.samples * size; i += c.filters)
      total += load(back.slopes + i + f);
    store(back.bias_gradient + f, total);
  }
  for_each_cell(c, [&](int sample, float value, int channel, int row, int column) {
    const float* slopes = back.slopes + sample * size;
    for_each_square(c, channel, row, column, [&](int place, int weight) {
      float* gradient = back.weight_gradient + weight;
      for (int f = 0; f < c.filters; f += lanes)
        store(gradient + f, load(gradient + f) + value * load(slopes + place + f));
    });
  });
}

}  // namespace
}  // namespace hone::dense
