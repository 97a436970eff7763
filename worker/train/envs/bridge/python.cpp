#include "worker/train/envs/bridge/python.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

namespace hone::envs::bridge {
namespace {

constexpr std::string_view host_source =
#include "host_source.inc"
    ;

// One thread for each process: libraries that start a thread for each core would start them in
// every group.
std::vector<std::string> environment_of_host() {
  std::vector<std::string> variables;
  for (char** one = environ; *one != nullptr; ++one) variables.emplace_back(*one);
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"})
    if (std::getenv(name) == nullptr) variables.push_back(std::string(name) + "=1");
  if (std::getenv("PYGAME_HIDE_SUPPORT_PROMPT") == nullptr)
    variables.emplace_back("PYGAME_HIDE_SUPPORT_PROMPT=1");
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (auto& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

// In the child, between fork and exec: only what is safe there.
[[noreturn]] void become(char* const* words, char* const* variables, const int* inherited,
                         std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) ::fcntl(inherited[i], F_SETFD, 0);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execvpe(words[0], words, variables);
  const char text[] = "hone-train: cannot start Python; name one in HONE_PYTHON\n";
  [[maybe_unused]] const auto written = ::write(2, text, sizeof text - 1);
  ::_exit(127);
}

}  // namespace

std::string python_program() {
  if (const char* named = std::getenv("HONE_PYTHON"); named != nullptr && *named != 0) return named;
  if (const char* home = std::getenv("HOME"); home != nullptr) {
    const auto installed = std::filesystem::path(home) / ".hone" / "python" / "bin" / "python";
    std::error_code absent;
    if (std::filesystem::exists(installed, absent)) return installed.string();
  }
  return "python3";
}

Result<Python> Python::start(const std::vector<std::string>& words,
                             std::initializer_list<int> inherited) {
  std::vector<std::string> line{python_program(), "-c", std::string(host_source)};
  line.insert(line.end(), words.begin(), words.end());
  auto variables = environment_of_host();
  const auto line_pointers = pointers(line);
  const auto variable_pointers = pointers(variables);
  const pid_t process = ::fork();
  if (process == 0)
    become(line_pointers.data(), variable_pointers.data(), inherited.begin(), inherited.size());
  if (process < 0)
    return refuse(Code::internal, std::string("cannot start Python: ") + std::strerror(errno));
  Descriptor watch(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  if (!watch.is_open()) {
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
    return refuse(Code::internal, std::string("cannot watch a process: ") + std::strerror(errno));
  }
  return Python(process, std::move(watch));
}

Python::Python(Python&& other) noexcept
    : process_(std::exchange(other.process_, -1)), watch_(std::move(other.watch_)) {}

Python::~Python() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  ending();
}

std::string Python::ending() {
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  if (WIFSIGNALED(status)) return "was killed by signal " + std::to_string(WTERMSIG(status));
  return "ended with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace hone::envs::bridge
