#include "sdk/cli/local/programs.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace hone::cli {
namespace {

namespace fs = std::filesystem;

// The C interfaces want pointers into strings that they do not change.
std::vector<char*> pointers(const std::vector<std::string>& argv) {
  std::vector<char*> out;
  for (const auto& word : argv) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

std::optional<std::string> on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string rest = path == nullptr ? "" : path;
  for (std::size_t at = 0; at < rest.size();) {
    const auto end = std::min(rest.find(':', at), rest.size());
    const fs::path candidate = fs::path(rest.substr(at, end - at)) / name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate.string();
    at = end + 1;
  }
  return std::nullopt;
}

std::string read_all(int descriptor) {
  std::string all;
  std::array<char, 65536> buffer{};
  while (true) {
    const ssize_t got = read(descriptor, buffer.data(), buffer.size());
    if (got > 0)
      all.append(buffer.data(), static_cast<std::size_t>(got));
    else if (got == 0 || errno != EINTR)
      return all;
  }
}

bool ended_well(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

Result<std::string> find_program(const std::string& name) {
  std::error_code trouble;
  const fs::path here = fs::read_symlink("/proc/self/exe", trouble).parent_path();
  const fs::path beside = here / name;
  if (!trouble && access(beside.c_str(), X_OK) == 0) return beside.string();
  if (const auto found = on_path(name)) return *found;
  return refuse(Code::not_found,
                name + " is neither in " + here.string() +
                    " (where this hone is) nor on PATH; build it there, or install hone again");
}

std::optional<std::string> output_of(const std::vector<std::string>& argv) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  auto words = pointers(argv);
  const int trouble = posix_spawnp(&pid, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output = trouble == 0 ? read_all(ends[0]) : "";
  close(ends[0]);
  if (trouble != 0 || !ended_well(pid)) return std::nullopt;
  return output;
}

Error become(const std::string& program, const std::vector<std::string>& arguments) {
  const auto path = find_program(program);
  if (!path) return path.error();
  std::vector<std::string> argv = {*path};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  auto words = pointers(argv);
  execv(words[0], words.data());
  return refuse(Code::internal, "cannot start " + *path + ": " + std::strerror(errno));
}

}  // namespace hone::cli
