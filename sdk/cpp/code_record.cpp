#include "sdk/cpp/code_record.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/process.hpp"
#include "base/sha256.hpp"
#include "sdk/cpp/git.hpp"
#include "sdk/cpp/secrets.hpp"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view commit_of_this_build =
#include "build_commit.inc"
    ;

constexpr int list_ms = 5000;  // a Python with 1,000 packages needs about one second
constexpr std::size_t list_bytes_max = 1 << 20;
constexpr std::size_t known_max = 64;  // lists that are remembered

// Ends the packages; the folders that they are in follow.
constexpr char list_end = '\f';

constexpr const char* list_python =
    "import importlib.metadata as m, platform as p, sys\n"
    "print(p.python_implementation(), p.python_version(), p.platform())\n"
    "print('\\n'.join(sorted({f\"{d.metadata['Name']}=={d.version}\""
    " for d in m.distributions()})))\n"
    "print('\\f' + '\\n'.join(sys.path[1:]))";

bool is_python(const std::string& program) {
  return fs::path(program).filename().string().starts_with("python");
}

std::optional<std::int64_t> change_time(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return info.st_mtim.tv_sec * std::int64_t{1'000'000'000} + info.st_mtim.tv_nsec;
}

// The file that `name` starts; empty if there is none.
std::string program_file(const std::string& name, const std::string& folder) {
  if (name.find('/') != std::string::npos)
    return name.front() == '/' || folder.empty() ? name : folder + "/" + name;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string one; std::getline(folders, one, ':');)
    if (::access((one + "/" + name).c_str(), X_OK) == 0) return one + "/" + name;
  return {};
}

// "libm.so.6 => /lib/libm.so.6" of each line of ldd: without the addresses, which change.
std::string without_addresses(const std::string& listed) {
  std::istringstream lines(listed);
  std::string text;
  for (std::string line; std::getline(lines, line);)
    text += line.substr(0, line.find(" (0x")) + "\n";
  return text;
}

}  // namespace

std::string_view build_commit() { return commit_of_this_build; }

void record_git(const std::string& folder, WorkflowInfo& info, WorkflowTexts& texts) {
  const auto git = Git::open(folder);
  if (!git) return;
  const auto head = git->output({"rev-parse", "HEAD", "--abbrev-ref", "HEAD"});
  if (!head || head->find('\n') == std::string::npos) return;
  auto patch = git->output({"diff", "--no-color", "--no-ext-diff", "--no-textconv",
                            "--ignore-submodules=dirty", "--binary", "HEAD"});
  if (!patch) return;
  std::istringstream lines(*head);
  std::getline(lines, info.git_commit);
  std::getline(lines, info.git_branch);
  if (info.git_branch == "HEAD") info.git_branch.clear();  // detached
  texts.patch = *std::move(patch);
  info.patch_sha256 = texts.patch.empty() ? std::string() : sha256_hex(texts.patch);
}

std::string EnvironmentRecorder::list(const std::vector<std::string>& command,
                                      const std::string& folder) {
  if (command.empty()) return {};
  const std::string program = program_file(command.front(), folder);
  if (program.empty()) return {};
  const std::scoped_lock lock(mutex_);
  const auto key = std::pair{program, folder};
  if (const auto known = known_.find(key); known != known_.end()) {
    bool same = true;
    for (const auto& [file, time] : known->second.files)
      same = same && change_time(file).value_or(0) == time;
    if (same) return known->second.text;
    known_.erase(known);
  }
  if (known_.size() >= known_max) known_.clear();
  return known_.emplace(key, list_now(program, is_python(command.front()), folder))
      .first->second.text;
}

EnvironmentRecorder::Known EnvironmentRecorder::list_now(const std::string& program, bool python,
                                                         const std::string& folder) {
  Known known;
  const auto watch = [&](const std::string& file) {
    known.files.emplace_back(file, change_time(file).value_or(0));
  };
  watch(program);
  if (!python) {
    const auto digest = digest_of_file(program);
    if (!digest) return known;
    known.text = fs::path(program).filename().string() + " sha256:" + digest->sha256 + "\n";
    const auto libraries = captured_output({.argv = {"ldd", program}}, list_ms, list_bytes_max);
    if (libraries) known.text += without_addresses(*libraries);
    return known;
  }
  const auto listed = captured_output({.argv = {program, "-c", list_python},
                                       .env = environment_without_secrets(),
                                       .folder = folder},
                                      list_ms, list_bytes_max);
  if (!listed) return known;
  const auto end = listed->find(list_end);
  known.text = listed->substr(0, end);
  std::istringstream folders(end == std::string::npos ? "" : listed->substr(end + 1));
  for (std::string one; std::getline(folders, one);) watch(one);
  return known;
}

}  // namespace hone
