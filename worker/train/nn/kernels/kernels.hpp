// The inner loops of small dense networks: products, activations, the loss and the optimizers, in
// single precision. kernel_code.cpp is compiled once for each instruction set, and best_kernels()
// chooses at run time. On one machine the same input gives the same bits; the result of a row does
// not depend on the other rows. Kernels have no state: any thread may call them.
#pragma once

#include <cstdint>
#include <span>

namespace hone::dense {

// out = left * right + bias; strides count floats. left may be transposed (row_step 1). Columns and
// the strides of right and out are multiples of line_floats.
struct Product {
  int rows = 0;
  int inner = 0;
  int columns = 0;
  const float* left = nullptr;
  std::int64_t row_step = 0;     // from one row of left to the next
  std::int64_t inner_step = 1;   // from one number of a row of left to the next
  const float* right = nullptr;  // inner x columns
  const float* bias = nullptr;   // columns, or nullptr
  float* out = nullptr;          // rows x columns
  bool adds = false;             // outer: adds to out and to the sums
};

// out = left * right^T + bias, for a right stored row by row: dot products of two rows.
struct DotProduct {
  int rows = 0;
  int inner = 0;  // a multiple of line_floats
  int columns = 0;
  const float* left = nullptr;   // rows x inner
  const float* right = nullptr;  // columns x inner
  const float* bias = nullptr;   // columns, or nullptr
  float* out = nullptr;
  std::int64_t row_step = 1;  // of out
  std::int64_t column_step = 0;
};

// out = in transposed: columns x rows. Both are multiples of line_floats.
struct Turn {
  int rows = 0;
  int columns = 0;
  const float* in = nullptr;
  float* out = nullptr;
};

// out = scale * bytes, row after row without gaps.
struct Widening {
  int rows = 0;
  int columns = 0;
  const std::uint8_t* in = nullptr;
  std::int64_t row_step = 0;  // of in
  float scale = 1;
  float* out = nullptr;
};

// For a cell of the planes: the lowest square that contains it, then those above it. Offsets count
// floats, in the field and in the weights.
struct SparseCell {
  std::int32_t place = 0;
  std::int32_t weight = 0;
  std::int32_t squares_down = 0;
};

// A convolution with stride 1 and its ReLU over samples that are mostly zeros, which cost almost
// nothing. dense::SparseRoom provides the buffers.
struct SparseConvolution {
  static constexpr int side = 3;      // of the square
  static constexpr int filters = 16;  // line_floats
  int samples = 0;
  int rows = 0, columns = 0, channels = 0;  // of a sample: [row][column][channel]
  const float* in = nullptr;
  const float* weights = nullptr;  // [row][column][channel][filter]
  const float* bias = nullptr;     // filters
  float* out = nullptr;            // samples x places_down x places_across x filters

  const SparseCell* seen = nullptr;  // for every cell of a sample
  float* field = nullptr;            // field_size
  std::int32_t* cells = nullptr;     // receives the cells that are not 0, sample by sample
  std::int32_t* ends = nullptr;      // receives the end of each sample in `cells`

