#include "worker/train/envs/bridge/python.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/process.hpp"

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

// Python reads host.py from a descriptor: as an argument, all of it would stand in lists of
// processes.
Result<FileHandle> source_file() {
  FileHandle file(::memfd_create("host.py", MFD_CLOEXEC));
  if (!file)
    return refuse(Code::internal, std::string("cannot keep host.py: ") + std::strerror(errno));
  if (auto written = write_all(file, host_source); !written) return std::move(written).error();
  ::lseek(file.fd(), 0, SEEK_SET);
  return file;
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
  const auto source = source_file();
  if (!source) return source.error();
  std::vector<int> descriptors(inherited);
  descriptors.push_back(source->fd());
  const std::string run = "exec(compile(open(" + std::to_string(source->fd()) +
                          ", encoding='utf-8').read(), 'host.py', 'exec'))";
  std::vector<std::string> line{python_program(), "-c", run};
  line.insert(line.end(), words.begin(), words.end());
  const auto process =
      start_process({.argv = line, .env = environment_of_host(), .inherited = descriptors});
  if (!process)
    return refuse(Code::invalid,
                  "cannot start Python: " + process.error().detail + "; name one in HONE_PYTHON",
                  "/env");
  FileHandle watch(static_cast<int>(::syscall(SYS_pidfd_open, *process, 0)));
  if (!watch) {
    const int reason = errno;
    ::kill(*process, SIGKILL);
    wait_for(*process);
    return refuse(Code::internal, std::string("cannot watch a process: ") + std::strerror(reason));
  }
  return Python(*process, std::move(watch));
}

Python::Python(Python&& other) noexcept
    : process_(std::exchange(other.process_, -1)), watch_(std::move(other.watch_)) {}

Python::~Python() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  ending();
}

std::string Python::ending() {
  const int status = wait_for(std::exchange(process_, -1));
  if (WIFSIGNALED(status)) return "was killed by signal " + std::to_string(WTERMSIG(status));
  return "ended with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace hone::envs::bridge
