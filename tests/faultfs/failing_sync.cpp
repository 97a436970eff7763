// Loaded into a real server (LD_PRELOAD): from the moment a file named by HONE_FAILING_SYNC exists,
// no fsync succeeds, as on a disk that is about to fail. Replaces fsync and fdatasync only.
#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace {

bool is_failing() {
  const char* switch_file = std::getenv("HONE_FAILING_SYNC");
  return switch_file != nullptr && ::access(switch_file, F_OK) == 0;
}

int sync_or_fail(const char* name, int file) {
  if (is_failing()) {
    errno = EIO;
    return -1;
  }
  const auto real = reinterpret_cast<int (*)(int)>(::dlsym(RTLD_NEXT, name));
  return real(file);
}

}  // namespace

extern "C" int fsync(int file) { return sync_or_fail("fsync", file); }
extern "C" int fdatasync(int file) { return sync_or_fail("fdatasync", file); }