  [[nodiscard]] constexpr int places_down() const { return rows - side + 1; }
  [[nodiscard]] constexpr int places_across() const { return columns - side + 1; }
  [[nodiscard]] constexpr std::int64_t out_size() const {  // of a sample
    return static_cast<std::int64_t>(places_down()) * places_across() * filters;
  }
  // The places of a sample, each row of them with side - 1 zeros on either side.
  [[nodiscard]] constexpr std::int64_t field_line() const {
    return static_cast<std::int64_t>(columns + side - 1) * filters;
  }
  [[nodiscard]] constexpr std::int64_t field_size() const { return places_down() * field_line(); }
};

struct SparseConvolutionBack {
  SparseConvolution forward;         // as in the forward pass; weights and bias are not read
  const float* slopes = nullptr;     // d loss / d out
  float* weight_gradient = nullptr;  // both are overwritten
  float* bias_gradient = nullptr;
};

// The outputs of the network for `rows` states, output by output: logits of action 0, of action 1,
// ..., then the values, each `stride` floats after the one before; stride is a multiple of
// line_floats and at least rows.
struct Heads {
  float* data = nullptr;
  int rows = 0;
  int actions = 0;
  std::int64_t stride = 0;
};

struct LossPlan {
  Heads outputs;
  const std::int32_t* actions = nullptr;  // chosen; readable up to the stride
  const float* targets = nullptr;         // returns; readable up to the stride
  float* gradient = nullptr;              // d loss / d outputs, laid out as the outputs
  float entropy = 0;  // weights of the terms, see actor_critic/learning/loss.hpp
  float value = 0.5F;
  float log_floor = 0;
  float scale = 1;
  // nullptr, or both readable up to the stride: advantages that replace targets - values, and the
  // logarithms of the probabilities of the chosen actions when they were chosen. With them the
  // policy term is the clipped one of loss.hpp.
  const float* advantages = nullptr;
  const float* log_chances = nullptr;
  float ratio_clip = 0;
};

struct LossSums {
  double policy = 0;
  double value = 0;
  double entropy = 0;
};

// Smaller averages of an optimizer become 0.
inline constexpr float least_average = 1e-37F;

// One step of an optimizer over padded vectors.
struct OptimizerStep {
  std::int64_t count = 0;
  float* parameters = nullptr;
  const float* gradient = nullptr;
  float* first = nullptr;  // mean of Adam
  float* second = nullptr;
  float scale = 1;  // of the gradient, for clipping
  float rate = 0;
  float first_decay = 0;
  float second_decay = 0;
  float epsilon = 0;
};

struct Kernels {
  const char* name = nullptr;
  void (*multiply)(const Product&) = nullptr;
  void (*dot)(const DotProduct&) = nullptr;
  // out = left^T * right, summed over the rows of both; out has `inner` rows. The bias is not read.
  // `sums` receives the sums of the columns of right, unless it is nullptr.
  void (*outer)(const Product&, float* sums) = nullptr;
  // The same for a left side (inner_step 1) that is mostly zeros, which cost almost nothing.
  void (*multiply_sparse)(const Product&) = nullptr;
  // The right side is stored columns x inner; inner is a multiple of line_floats.
  void (*multiply_turned_sparse)(const Product&) = nullptr;
  void (*outer_sparse)(const Product&, float* sums) = nullptr;
  void (*transpose)(const Turn&) = nullptr;
  void (*widen)(const Widening&) = nullptr;
  void (*tanh)(float* values, std::int64_t count) = nullptr;
  void (*relu)(float* values, std::int64_t count) = nullptr;
  void (*convolve_sparse)(const SparseConvolution&) = nullptr;
  void (*convolve_sparse_back)(const SparseConvolutionBack&) = nullptr;
  // gradient *= derivative of the activation, computed from its results.
  void (*tanh_back)(const float* results, float* gradient, std::int64_t count) = nullptr;
  void (*relu_back)(const float* results, float* gradient, std::int64_t count) = nullptr;
  // Replaces logits by probabilities.
  void (*softmax)(const Heads&) = nullptr;
  // The logarithms of the probabilities of the chosen actions. Both vectors have a number for each
  // row up to the stride.
  void (*log_chosen)(const Heads&, const std::int32_t* actions, float* out) = nullptr;
  // Natural logarithms in place, of normal positive numbers.
  void (*logarithm)(float* values, std::int64_t count) = nullptr;
  LossSums (*loss)(const LossPlan&) = nullptr;
  double (*square_sum)(const float* values, std::int64_t count) = nullptr;
  // Both return 0, or NaN if a parameter is not finite.
  float (*rmsprop)(const OptimizerStep&) = nullptr;
  float (*adam)(const OptimizerStep&) = nullptr;
};

// The fastest kernels that this processor can run.
const Kernels& best_kernels();
// All kernels that this processor can run, the portable ones first: for tests.
std::span<const Kernels* const> usable_kernels();

}  // namespace hone::dense
