#include "worker/process/child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "worker/process/keeper.hpp"

namespace hone::worker {
namespace {

std::string_view path_of(const std::vector<std::string>& env) {
  constexpr std::string_view key = "PATH=";
  for (const auto& entry : env)
    if (entry.starts_with(key)) return std::string_view(entry).substr(key.size());
  return "/usr/local/bin:/usr/bin:/bin";
}

bool is_program(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

// Done here and not in the child: a refusal can say what was looked for and where.
Result<std::string> find_program(const ChildSpec& spec) {
  const std::string& name = spec.argv.front();
  if (name.find('/') != std::string::npos) {
    const std::string path = name.starts_with('/') ? name : spec.folder + "/" + name;
    if (is_program(path)) return path;
    return refuse(Code::not_found, path + " is not a program that this user may run");
  }
  std::string_view rest = path_of(spec.env);
  while (!rest.empty()) {
    const auto end = rest.find(':');
    const std::string path = std::string(rest.substr(0, end)) + "/" + name;
    if (is_program(path)) return path;
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
  return refuse(Code::not_found, "there is no program '" + name + "' on the worker's PATH");
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> all;
  all.reserve(words.size() + 1);
  for (const auto& word : words)
    all.push_back(const_cast<char*>(word.c_str()));  // as execve wants them
  all.push_back(nullptr);
  return all;
}

// All that the child needs, made before the fork: after it only async-signal-safe calls are
// allowed.
struct Launch {
  const char* program;
  char* const* argv;
  char* const* env;
  const char* folder;
  int null, out, err, fault;
  pid_t parent;
  rlim_t file_bytes_max;
};

[[noreturn]] void give_up(const Launch& launch) {
  const int reason = errno;
  [[maybe_unused]] const auto written = ::write(launch.fault, &reason, sizeof reason);
  ::_exit(127);
}

void become(const void* context) {
  const auto& launch = *static_cast<const Launch*>(context);
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // with its keeper; should that die first, the exec says so
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  if (launch.file_bytes_max != 0) {
    const rlimit bound{launch.file_bytes_max, launch.file_bytes_max};
    ::setrlimit(RLIMIT_FSIZE, &bound);  // never higher than before: a refusal leaves that
  }
  if (::chdir(launch.folder) != 0) give_up(launch);
  if (::dup2(launch.null, 0) < 0 || ::dup2(launch.out, 1) < 0 || ::dup2(launch.err, 2) < 0)
    give_up(launch);
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);  // libraries open some without the flag
  ::execve(launch.program, launch.argv, launch.env);
  give_up(launch);
}

// The reason the child gave up for, or 0: the pipe closes when the program begins.
int read_fault(const FileHandle& fault) {
  int reason = 0;
  for (;;) {
    const auto got = ::read(fault.fd(), &reason, sizeof reason);
    if (got == static_cast<ssize_t>(sizeof reason)) return reason;
    if (got >= 0 || errno != EINTR) return 0;
  }
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

void set_nonblocking(const FileHandle& file) { ::fcntl(file.fd(), F_SETFL, O_NONBLOCK); }

}  // namespace

Result<Child> start_child(const ChildSpec& spec) {
  if (spec.argv.empty() || spec.argv.front().empty())
    return refuse(Code::invalid, "the command is empty");
  const auto program = find_program(spec);
  if (!program) return program.error();
  auto out = make_pipe();
  auto err = make_pipe();
  auto fault = make_pipe();
  const FileHandle null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!out || !err || !fault || !null)
    return refuse(Code::busy, "this worker is out of file descriptors");

  const auto argv = pointers(spec.argv);
  const auto env = pointers(spec.env);
  const Launch launch{program->c_str(), argv.data(),
                      env.data(),       spec.folder.c_str(),
                      null.fd(),        out->write.fd(),
                      err->write.fd(),  fault->write.fd(),
                      ::getpid(),       static_cast<rlim_t>(spec.file_bytes_max)};
  const pid_t pid = fork_blocked();
  if (pid < 0)
    return refuse(Code::busy, std::string("no process can be started: ") + std::strerror(errno));
  if (pid == 0) keep(launch.parent, become, &launch, launch.fault);
  fault->write.close();
  if (const int reason = read_fault(fault->read)) {
    ::waitpid(pid, nullptr, 0);
    return refuse(Code::invalid,
                  "cannot run " + *program + " in " + spec.folder + ": " + std::strerror(reason));
  }
  set_nonblocking(out->read);
  set_nonblocking(err->read);
  return Child{pid, std::move(out->read), std::move(err->read)};
}

void signal_child(pid_t pid, int signal) {
  ::kill(pid, signal == SIGKILL ? keeper_kill : keeper_end);
}

std::optional<ChildEnd> collect_child(pid_t pid) {
  int status = 0;
  if (::waitpid(pid, &status, WNOHANG) != pid) return std::nullopt;
  if (WIFSIGNALED(status)) return ChildEnd{true, WTERMSIG(status)};
  return ChildEnd{false, WEXITSTATUS(status)};
}

}  // namespace hone::worker
