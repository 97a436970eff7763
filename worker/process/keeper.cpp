#include "worker/process/keeper.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace hone::worker {
namespace {

// Parses the numbers of a text such as "12 345 6 ", piece by piece; does not allocate.
class Numbers {
 public:
  template <class Each>
  void take(const char* begin, const char* end, Each each) {
    for (const char* at = begin; at != end; ++at) {
      if (*at >= '0' && *at <= '9') {
        number_ = number_ * 10 + (*at - '0');
      } else if (number_ > 0) {
        each(number_);
        number_ = 0;
      }
    }
  }

 private:
  pid_t number_ = 0;
};

template <class Each>
void each_child(Each each) {
  const int file = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  std::array<char, 4096> piece;
  Numbers numbers;
  for (;;) {
    const auto got = ::read(file, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    numbers.take(piece.data(), piece.data() + got, each);
  }
  ::close(file);
}

// The children of a killed process become children of this one: repeats until none is left.
void kill_all() {
  for (;;) {
    each_child([](pid_t pid) { ::kill(pid, SIGKILL); });
    pid_t ended = 0;
    do ended = ::waitpid(-1, nullptr, 0);
    while (ended < 0 && errno == EINTR);
    if (ended < 0) return;  // no child is left
  }
}

[[noreturn]] void end_as(int status) {
  if (!WIFSIGNALED(status)) ::_exit(WEXITSTATUS(status));
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const int number = WTERMSIG(status);
  ::signal(number, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  ::kill(::getpid(), number);
  ::sigprocmask(SIG_UNBLOCK, &one, nullptr);
  ::_exit(128 + number);
}

// Waits until the trial has ended and returns its status. Kills it and exits if the worker dies.
int watch(pid_t trial, pid_t parent) {
  sigset_t awaited;
  sigemptyset(&awaited);
  for (const int number : {SIGCHLD, keeper_end, keeper_kill}) sigaddset(&awaited, number);
  for (;;) {
    int status = 0;
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, &status, WNOHANG)) > 0)
      if (ended == trial) return status;
    if (::getppid() != parent) {  // the worker is gone
      kill_all();
      ::_exit(0);
    }
    const int number = ::sigwaitinfo(&awaited, nullptr);
    if (number == keeper_end && ::getppid() == parent) ::kill(-trial, SIGTERM);
    if (number == keeper_kill) ::kill(trial, SIGKILL);
  }
}

void close_files() {
  const int null = ::open("/dev/null", O_RDWR);
  for (int file = 0; file < 3; ++file) ::dup2(null, file);
  ::close_range(3, ~0U, 0);
}

// The trial begins when the keeper has closed its end of the pipe, with all its files: one that
// stopped its keeper before would leave the worker waiting for the end of `fault`.
[[noreturn]] void begin_after(std::array<int, 2> gate, void (*begin)(const void*),
                              const void* context) {
  ::close(gate[1]);
  char nothing = 0;
  while (::read(gate[0], &nothing, 1) < 0 && errno == EINTR) continue;
  begin(context);
  ::_exit(127);
}

}  // namespace

void keep(pid_t parent, void (*begin)(const void*), const void* context, int fault) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_NAME, "hone-keeper");
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_PDEATHSIG, keeper_end);
  std::array<int, 2> gate{-1, -1};
  const pid_t trial = ::pipe2(gate.data(), O_CLOEXEC) == 0 ? ::_Fork() : -1;
  if (trial == 0) begin_after(gate, begin, context);
  if (trial < 0) {
    const int reason = errno;
    [[maybe_unused]] const auto written = ::write(fault, &reason, sizeof reason);
    ::_exit(127);
  }
  ::setpgid(trial, trial);  // the trial does the same: either may come first
  close_files();
  const int status = watch(trial, parent);
  kill_all();
  end_as(status);
}

void end_strays(const pid_t* known, std::size_t count) {
  each_child([&](pid_t pid) {
    if (std::binary_search(known, known + count, pid)) return;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, WNOHANG);
  });
}

}  // namespace hone::worker
