// Functions of glibc 2.28 to 2.36 that hone and libstdc++ call, for programs that also run with older ones
// (portable.cmake). Where an older kernel has no such call either, they do the same in several steps.
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

constexpr long nanoseconds = 1'000'000'000;
constexpr unsigned cloexec = 1U << 2;  // CLOSE_RANGE_CLOEXEC

// The head of what getdents64 writes; the name follows.
struct Entry {
  std::uint64_t inode;
  std::int64_t offset;
  unsigned short size;
  unsigned char type;
  char name[1];
};

void close_one(unsigned first, unsigned last, unsigned flags, int folder, const char* name) {
  unsigned number = 0;
  for (; *name >= '0' && *name <= '9'; ++name)
    number = number * 10 + static_cast<unsigned>(*name - '0');
  if (*name != '\0' || number < first || number > last || static_cast<int>(number) == folder)
    return;
  if ((flags & cloexec) != 0)
    ::fcntl(static_cast<int>(number), F_SETFD, FD_CLOEXEC);
  else
    ::close(static_cast<int>(number));
}

}  // namespace

extern "C" {

// libstdc++ leaves out atomic operations while this is not 0.
char __libc_single_threaded = 0;

// Waits until a time of `clock`, on a condition whose clock is the default one.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* until) {
  timespec theirs{};
  timespec ours{};
  ::clock_gettime(clock, &theirs);
  ::clock_gettime(CLOCK_REALTIME, &ours);
  ours.tv_sec += until->tv_sec - theirs.tv_sec;
  ours.tv_nsec += until->tv_nsec - theirs.tv_nsec;
  if (ours.tv_nsec < 0) ours.tv_nsec += nanoseconds, --ours.tv_sec;
  if (ours.tv_nsec >= nanoseconds) ours.tv_nsec -= nanoseconds, ++ours.tv_sec;
  return ::pthread_cond_timedwait(condition, mutex, &ours);
}

std::uint32_t arc4random() {
  std::uint32_t number = 0;
  while (::getrandom(&number, sizeof number, 0) != sizeof number)
    if (errno != EINTR) std::abort();
  return number;
}

// The same as fcntl where files have 64-bit offsets anyway. Every argument fits a pointer.
int fcntl64(int file, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  return ::fcntl(file, command, argument);
}

// Async-signal-safe, as fork is not. For a child that calls exec.
pid_t _Fork() { return static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); }

// Async-signal-safe. Linux before 5.9 has no such call, and before 5.11 not the flag.
int close_range(unsigned first, unsigned last, int flags) {
  if (::syscall(SYS_close_range, first, last, flags) == 0) return 0;
  const int folder = ::open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return -1;
  std::array<char, 4096> buffer;
  for (long size = 0; (size = ::syscall(SYS_getdents64, folder, buffer.data(), buffer.size())) > 0;)
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const Entry*>(buffer.data() + at);
      close_one(first, last, static_cast<unsigned>(flags), folder, entry->name);
      at += entry->size;
    }
  ::close(folder);
  return 0;
}

}  // extern "C"
