// A register of floats and its operations. Only kernel_code.cpp includes it, which is compiled with
// several instruction sets: everything here has internal linkage.
#pragma once

#include <cstdint>
#include <utility>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

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
// The same for an address that is not aligned.
using Anywhere = float __attribute__((vector_size(lanes * sizeof(float)), aligned(sizeof(float))));
Lane get(const float* from) { return *reinterpret_cast<const Anywhere*>(from); }
Lane all(float value) { return value - Lane{}; }
Lane bits_of(Whole bits) { return reinterpret_cast<Lane>(bits); }
Whole bits_of(Lane values) { return reinterpret_cast<Whole>(values); }
// Returns NaN if the first argument is NaN.
Lane larger(Lane a, Lane b) { return a < b ? b : a; }
Lane smaller(Lane a, Lane b) { return a > b ? b : a; }
constexpr int smaller_of(int a, int b) { return a < b ? a : b; }

// A bit for each number: 1 if it is below 0.
unsigned signs(Whole values) {
#if HONE_LANES == 16
  return _mm512_movepi32_mask(reinterpret_cast<__m512i>(values));
#elif HONE_LANES == 8
  return static_cast<unsigned>(_mm256_movemask_ps(reinterpret_cast<__m256>(values)));
#elif defined(__SSE2__)
  return static_cast<unsigned>(_mm_movemask_ps(reinterpret_cast<__m128>(values)));
#else
  unsigned bits = 0;
  for (int i = 0; i < lanes; ++i) bits |= static_cast<unsigned>(values[i] < 0) << i;
  return bits;
#endif
}

// A bit for each number: 1 if it is not 0.
unsigned others_than_zero(Lane values) {
#if HONE_LANES == 16
  return _mm512_cmp_ps_mask(reinterpret_cast<__m512>(values), __m512{}, _CMP_NEQ_UQ);
#else
  return signs(values != 0.0F);
#endif
}

// Swaps the off-diagonal halves of every square of 2 * Step by 2 * Step numbers.
template <int Step, int... Column>
void swap_halves(Lane (&rows)[lanes], std::integer_sequence<int, Column...>) {
  for (int i = 0; i < lanes; ++i) {
    if ((i & Step) != 0) continue;
    const Lane upper = rows[i], lower = rows[i + Step];
    rows[i] =
        __builtin_shufflevector(upper, lower, (Column & Step ? lanes + Column - Step : Column)...);
    rows[i + Step] =
        __builtin_shufflevector(upper, lower, (Column & Step ? lanes + Column : Column + Step)...);
  }
}

// Transposes.
void turn(Lane (&rows)[lanes]) {
  constexpr std::make_integer_sequence<int, lanes> columns{};
  swap_halves<1>(rows, columns);
  swap_halves<2>(rows, columns);
#if HONE_LANES > 4
  swap_halves<4>(rows, columns);
#endif
#if HONE_LANES > 8
  swap_halves<8>(rows, columns);
#endif
}

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

// exp(x), accurate to 2 units in the last place: 2^n times a polynomial of the rest.
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

// log(x) for x >= 1, as a sum of exponentials is of which one is exp(0).
Lane logarithm(Lane x) {
  const Whole bits = bits_of(x);
  Whole exponent = (bits >> 23) - 126;
  Lane m = bits_of((bits & 0x7fffff) | 0x3f000000);  // in [0.5, 1)
  const Whole low = m < 0.707106781F;
  exponent += low;  // a true comparison is -1
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

// tanh(x) by a rational function; beyond 7.9 it is 1 in single precision. NaN stays NaN.
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

}  // namespace
}  // namespace hone::dense
