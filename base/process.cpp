#include "base/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "base/files.hpp"

namespace hone {
namespace {

constexpr int exit_not_started = 127;  // as shells use it

// Pointers into `words`, as exec wants them: it does not change the strings.
std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> all;
  all.reserve(words.size() + 1);
  for (const auto& word : words) all.push_back(const_cast<char*>(word.c_str()));
  all.push_back(nullptr);
  return all;
}

// Async-signal-safe.
[[noreturn]] void give_up(int fault) {
  const int reason = errno;
  [[maybe_unused]] const auto written = ::write(fault, &reason, sizeof reason);
  ::_exit(exit_not_started);
}

void begin_exec(const ChildImage& image) {
  const int signal = image.spec().death_signal;
  if (signal != 0 && !end_with_parent(image.parent(), signal)) ::_exit(exit_not_started);
  image.exec();
}

// The child begins with every signal blocked: none may find it unprepared.
pid_t fork_blocked() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::fork();
  const int reason = errno;
  if (pid != 0) ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = reason;
  return pid;
}

// The errno that the child reported, or 0: the pipe closes when the program begins.
int read_fault(const FileHandle& fault) {
  int reason = 0;
  for (;;) {
    const auto got = ::read(fault.fd(), &reason, sizeof reason);
    if (got == static_cast<ssize_t>(sizeof reason)) return reason;
    if (got >= 0 || errno != EINTR) return 0;
  }
}

}  // namespace

ChildImage::ChildImage(const ProcessSpec& spec, int fault)
    : spec_(spec), argv_(pointers(spec.argv)), parent_(::getpid()), fault_(fault) {
  if (spec.env) env_ = pointers(*spec.env);
}

void ChildImage::exec() const {
  if (spec_.own_group) ::setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  if (spec_.file_bytes_max != 0) {
    const auto bytes = static_cast<rlim_t>(spec_.file_bytes_max);
    const rlimit bound{bytes, bytes};
    ::setrlimit(RLIMIT_FSIZE, &bound);  // never higher than before: a refusal leaves that
  }
  if (!spec_.folder.empty() && ::chdir(spec_.folder.c_str()) != 0) give_up(fault_);
  const int stdio[] = {spec_.in, spec_.out, spec_.err};
  for (int number = 0; number < 3; ++number)
    if (stdio[number] >= 0 && ::dup2(stdio[number], number) < 0) give_up(fault_);
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);  // libraries open some without the flag
  for (const int descriptor : spec_.inherited) ::fcntl(descriptor, F_SETFD, 0);
  char* const* env = spec_.env ? env_.data() : environ;
  if (spec_.program.empty())
    ::execvpe(argv_[0], argv_.data(), env);
  else
    ::execve(spec_.program.c_str(), argv_.data(), env);
  give_up(fault_);
}

Result<pid_t> start_process(const ProcessSpec& spec, void (*begin)(const ChildImage&)) {
  auto fault = make_pipe();
  if (!fault) return refuse(Code::busy, fault.error().detail);
  const ChildImage image(spec, fault->write.fd());
  const pid_t pid = fork_blocked();
  if (pid == 0) {
    (begin != nullptr ? begin : begin_exec)(image);
    ::_exit(exit_not_started);
  }
  if (pid < 0) return refuse(Code::busy, std::strerror(errno));
  fault->write.close();
  if (const int reason = read_fault(fault->read)) {
    wait_for(pid);
    return refuse(Code::invalid, std::strerror(reason));
  }
  return pid;
}

Result<pid_t> fork_process(const std::function<void()>& body) {
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return refuse(Code::busy, std::strerror(errno));
  if (pid > 0) return pid;
  if (!end_with_parent(parent, SIGKILL)) ::_exit(exit_not_started);
  body();
  ::_exit(0);
}

bool end_with_parent(pid_t parent, int signal) {
  // The parent may end before the kernel watches it.
  return ::prctl(PR_SET_PDEATHSIG, signal) == 0 && ::getppid() == parent;
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

namespace {

// Reads up to the end; false after `time_ms` or beyond `bytes_max`.
bool read_within(const FileHandle& file, int time_ms, std::size_t bytes_max, std::string& text) {
  using clock = std::chrono::steady_clock;
  const auto due = clock::now() + std::chrono::milliseconds(time_ms);
  std::array<char, 65536> piece;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - clock::now()).count();
    pollfd one{file.fd(), POLLIN, 0};
    const int wait = time_ms < 0 ? -1 : static_cast<int>(std::max<long long>(left, 0));
    const int ready = ::poll(&one, 1, wait);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const auto got = ::read(file.fd(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > bytes_max) return false;
  }
}

}  // namespace

std::optional<std::string> captured_output(ProcessSpec spec, int time_ms, std::size_t bytes_max) {
  auto output = make_pipe();
  const FileHandle null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!output || !null) return std::nullopt;
  spec.in = spec.err = null.fd();
  spec.out = output->write.fd();
  spec.own_group = true;
  spec.death_signal = SIGKILL;
  const auto pid = start_process(spec);
  if (!pid) return std::nullopt;
  output->write.close();
  std::string text;
  const bool whole = read_within(output->read, time_ms, bytes_max, text);
  if (!whole) ::kill(-*pid, SIGKILL);
  const int status = wait_for(*pid);
  if (!whole || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return text;
}

Error exec_program(const std::string& path, const std::vector<std::string>& argv) {
  ::execv(path.c_str(), pointers(argv).data());
  return refuse(Code::internal, std::strerror(errno));
}

}  // namespace hone
