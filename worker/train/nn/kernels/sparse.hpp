// Products that skip the zeros of their left side. Only kernel_code.cpp includes it. The other
// terms are added in the order of the dense products, so the bits are the same if the right side is
// finite.
#pragma once

#include "worker/train/nn/kernels/kernels.hpp"
#include "worker/train/nn/kernels/lanes.hpp"

namespace hone::dense {
namespace {

// The part of the right side that fits into the first-level cache: rows and columns.
constexpr int block_rows = 64;
constexpr int panel_registers = lanes == 16 ? 4 : 8;
constexpr int panel_floats = panel_registers * lanes;

// A bit for each of up to 64 numbers: 1 if it is not 0.
std::uint64_t nonzero(const float* values, int count) {
  std::uint64_t bits = 0;
  int i = 0;
  for (; i + lanes <= count; i += lanes)
    bits |= static_cast<std::uint64_t>(others_than_zero(get(values + i))) << i;
  for (; i < count; ++i) bits |= static_cast<std::uint64_t>(values[i] != 0.0F) << i;
  return bits;
}

template <class Visit>
void for_each_bit(std::uint64_t bits, Visit visit) {
  for (; bits != 0; bits &= bits - 1) visit(__builtin_ctzll(bits));
}

alignas(64) constexpr float zeros[panel_floats] = {};

// Adds up the chosen rows of `right`, each times its value; rows are `line` floats long.
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

// How the right side of a product is stored.
enum class Right {
  plain,   // inner x columns
  turned,  // columns x inner
};

// A part of the right side, some rows of it and some columns.
struct Part {
  int row, rows, column;
};

// Copies the part so that its rows are adjacent: rows at a distance of a power of two would fall
// into one set of the cache.
template <int Registers>
void copy_part(const Product& p, const Part& part, float* out) {
  const float* from = p.right + static_cast<std::int64_t>(part.row) * p.columns + part.column;
  for (int i = 0; i < part.rows; ++i, from += p.columns, out += Registers * lanes)
    for (int r = 0; r < Registers; ++r) store(out + r * lanes, load(from + r * lanes));
}

// The same for a right side that is stored transposed.
template <int Registers>
void turn_part(const Product& p, const Part& part, float* out) {
  for (int r = 0; r < Registers; ++r)
    for (int i = 0; i < part.rows; i += lanes) {
      const auto column = static_cast<std::int64_t>(part.column) + r * lanes;
      const float* from = p.right + column * p.inner + part.row + i;
      Lane square[lanes];
      for (int c = 0; c < lanes; ++c, from += p.inner) square[c] = load(from);
      turn(square);
      for (int c = 0; c < lanes; ++c) store(out + ((i + c) * Registers + r) * lanes, square[c]);
    }
}

// All rows of left, for the columns of left that meet the part.
template <int Registers>
void multiply_part(const Product& p, const Part& part, const float* right) {
  const float* start = p.bias == nullptr ? zeros : p.bias + part.column;
  const float* left = p.left + part.row;
  float* out = p.out + part.column;
  std::uint64_t bits = nonzero(left, part.rows);
  for (int row = 0; row < p.rows; ++row, left += p.row_step, out += p.columns) {
    // Loads the bits of the next row early: the end of the loop is mispredicted, and the bits are
    // there by then.
    const auto next = row + 1 < p.rows ? nonzero(left + p.row_step, part.rows) : 0;
    Sum<Registers> sum(part.row == 0 ? start : out);
    sum.add(bits, left, 1, right, Registers * lanes);
    sum.write(out);
    bits = next;
  }
}

template <Right Lies, int Registers>
void multiply_panel(const Product& p, int column) {
  alignas(64) float copy[block_rows * Registers * lanes];
  for (int k = 0; k < p.inner; k += block_rows) {
    const Part part{k, smaller_of(block_rows, p.inner - k), column};
    const float* right = copy;
    if constexpr (Lies == Right::turned)
      turn_part<Registers>(p, part, copy);
    else if (p.columns == Registers * lanes)
      right = p.right + static_cast<std::int64_t>(k) * p.columns;
    else
      copy_part<Registers>(p, part, copy);
    multiply_part<Registers>(p, part, right);
  }
}

template <Right Lies>
void multiply_sparse(const Product& p) {
  int column = 0;
  for (; column + panel_floats <= p.columns; column += panel_floats)
    multiply_panel<Lies, panel_registers>(p, column);
  for (; column < p.columns; column += lanes) multiply_panel<Lies, 1>(p, column);
}

// A strip of columns of some rows of left: a copy, and a bit for each number that is not 0.
struct Strip {
  static constexpr int width = 16;
  alignas(64) float values[block_rows * width];
  alignas(64) std::int32_t bits[block_rows];

  Strip(const float* left, std::int64_t row_step, int rows, int count) {
    for (int row = 0; row < block_rows; ++row) bits[row] = 0;
    for (int row = 0; row < rows; ++row, left += row_step) {
      bits[row] = static_cast<std::int32_t>(nonzero(left, count));
      float* to = values + row * width;
      int i = 0;
      for (; i + lanes <= count; i += lanes) store(to + i, get(left + i));
      for (; i < count; ++i) to[i] = left[i];
    }
  }

  // The rows in which number k is not 0.
  [[nodiscard]] std::uint64_t rows_of(int k) const {
    std::uint64_t rows = 0;
    for (int row = 0; row < block_rows; row += lanes)
      rows |= static_cast<std::uint64_t>(signs(load(bits + row) << (31 - k))) << row;
    return rows;
  }
};

// The contribution of one strip of left to some columns of right.
template <int Registers>
void outer_strip(const Product& p, int first, const Strip& strip, int count, const float* right,
                 float* out) {
  std::uint64_t rows = strip.rows_of(0);
  for (int i = 0; i < count; ++i, out += p.columns) {
    const auto next = strip.rows_of(i + 1 < count ? i + 1 : i);
    Sum<Registers> sum(first == 0 ? zeros : out);
    sum.add(rows, strip.values + i, Strip::width, right, p.columns);
    sum.write(out);
    rows = next;
  }
}

void outer_sparse(const Product& p, float* sums) {
  for (int first = 0; first < p.rows; first += block_rows) {
    const int rows = smaller_of(block_rows, p.rows - first);
    for (int k = 0; k < p.inner; k += Strip::width) {
      const int count = smaller_of(Strip::width, p.inner - k);
      const Strip strip(p.left + first * p.row_step + k, p.row_step, rows, count);
      const float* right = p.right + static_cast<std::int64_t>(first) * p.columns;
      float* out = p.out + static_cast<std::int64_t>(k) * p.columns;
      int column = 0;
      for (; column + panel_floats <= p.columns; column += panel_floats)
        outer_strip<panel_registers>(p, first, strip, count, right + column, out + column);
      for (; column < p.columns; column += lanes)
        outer_strip<1>(p, first, strip, count, right + column, out + column);
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
