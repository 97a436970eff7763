#include "worker/train/run/host.hpp"

#include <malloc.h>

#include <cstdlib>

namespace hone::trainers {

void tune_process() {
  // A process has one core's worth of work: more threads in the kernels only spin against its
  // neighbours. libtorch and OpenBLAS read these when they are loaded, which is later.
  setenv("OMP_NUM_THREADS", "1", 1);
  setenv("OMP_WAIT_POLICY", "PASSIVE", 1);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  // Tensors above the default threshold would be mapped and unmapped at every use.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
}

}  // namespace hone::trainers
