// Compiled several times, each time with another instruction set and another HONE_KERNELS; see
// kernels.hpp. Nothing of the standard library may be instantiated here: the linker keeps one copy
// of an inline function, and that copy might use instructions that the processor lacks.
#include "worker/train/nn/kernels/kernels.hpp"
#include "worker/train/nn/kernels/lanes.hpp"
#include "worker/train/nn/kernels/sparse.hpp"
#include "worker/train/nn/kernels/sparse_convolution.hpp"

namespace hone::dense {
namespace {

// ---- products

template <int Rows>
void multiply_rows(const Product& p, int row) {
  for (int column = 0; column < p.columns; column += lanes) {
    Lane sums[Rows];
    const Lane start = p.bias == nullptr ? Lane{} : load(p.bias + column);
    for (int r = 0; r < Rows; ++r) sums[r] = start;
    const float* left = p.left + row * p.row_step;
    const float* right = p.right + column;
    for (int k = 0; k < p.inner; ++k, left += p.inner_step, right += p.columns) {
      const Lane weights = load(right);
      for (int r = 0; r < Rows; ++r) sums[r] += left[r * p.row_step] * weights;
    }
    float* out = p.out + static_cast<std::int64_t>(row) * p.columns + column;
    for (int r = 0; r < Rows; ++r) store(out + static_cast<std::int64_t>(r) * p.columns, sums[r]);
  }
}

void multiply(const Product& p) {
  int row = 0;
  for (; row + 8 <= p.rows; row += 8) multiply_rows<8>(p, row);
  for (; row + 2 <= p.rows; row += 2) multiply_rows<2>(p, row);
  for (; row < p.rows; ++row) multiply_rows<1>(p, row);
}

template <int Rows, int Columns>
void dot_block(const DotProduct& p, int row, int column) {
  Lane sums[Rows][Columns] = {};
  const float* left = p.left + static_cast<std::int64_t>(row) * p.inner;
  const float* right = p.right + static_cast<std::int64_t>(column) * p.inner;
  for (int k = 0; k < p.inner; k += lanes) {
    Lane weights[Columns];
    for (int c = 0; c < Columns; ++c)
      weights[c] = load(right + static_cast<std::int64_t>(c) * p.inner + k);
    for (int r = 0; r < Rows; ++r) {
      const Lane values = load(left + static_cast<std::int64_t>(r) * p.inner + k);
      for (int c = 0; c < Columns; ++c) sums[r][c] += values * weights[c];
    }
  }
  for (int r = 0; r < Rows; ++r)
    for (int c = 0; c < Columns; ++c)
      p.out[(row + r) * p.row_step + (column + c) * p.column_step] =
          sum(sums[r][c]) + (p.bias == nullptr ? 0.0F : p.bias[column + c]);
}

template <int Rows>
void dot_rows(const DotProduct& p, int row) {
  int column = 0;
  for (; column + 3 <= p.columns; column += 3) dot_block<Rows, 3>(p, row, column);
  for (; column < p.columns; ++column) dot_block<Rows, 1>(p, row, column);
}

void dot(const DotProduct& p) {
  int row = 0;
  for (; row + 4 <= p.rows; row += 4) dot_rows<4>(p, row);
  for (; row < p.rows; ++row) dot_rows<1>(p, row);
}

// All inner numbers of left, and the column sums if requested, for one register of columns.
template <int Inner>
void outer_block(const Product& p, int k, int column, float* sums) {
  Lane totals[Inner] = {};
  Lane plain{};
  float* out = p.out + static_cast<std::int64_t>(k) * p.columns + column;
  if (p.adds) {
    for (int i = 0; i < Inner; ++i)
      totals[i] = load(out + static_cast<std::int64_t>(i) * p.columns);
    if (sums != nullptr) plain = load(sums + column);
  }
  const float* left = p.left + k * p.inner_step;
  const float* right = p.right + column;
  for (int row = 0; row < p.rows; ++row, left += p.row_step, right += p.columns) {
    const Lane values = load(right);
    for (int i = 0; i < Inner; ++i) totals[i] += left[i * p.inner_step] * values;
    plain += values;
  }
  for (int i = 0; i < Inner; ++i) store(out + static_cast<std::int64_t>(i) * p.columns, totals[i]);
  if (sums != nullptr) store(sums + column, plain);
}

void outer(const Product& p, float* sums) {
  for (int column = 0; column < p.columns; column += lanes) {
    int k = 0;
    float* once = sums;
    for (; k + 8 <= p.inner; k += 8, once = nullptr) outer_block<8>(p, k, column, once);
    for (; k + 3 <= p.inner; k += 3, once = nullptr) outer_block<3>(p, k, column, once);
    for (; k < p.inner; ++k, once = nullptr) outer_block<1>(p, k, column, once);
  }
}

void transpose(const Turn& t) {
  for (int row = 0; row < t.rows; row += lanes)
    for (int column = 0; column < t.columns; column += lanes) {
      const float* from = t.in + static_cast<std::int64_t>(row) * t.columns + column;
      float* to = t.out + static_cast<std::int64_t>(column) * t.rows + row;
      Lane square[lanes];
      for (int i = 0; i < lanes; ++i, from += t.columns) square[i] = load(from);
      turn(square);
      for (int i = 0; i < lanes; ++i, to += t.rows) store(to, square[i]);
    }
}

// A plain loop: the compiler has instructions for this that explicit vectors do not reach.
void widen(const Widening& w) {
  const float scale = w.scale;
  for (int row = 0; row < w.rows; ++row) {
    const std::uint8_t* __restrict in = w.in + row * w.row_step;
    float* __restrict out = w.out + static_cast<std::int64_t>(row) * w.columns;
    for (int i = 0; i < w.columns; ++i) out[i] = scale * static_cast<float>(in[i]);
  }
}

// ---- activations

void tanh_all(float* values, std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += lanes)
    store(values + i, hyperbolic_tangent(load(values + i)));
}

void relu_all(float* values, std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += lanes) {
    const Lane x = load(values + i);
    store(values + i, x < 0.0F ? Lane{} : x);  // NaN stays
  }
}

