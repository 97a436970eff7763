#include "sdk/cli/local/programs.hpp"

#include <unistd.h>

#include <filesystem>
#include <limits>

#include "base/process.hpp"

namespace hone::cli {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

Result<std::string> find_program(const std::string& name) {
  std::error_code trouble;
  const fs::path here = fs::read_symlink("/proc/self/exe", trouble).parent_path();
  const fs::path sibling = here / name;
  if (!trouble && access(sibling.c_str(), X_OK) == 0) return sibling.string();
  if (const auto found = on_path(name)) return *found;
  return refuse(Code::not_found,
                name + " is neither in " + here.string() +
                    " (where this hone is) nor on PATH; build it there, or install hone again");
}

std::optional<std::string> output_of(const std::vector<std::string>& argv) {
  return captured_output({.argv = argv}, -1, std::numeric_limits<std::size_t>::max());
}

Error become(const std::string& program, const std::vector<std::string>& arguments) {
  const auto path = find_program(program);
  if (!path) return path.error();
  std::vector<std::string> argv = {*path};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const Error failed = exec_program(*path, argv);
  return refuse(failed.code, "cannot start " + *path + ": " + failed.detail);
}

}  // namespace hone::cli
