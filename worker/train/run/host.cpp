#include "worker/train/run/host.hpp"

#include <malloc.h>

#include <cstdlib>

namespace hone::trainers {

void tune_process() {
  // One thread for arithmetic: a process has work for one core, and more threads slow other
  // processes down. libtorch and OpenBLAS read these variables when they are loaded, which is
  // later.
  setenv("OMP_NUM_THREADS", "1", 1);
  setenv("OMP_WAIT_POLICY", "PASSIVE", 1);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  // Tensors above the default threshold would be mapped and unmapped at each use.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
}

}  // namespace hone::trainers