void tanh_back(const float* results, float* gradient, std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += lanes) {
    const Lane y = load(results + i);
    store(gradient + i, load(gradient + i) * (1.0F - y * y));
  }
}

void relu_back(const float* results, float* gradient, std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += lanes)
    store(gradient + i, load(results + i) > 0.0F ? load(gradient + i) : Lane{});
}

// ---- policy and loss: registers hold the same number of several rows

Lane top_of(const float* column, const Heads& heads) {
  Lane top = load(column);
  for (int a = 1; a < heads.actions; ++a) top = larger(top, load(column + a * heads.stride));
  return top;
}

void softmax(const Heads& heads) {
  for (int row = 0; row < heads.rows; row += lanes) {
    float* column = heads.data + row;
    const Lane top = top_of(column, heads);
    Lane total{};
    for (int a = 0; a < heads.actions; ++a) {
      const Lane weight = exponential(load(column + a * heads.stride) - top);
      store(column + a * heads.stride, weight);
      total += weight;
    }
    for (int a = 0; a < heads.actions; ++a)
      store(column + a * heads.stride, load(column + a * heads.stride) / total);
  }
}

void log_chosen(const Heads& heads, const std::int32_t* actions, float* out) {
  for (int row = 0; row < heads.rows; row += lanes) {
    const float* column = heads.data + row;
    const Whole chosen = load(actions + row);
    const Lane top = top_of(column, heads);
    Lane total{}, logit{};
    for (int a = 0; a < heads.actions; ++a) {
      const Lane x = load(column + a * heads.stride) - top;
      total += exponential(x);
      logit = chosen == a ? x : logit;
    }
    store(out + row, logit - logarithm(total));
  }
}

void logarithm_all(float* values, std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += lanes) store(values + i, logarithm(load(values + i)));
}

Lane lane_numbers() {
  Lane numbers{};
  for (int i = 0; i < lanes; ++i) numbers[i] = static_cast<float>(i);
  return numbers;
}

