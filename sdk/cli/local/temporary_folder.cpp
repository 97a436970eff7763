#include "sdk/cli/local/temporary_folder.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace hone::cli {
namespace {

// Ends the process that removes the folder from the signals that end this one, and from what reads
// the output of this one.
[[noreturn]] void remove_at_end(const FileHandle& life, const std::string& path) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(number, SIG_IGN);
  ::setsid();
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(fd);
  read_to_end(life);
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
  ::_exit(0);
}

// Starts a process that removes the folder when this one is gone. Without one, the folder stays
// after a signal.
FileHandle removed_with_this_process(const std::string& path) {
  auto pipe = make_pipe();
  if (!pipe) return {};
  // Twice, so that no command that waits for its children meets this one.
  const pid_t child = ::fork();
  if (child < 0) return {};
  if (child == 0) {
    pipe->write.close();
    if (::fork() == 0) remove_at_end(pipe->read, path);
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  return std::move(pipe->write);
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::make(const std::string& name,
                                              std::filesystem::path parent) {
  std::error_code failure;
  if (parent.empty()) parent = std::filesystem::temp_directory_path(failure);
  std::string path = (parent / (name + "-XXXXXX")).string();
  if (failure || ::mkdtemp(path.data()) == nullptr)
    return refuse(Code::internal, "cannot make a temporary folder, " + path +
                                      "; set TMPDIR to a folder that can be written");
  FileHandle life = removed_with_this_process(path);
  return TemporaryFolder(std::move(path), std::move(life));
}

TemporaryFolder::TemporaryFolder(std::string path, FileHandle life)
    : path_(std::move(path)), life_(std::move(life)) {}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), life_(std::move(other.life_)) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace hone::cli
