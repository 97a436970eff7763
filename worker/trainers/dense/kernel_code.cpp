// Compiled several times, each with other instructions and another HONE_KERNELS; see kernels.hpp.
// Nothing of the standard library may be instantiated here: the linker keeps one copy of an inline
// function, and a copy with instructions that the processor lacks would then be called everywhere.
#include "worker/trainers/dense/kernels.hpp"

#if defined(__AVX512F__)
#define HONE_LANES 16
#elif defined(__AVX__)
#define HONE_LANES 8
#else
#define HONE_LANES 4
#endif

namespace hone::dense {
namespace {

constexpr int lanes = HONE_LANES;
using Lane = float __attribute__((vector_size(lanes * sizeof(float))));
using Whole = std::int32_t __attribute__((vector_size(lanes * sizeof(std::int32_t))));

Lane load(const float* from) { return *reinterpret_cast<const Lane*>(from); }
Whole load(const std::int32_t* from) { return *reinterpret_cast<const Whole*>(from); }
void store(float* to, Lane values) { *reinterpret_cast<Lane*>(to) = values; }
Lane all(float value) { return value - Lane{}; }
Lane bits_of(Whole bits) { return reinterpret_cast<Lane>(bits); }
Whole bits_of(Lane values) { return reinterpret_cast<Whole>(values); }
// NaN in the first argument stays.
Lane larger(Lane a, Lane b) { return a < b ? b : a; }
Lane smaller(Lane a, Lane b) { return a > b ? b : a; }

float sum(Lane values) {
#if HONE_LANES == 16
  using Half = float __attribute__((vector_size(32)));
  const Half eight = __builtin_shufflevector(values, values, 0, 1, 2, 3, 4, 5, 6, 7) +
                     __builtin_shufflevector(values, values, 8, 9, 10, 11, 12, 13, 14, 15);
#elif HONE_LANES == 8
  const Lane eight = values;
#endif
  using Quarter = float __attribute__((vector_size(16)));
#if HONE_LANES > 4
  const Quarter four = __builtin_shufflevector(eight, eight, 0, 1, 2, 3) +
                       __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
#else
  const Quarter four = values;
#endif
  const Quarter two = four + __builtin_shufflevector(four, four, 2, 3, 0, 1);
  return two[0] + two[1];
}

// Within 2 units in the last place: 2^n times a polynomial of the rest.
Lane exponential(Lane x) {
  x = larger(smaller(x, all(88.0F)), all(-87.0F));
  const Lane magic = all(12582912.0F);  // 1.5 * 2^23: adding it rounds to a whole number
  const Lane n = (x * 1.44269504F + magic) - magic;
  const Lane r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
  Lane p = all(1.9875691500e-4F);
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * r * r + r + 1.0F;
  const Whole power = (__builtin_convertvector(n, Whole) + 127) << 23;
  return p * bits_of(power);
}

// Of numbers of at least 1: the sum of exponentials of which one is exp(0).
Lane logarithm(Lane x) {
  const Whole bits = bits_of(x);
  Whole exponent = (bits >> 23) - 126;
  Lane m = bits_of((bits & 0x7fffff) | 0x3f000000);  // in [0.5, 1)
  const Whole low = m < 0.707106781F;
  exponent += low;  // true is -1
  m = (low ? m + m : m) - 1.0F;
  const Lane z = m * m;
  Lane p = all(7.0376836292e-2F);
  p = p * m - 1.1514610310e-1F;
  p = p * m + 1.1676998740e-1F;
  p = p * m - 1.2420140846e-1F;
  p = p * m + 1.4249322787e-1F;
  p = p * m - 1.6668057665e-1F;
  p = p * m + 2.0000714765e-1F;
  p = p * m - 2.4999993993e-1F;
  p = p * m + 3.3333331174e-1F;
  const Lane e = __builtin_convertvector(exponent, Lane);
  return m + (p * m * z + e * -2.12194440e-4F - 0.5F * z) + e * 0.693359375F;
}

// A rational function; beyond 7.9 it is 1 in single precision. NaN stays NaN.
Lane hyperbolic_tangent(Lane x) {
  x = larger(smaller(x, all(7.90531110763549805F)), all(-7.90531110763549805F));
  const Lane z = x * x;
  Lane p = all(-2.76076847742355e-16F);
  p = p * z + 2.00018790482477e-13F;
  p = p * z - 8.60467152213735e-11F;
  p = p * z + 5.12229709037114e-08F;
  p = p * z + 1.48572235717979e-05F;
  p = p * z + 6.37261928875436e-04F;
  p = p * z + 4.89352455891786e-03F;
  Lane q = all(1.19825839466702e-06F);
  q = q * z + 1.18534705686654e-04F;
  q = q * z + 2.26843463243900e-03F;
  q = q * z + 4.89352518554385e-03F;
  return x * p / q;
}

Lane root(Lane x) {
  Lane result{};
  for (int i = 0; i < lanes; ++i) result[i] = __builtin_sqrtf(x[i]);
  return result;
}

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

// Inner numbers of left, and the column sums where wanted, for one register of columns.
template <int Inner>
void outer_block(const Product& p, int k, int column, float* sums) {
  Lane totals[Inner] = {};
  Lane plain{};
  const float* left = p.left + k * p.inner_step;
  const float* right = p.right + column;
  for (int row = 0; row < p.rows; ++row, left += p.row_step, right += p.columns) {
    const Lane values = load(right);
    for (int i = 0; i < Inner; ++i) totals[i] += left[i * p.inner_step] * values;
    plain += values;
  }
  for (int i = 0; i < Inner; ++i)
    store(p.out + static_cast<std::int64_t>(k + i) * p.columns + column, totals[i]);
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
    const Lane push = error * chosen_slope;
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
    sums.policy -= sum(real * log_chosen * error);
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

float rmsprop(const OptimizerStep& s) {
  Lane poison{};
  for (std::int64_t i = 0; i < s.count; i += lanes) {
    const Lane g = load(s.gradient + i) * s.scale;
    const Lane square = s.second_decay * load(s.second + i) + (1.0F - s.second_decay) * g * g;
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
    const Lane mean = s.first_decay * load(s.first + i) + (1.0F - s.first_decay) * g;
    const Lane square = s.second_decay * load(s.second + i) + (1.0F - s.second_decay) * g * g;
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
    HONE_KERNELS_NAME, multiply, dot,  outer,      tanh_all, relu_all, tanh_back,
    relu_back,         softmax,  loss, square_sum, rmsprop,  adam,
};

}  // namespace hone::dense
