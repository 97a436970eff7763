#include "worker/trainers/host.hpp"

#include <dlfcn.h>
#include <malloc.h>

#include <cstdlib>

namespace hone::trainers {

void tune_process() {
  // A process has one core's worth of work: more threads in the kernels only spin against its
  // neighbours.
  setenv("OMP_NUM_THREADS", "1", 1);
  setenv("OMP_WAIT_POLICY", "PASSIVE", 1);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  // OpenBLAS read its variable when it was loaded, before main.
  using SetThreads = void (*)(int);
  if (void* symbol = dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))
    reinterpret_cast<SetThreads>(symbol)(1);  // POSIX guarantees this conversion
  // Tensors above the default threshold would be mapped and unmapped at every use.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
}

}  // namespace hone::trainers
