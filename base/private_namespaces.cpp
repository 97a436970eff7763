#include "base/private_namespaces.hpp"

#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/files.hpp"

namespace hone {
namespace {

constexpr int exit_of_no_program = 127;

// All below runs between fork and exec: async-signal-safe calls alone.

bool write_text(const char* file, const char* text, std::size_t size) {
  const int fd = ::open(file, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool whole = ::write(fd, text, size) == static_cast<ssize_t>(size);
  const int reason = errno;
  ::close(fd);
  errno = reason;
  return whole;
}

// "1000 1000 1": the account keeps its number.
bool write_map(const char* file, unsigned id) {
  std::array<char, 32> text{};
  std::size_t size = 0;
  for (int twice = 0; twice < 2; ++twice) {
    std::array<char, 12> digits{};
    std::size_t count = 0;
    unsigned left = id;
    do {
      digits[count++] = static_cast<char>('0' + left % 10);
      left /= 10;
    } while (left != 0);
    while (count > 0) text[size++] = digits[--count];
    text[size++] = ' ';
  }
  text[size++] = '1';
  return write_text(file, text.data(), size);
}

// Programs of one machine talk to themselves over 127.0.0.1.
bool raise_loopback() {
  const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  ifreq request{};
  std::memcpy(request.ifr_name, "lo", 3);
  request.ifr_flags = IFF_UP;
  const bool up = ::ioctl(fd, SIOCSIFFLAGS, &request) == 0;
  ::close(fd);
  return up;
}

bool enter() {
  const unsigned user = ::getuid(), group = ::getgid();
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWIPC) != 0)
    return false;
  return write_text("/proc/self/setgroups", "deny", 4) && write_map("/proc/self/uid_map", user) &&
         write_map("/proc/self/gid_map", group) && raise_loopback() &&
         ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

// In the first process of the namespace, whose end ends all others of it.
bool begin_first() {
  return ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
         ::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0;
}

[[noreturn]] void report_failure(int fault) {
  const int reason = errno;
  [[maybe_unused]] const auto written = ::write(fault, &reason, sizeof reason);
  ::_exit(exit_of_no_program);
}

// Ends as the program ended.
[[noreturn]] void wait_in_place_of(pid_t first) {
  ::close_range(0, ~0U, 0);  // the program's pipes end with the program
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  int status = 0;
  while (::waitpid(first, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    ::signal(WTERMSIG(status), SIG_DFL);
    ::raise(WTERMSIG(status));
  }
  ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : exit_of_no_program);
}

}  // namespace

Status check_private_namespaces() {
  const auto refused = [](const char* reason) {
    return refuse(Code::conflict,
                  std::string("this system does not let this account make private namespaces (") +
                      reason +
                      "), so nothing was run: allow them (sysctl kernel.unprivileged_userns_clone, "
                      "kernel.apparmor_restrict_unprivileged_userns, user.max_user_namespaces), or "
                      "run the command without --sandbox in a container without a network");
  };
  const ProcessSpec nothing{.argv = {"true"}, .death_signal = SIGKILL};
  const auto pid = start_process(nothing, begin_in_private_namespaces);
  if (!pid) return refused(pid.error().detail.c_str());
  return wait_for(*pid) == 0 ? Status(Done{}) : refused("a program there fails");
}

void begin_in_private_namespaces(const ChildImage& image) {
  const int signal = image.spec().death_signal;
  if (signal != 0 && !end_with_parent(image.parent(), signal)) ::_exit(exit_of_no_program);
  if (!enter()) report_failure(image.fault());
  const pid_t first = ::fork();
  if (first < 0) report_failure(image.fault());
  if (first > 0) wait_in_place_of(first);
  if (!begin_first()) report_failure(image.fault());
  image.exec();
}

}  // namespace hone
