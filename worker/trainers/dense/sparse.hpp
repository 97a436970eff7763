// Products of kernel_code.cpp, which alone includes this, that leave out the zeros of their left
// side. The rest is added in the order of the dense ones, so that the bits are the same as long as
// the right side is finite.
#pragma once

#include "worker/trainers/dense/kernels.hpp"
#include "worker/trainers/dense/lanes.hpp"

namespace hone::dense {
namespace {

// What lies in the fastest cache at a time: so many rows, and so many columns of the right side.
constexpr int block_rows = 64;
constexpr int panel_registers = lanes == 16 ? 4 : 8;
constexpr int panel_floats = panel_registers * lanes;

// A bit for each of up to 64 numbers: whether it is another than 0.
std::uint64_t nonzero(const float* values, int count) {
  std::uint64_t bits = 0;
  int i = 0;
  for (; i + lanes <= count; i += lanes)
    bits |= static_cast<std::uint64_t>(signs(get(values + i) != 0.0F)) << i;
  for (; i < count; ++i) bits |= static_cast<std::uint64_t>(values[i] != 0.0F) << i;
  return bits;
}

template <class Visit>
void for_each_bit(std::uint64_t bits, Visit visit) {
  for (; bits != 0; bits &= bits - 1) visit(__builtin_ctzll(bits));
}

alignas(64) constexpr float zeros[panel_floats] = {};

// The chosen rows of `right`, which lie `line` floats apart, each times its value, are added up.
template <int Registers>
struct Sum {
  Lane sums[Registers];

  explicit Sum(const float* start) {
    for (int r = 0; r < Registers; ++r) sums[r] = load(start + r * lanes);
  }
  void add(std::uint64_t rows, const float* values, int value_step, const float* right,
           std::int64_t line) {
    for_each_bit(rows, [&](int row) {
      const float value = values[row * value_step];
      const float* from = right + row * line;
      for (int r = 0; r < Registers; ++r) sums[r] += value * load(from + r * lanes);
    });
  }
  void write(float* out) const {
    for (int r = 0; r < Registers; ++r) store(out + r * lanes, sums[r]);
  }
};

// A part of the right side where every row lies beside the last: rows a power of two apart would
// fall into one set of the cache.
template <int Registers>
void copy_panel(const Product& p, int k, int count, int column, float* panel) {
  const float* from = p.right + static_cast<std::int64_t>(k) * p.columns + column;
  for (int i = 0; i < count; ++i, from += p.columns, panel += Registers * lanes)
    for (int r = 0; r < Registers; ++r) store(panel + r * lanes, load(from + r * lanes));
}

template <int Registers>
void multiply_panel(const Product& p, int column) {
  alignas(64) float copy[block_rows * Registers * lanes];
  const bool narrow = p.columns == Registers * lanes;
  for (int k = 0; k < p.inner; k += block_rows) {
    const int count = smaller_of(block_rows, p.inner - k);
    if (!narrow) copy_panel<Registers>(p, k, count, column, copy);
    const float* panel = narrow ? p.right + static_cast<std::int64_t>(k) * p.columns : copy;
    const float* bias = p.bias == nullptr ? zeros : p.bias + column;
    const float* left = p.left + k;
    float* out = p.out + column;
    for (int row = 0; row < p.rows; ++row, left += p.row_step, out += p.columns) {
      Sum<Registers> sum(k == 0 ? bias : out);
      sum.add(nonzero(left, count), left, 1, panel, Registers * lanes);
      sum.write(out);
    }
  }
}

void multiply_sparse(const Product& p) {
  int column = 0;
  for (; column + panel_floats <= p.columns; column += panel_floats)
    multiply_panel<panel_registers>(p, column);
  for (; column < p.columns; column += lanes) multiply_panel<1>(p, column);
}

// Numbers next to each other in some rows of left: a copy, and a bit for each that is not 0.
struct Strip {
  static constexpr int width = 16;
  alignas(64) float values[block_rows * width];
  alignas(64) std::int32_t bits[block_rows];

  Strip(const float* left, std::int64_t row_step, int rows, int count) {
    for (int row = 0; row < block_rows; ++row) bits[row] = 0;
    for (int row = 0; row < rows; ++row, left += row_step) {
      bits[row] = static_cast<std::int32_t>(nonzero(left, count));
      for (int i = 0; i < count; ++i) values[row * width + i] = left[i];
    }
  }

  // The rows where number k is not 0.
  [[nodiscard]] std::uint64_t rows_of(int k) const {
    std::uint64_t rows = 0;
    for (int row = 0; row < block_rows; row += lanes)
      rows |= static_cast<std::uint64_t>(signs(load(bits + row) << (31 - k))) << row;
    return rows;
  }
};

// Some rows of both, for one number of left.
template <int Registers>
void outer_panel(const Product& p, int first, const Strip& strip, int k, float* out, int column) {
  Sum<Registers> sum(first == 0 ? zeros : out + column);
  sum.add(strip.rows_of(k), strip.values + k, Strip::width,
          p.right + static_cast<std::int64_t>(first) * p.columns + column, p.columns);
  sum.write(out + column);
}

void outer_sparse(const Product& p, float* sums) {
  for (int first = 0; first < p.rows; first += block_rows) {
    const int rows = smaller_of(block_rows, p.rows - first);
    for (int k = 0; k < p.inner; k += Strip::width) {
      const int count = smaller_of(Strip::width, p.inner - k);
      const Strip strip(p.left + first * p.row_step + k, p.row_step, rows, count);
      float* out = p.out + static_cast<std::int64_t>(k) * p.columns;
      for (int i = 0; i < count; ++i, out += p.columns) {
        int column = 0;
        for (; column + panel_floats <= p.columns; column += panel_floats)
          outer_panel<panel_registers>(p, first, strip, i, out, column);
        for (; column < p.columns; column += lanes) outer_panel<1>(p, first, strip, i, out, column);
      }
    }
  }
  if (sums == nullptr) return;
  for (int column = 0; column < p.columns; column += lanes) {
    Lane plain{};
    for (int row = 0; row < p.rows; ++row)
      plain += load(p.right + static_cast<std::int64_t>(row) * p.columns + column);
    store(sums + column, plain);
  }
}

}  // namespace
}  // namespace hone::dense
