#include <array>

#include "worker/train/nn/kernels/kernels.hpp"

namespace hone::dense {

extern const Kernels portable_kernels;
#ifdef HONE_X86_KERNELS
extern const Kernels avx2_kernels;
extern const Kernels avx512_kernels;
#endif

std::span<const Kernels* const> usable_kernels() {
#ifdef HONE_X86_KERNELS
  static constexpr std::array rows{&portable_kernels, &avx2_kernels, &avx512_kernels};
  const std::span<const Kernels* const> all(rows);
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return all.first(1);
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
  return wide ? all : all.first(2);
#else
  static constexpr std::array rows{&portable_kernels};
  return rows;
#endif
}

const Kernels& best_kernels() { return *usable_kernels().back(); }

}  // namespace hone::dense
