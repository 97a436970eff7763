// The convolution of samples that are mostly zeros. Only kernel_code.cpp includes it.
//
// Intermediate results and slopes are in a field that has two zeros on either side of every row of
// places, so that every cell is in three squares across.
#pragma once

#include "worker/train/nn/kernels/sparse.hpp"

namespace hone::dense {
namespace {

constexpr int side = SparseConvolution::side;
constexpr int filters = SparseConvolution::filters;

// Calls visit(offset in the field, offset in the sample's places) for every place.
template <class Visit>
void for_each_place(const SparseConvolution& c, Visit visit) {
  std::int64_t in_field = (side - 1) * filters, plain = 0;
  for (int row = 0; row < c.places_down(); ++row, in_field += 2 * (side - 1) * filters)
    for (int column = 0; column < c.places_across(); ++column) {
      visit(in_field, plain);
      in_field += filters;
      plain += filters;
    }
}

// Calls visit(offset in the field, offset in the weights) for every square that contains the cell.
template <class Visit>
void for_each_square(const SparseConvolution& c, std::int32_t cell, Visit visit) {
  const SparseCell& seen = c.seen[cell];
  const std::int64_t weight_step = static_cast<std::int64_t>(c.channels) * filters;
  std::int64_t place = seen.place, weight = seen.weight;
  for (int down = 0; down < seen.squares_down; ++down) {
    for (int across = 0; across < side; ++across, weight += weight_step)
      visit(place - across * filters, weight);
    place -= c.field_line();
  }
}

// Lists the cells of a sample that are not 0. Returns the end of the list.
std::int32_t* find_cells(const float* in, int size, std::int32_t* list) {
  for (int first = 0; first < size; first += 64)
    for_each_bit(nonzero(in + first, smaller_of(64, size - first)),
                 [&](int i) { *list++ = first + i; });
  return list;
}

void add_cells(const SparseConvolution& c, const float* in, const std::int32_t* first,
               const std::int32_t* last) {
  for (; first != last; ++first) {
    const float value = in[*first];
    for_each_square(c, *first, [&](std::int64_t place, std::int64_t weight) {
      float* to = c.field + place;
      for (int f = 0; f < filters; f += lanes)
        store(to + f, load(to + f) + value * load(c.weights + weight + f));
    });
  }
}

void convolve_sparse(const SparseConvolution& c) {
  const int size = c.rows * c.columns * c.channels;
  const auto places = c.field_size();
  std::int32_t* list = c.cells;
  const float* in = c.in;
  float* out = c.out;
  for (int sample = 0; sample < c.samples; ++sample, in += size, out += c.out_size()) {
    for (std::int64_t i = 0; i < places; i += filters)
      for (int f = 0; f < filters; f += lanes) store(c.field + i + f, load(c.bias + f));
    auto* const end = find_cells(in, size, list);
    add_cells(c, in, list, end);
    list = end;
    c.ends[sample] = static_cast<std::int32_t>(end - c.cells);
    for_each_place(c, [&](std::int64_t in_field, std::int64_t plain) {
      for (int f = 0; f < filters; f += lanes) {
        const Lane x = load(c.field + in_field + f);
        store(out + plain + f, x < 0.0F ? Lane{} : x);  // NaN stays
      }
    });
  }
}

// Copies slopes through the ReLU into the field.
void take_slopes(const SparseConvolution& c, const float* results, const float* slopes,
                 Lane (&totals)[filters / lanes]) {
  for_each_place(c, [&](std::int64_t in_field, std::int64_t plain) {
    for (int f = 0; f < filters; f += lanes) {
      const Lane slope = load(results + plain + f) > 0.0F ? load(slopes + plain + f) : Lane{};
      totals[f / lanes] += slope;
      store(c.field + in_field + f, slope);
    }
  });
}

void convolve_sparse_back(const SparseConvolutionBack& back) {
  const SparseConvolution& c = back.forward;
  const int size = c.rows * c.columns * c.channels;
  const std::int64_t weights = static_cast<std::int64_t>(side) * side * c.channels * filters;
  for (std::int64_t i = 0; i < weights; i += lanes) store(back.weight_gradient + i, Lane{});
  for (std::int64_t i = 0; i < c.field_size(); i += lanes) store(c.field + i, Lane{});
  Lane totals[filters / lanes] = {};
  const float* in = c.in;
  const std::int32_t* cell = c.cells;
  for (int sample = 0; sample < c.samples; ++sample, in += size) {
    take_slopes(c, c.out + sample * c.out_size(), back.slopes + sample * c.out_size(), totals);
    for (; cell != c.cells + c.ends[sample]; ++cell) {
      const float value = in[*cell];
      for_each_square(c, *cell, [&](std::int64_t place, std::int64_t weight) {
        float* gradient = back.weight_gradient + weight;
        for (int f = 0; f < filters; f += lanes)
          store(gradient + f, load(gradient + f) + value * load(c.field + place + f));
      });
    }
  }
  for (int f = 0; f < filters; f += lanes) store(back.bias_gradient + f, totals[f / lanes]);
}

}  // namespace
}  // namespace hone::dense
