// The convolutions of kernel_code.cpp, which alone includes this.
#pragma once

#include "worker/trainers/dense/kernels.hpp"
#include "worker/trainers/dense/lanes.hpp"

namespace hone::dense {
namespace {

std::int64_t corner(const Squares& s, int place) {
  const int down = place / s.places_across, across = place % s.places_across;
  return (static_cast<std::int64_t>(down) * s.columns + across) * s.stride * s.channels;
}

// Some places next to each other in out, and a register of filters.
template <int Places>
void convolve_places(const Convolution& c, int place, int filter) {
  const Squares& s = c.squares;
  const float* left[Places];
  Lane sums[Places];
  for (int i = 0; i < Places; ++i) {
    left[i] = c.field + corner(s, place + i);
    sums[i] = load(c.bias + filter);
  }
  const float* weights = c.weights + filter;
  const std::int64_t run = static_cast<std::int64_t>(s.side) * s.channels;
  const std::int64_t line = static_cast<std::int64_t>(s.columns) * s.channels;
  for (int y = 0; y < s.side; ++y)
    for (std::int64_t k = y * line; k < y * line + run; ++k, weights += c.filters) {
      const Lane weight = load(weights);
      for (int i = 0; i < Places; ++i) sums[i] += left[i][k] * weight;
    }
  float* out = c.out + static_cast<std::int64_t>(place) * c.filters + filter;
  for (int i = 0; i < Places; ++i, out += c.filters) store(out, sums[i]);
}

void convolve(const Convolution& c) {
  const int places = c.squares.places_down * c.squares.places_across;
  for (int filter = 0; filter < c.filters; filter += lanes) {
    int place = 0;
    for (; place + 8 <= places; place += 8) convolve_places<8>(c, place, filter);
    for (; place < places; ++place) convolve_places<1>(c, place, filter);
  }
}

// Some weights next to each other in a row of the square, and a register of filters.
template <int Weights>
void convolve_back_weights(const ConvolutionBack& c, std::int64_t first, float* gradient,
                           int filter) {
  const Squares& s = c.squares;
  Lane totals[Weights];
  for (int i = 0; i < Weights; ++i) totals[i] = load(gradient + i * c.filters);
  const float* slopes = c.slopes + filter;
  const std::int64_t step = static_cast<std::int64_t>(s.stride) * s.channels;
  for (int down = 0; down < s.places_down; ++down) {
    const float* left = c.field + first + down * step * s.columns;
    for (int across = 0; across < s.places_across; ++across, left += step, slopes += c.filters) {
      const Lane slope = load(slopes);
      for (int i = 0; i < Weights; ++i) totals[i] += left[i] * slope;
    }
  }
  for (int i = 0; i < Weights; ++i) store(gradient + i * c.filters, totals[i]);
}

void convolve_back(const ConvolutionBack& c) {
  const Squares& s = c.squares;
  const int places = s.places_down * s.places_across;
  const int run = s.side * s.channels;
  for (int filter = 0; filter < c.filters; filter += lanes) {
    Lane total = load(c.bias_gradient + filter);
    for (int i = 0; i < places; ++i) total += load(c.slopes + i * c.filters + filter);
    store(c.bias_gradient + filter, total);
    for (int y = 0; y < s.side; ++y) {
      const std::int64_t line = static_cast<std::int64_t>(y) * s.columns * s.channels;
      float* gradient = c.weight_gradient + y * run * c.filters + filter;
      int k = 0;
      for (; k + 8 <= run; k += 8)
        convolve_back_weights<8>(c, line + k, gradient + k * c.filters, filter);
      for (; k < run; ++k) convolve_back_weights<1>(c, line + k, gradient + k * c.filters, filter);
    }
  }
}

void paste(const Squares& s, const float* squares, float* field) {
  const int run = s.side * s.channels;
  for (int place = 0; place < s.places_down * s.places_across; ++place) {
    float* to = field + corner(s, place);
    for (int y = 0; y < s.side; ++y, squares += run, to += s.columns * s.channels) {
      int k = 0;
      for (; k + lanes <= run; k += lanes) put(to + k, get(to + k) + get(squares + k));
      for (; k < run; ++k) to[k] += squares[k];
    }
  }
}

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