LossSums loss(const LossPlan& plan) {
  const Heads& heads = plan.outputs;
  const float floor = plan.log_floor > 1e-38F ? plan.log_floor : 1e-38F;
  const Lane log_floor = all(__builtin_logf(floor));
  LossSums sums;
  for (int row = 0; row < heads.rows; row += lanes) {
    const float* column = heads.data + row;
    float* gradient = plan.gradient + row;
    const Lane real = lane_numbers() < static_cast<float>(heads.rows - row) ? all(1) : Lane{};
    const Lane top = top_of(column, heads);
    Lane total{};
    for (int a = 0; a < heads.actions; ++a)
      total += exponential(load(column + a * heads.stride) - top);
    const Lane log_total = top + logarithm(total);

    const Whole chosen = load(plan.actions + row);
    const Lane error = load(plan.targets + row) - load(column + heads.actions * heads.stride);
    Lane entropy{}, pull{}, log_chosen{}, chosen_slope{};
    for (int a = 0; a < heads.actions; ++a) {
      const Lane exact = load(column + a * heads.stride) - log_total;
      const Lane p = exponential(exact);
      const Lane slope = exact >= log_floor ? all(1) : Lane{};
      const Lane log_p = larger(exact, log_floor);
      entropy -= p * log_p;
      pull += p * (log_p + slope);
      log_chosen = chosen == a ? log_p : log_chosen;
      chosen_slope = chosen == a ? slope : chosen_slope;
    }
    Lane policy_term = -log_chosen * error;
    Lane push = error * chosen_slope;
    if (plan.log_chances != nullptr) {
      const Lane advantage = load(plan.advantages + row);
      const Lane ratio = exponential(log_chosen - load(plan.log_chances + row));
      const Lane bounded =
          larger(smaller(ratio, all(1 + plan.ratio_clip)), all(1 - plan.ratio_clip));
      const Lane free_term = ratio * advantage, bounded_term = bounded * advantage;
      push = free_term <= bounded_term ? free_term * chosen_slope : Lane{};
      policy_term = -smaller(free_term, bounded_term);
    }
    for (int a = 0; a < heads.actions; ++a) {
      const Lane exact = load(column + a * heads.stride) - log_total;
      const Lane p = exponential(exact);
      const Lane slope = exact >= log_floor ? all(1) : Lane{};
      const Lane log_p = larger(exact, log_floor);
      const Lane policy = push * (p - (chosen == a ? all(1) : Lane{}));
      const Lane spread = plan.entropy * p * (log_p + slope - pull);
      store(gradient + a * heads.stride, real * plan.scale * (policy + spread));
    }
    store(gradient + heads.actions * heads.stride, real * plan.scale * -2.0F * plan.value * error);
    sums.policy += sum(real * policy_term);
    sums.value += sum(real * plan.value * error * error);
    sums.entropy += sum(real * entropy);
  }
  return sums;
}

// ---- optimizers

double square_sum(const float* values, std::int64_t count) {
  Lane total[4] = {};
  std::int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes)
    for (int k = 0; k < 4; ++k) {
      const Lane x = load(values + i + k * lanes);
      total[k] += x * x;
    }
  for (; i < count; i += lanes) total[0] += load(values + i) * load(values + i);
  return sum((total[0] + total[1]) + (total[2] + total[3]));
}

// Averages of gradients that stay 0 shrink without an end. Processors are far slower with
// numbers below the smallest exponent, and such averages weigh nothing in a step.
Lane flushed(Lane x) { return smaller(x, -x) > -least_average ? Lane{} : x; }  // NaN stays

float rmsprop(const OptimizerStep& s) {
  Lane poison{};
  for (std::int64_t i = 0; i < s.count; i += lanes) {
    const Lane g = load(s.gradient + i) * s.scale;
    const Lane square =
        flushed(s.second_decay * load(s.second + i) + (1.0F - s.second_decay) * g * g);
    const Lane moved = load(s.parameters + i) - s.rate * g / root(square + s.epsilon);
    store(s.second + i, square);
    store(s.parameters + i, moved);
    poison += moved - moved;
  }
  return sum(poison);
}

float adam(const OptimizerStep& s) {
  Lane poison{};
  for (std::int64_t i = 0; i < s.count; i += lanes) {
    const Lane g = load(s.gradient + i) * s.scale;
    const Lane mean = flushed(s.first_decay * load(s.first + i) + (1.0F - s.first_decay) * g);
    const Lane square =
        flushed(s.second_decay * load(s.second + i) + (1.0F - s.second_decay) * g * g);
    const Lane moved = load(s.parameters + i) - s.rate * mean / (root(square) + s.epsilon);
    store(s.first + i, mean);
    store(s.second + i, square);
    store(s.parameters + i, moved);
    poison += moved - moved;
  }
  return sum(poison);
}

}  // namespace

extern const Kernels HONE_KERNELS;
const Kernels HONE_KERNELS{
    HONE_KERNELS_NAME,
    multiply,
    dot,
    outer,
    multiply_sparse<Right::plain>,
    multiply_sparse<Right::turned>,
    outer_sparse,
    transpose,
    widen,
    tanh_all,
    relu_all,
    convolve_sparse,
    convolve_sparse_back,
    tanh_back,
    relu_back,
    softmax,
    log_chosen,
    logarithm_all,
    loss,
    square_sum,
    rmsprop,
    adam,
};

}  // namespace hone::dense
