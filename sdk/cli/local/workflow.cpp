#include "sdk/cli/local/workflow.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/sha256.hpp"
#include "sdk/cli/local/programs.hpp"

namespace hone::cli {
namespace {

// The command line as typed, from the kernel, so that no command has to pass it here.
std::vector<std::string> own_command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string user_name() {
  if (const passwd* entry = getpwuid(geteuid())) return entry->pw_name;
  const char* user = std::getenv("USER");
  return user != nullptr ? user : "";
}

std::string first_line(const std::optional<std::string>& text) {
  return text ? text->substr(0, text->find('\n')) : std::string();
}

// Without the user's display settings.
std::string patch_text() {
  return output_of({"git", "--no-optional-locks", "diff", "--no-color", "--no-ext-diff", "--binary",
                    "HEAD"})
      .value_or(std::string());
}

// Like pip freeze, but several times faster.
std::string python_packages(const std::vector<std::string>& command) {
  if (command.empty()) return {};
  const std::string name = std::filesystem::path(command.front()).filename().string();
  if (!name.starts_with("python")) return {};
  return output_of({command.front(), "-c",
                    "import importlib.metadata as m, platform as p\n"
                    "print(p.python_implementation(), p.python_version(), p.platform())\n"
                    "print('\\n'.join(sorted({f\"{d.metadata['Name']}=={d.version}\""
                    " for d in m.distributions()})))"})
      .value_or(std::string());
}

std::string digest_of(const std::string& text) {
  return text.empty() ? std::string() : sha256_hex(text);
}

void record_git(WorkflowInfo& info, WorkflowTexts& texts) {
  info.git_commit = first_line(output_of({"git", "rev-parse", "--verify", "HEAD"}));
  if (info.git_commit.empty()) return;
  info.git_branch = first_line(output_of({"git", "symbolic-ref", "--short", "HEAD"}));
  texts.patch = patch_text();
  info.patch_sha256 = digest_of(texts.patch);
}

}  // namespace

WorkflowInfo record_workflow(const std::vector<std::string>& command, WorkflowTexts* texts) {
  WorkflowInfo info;
  WorkflowTexts own;
  info.command = own_command_line();
  std::error_code trouble;
  info.cwd = std::filesystem::current_path(trouble).string();
  info.host = host_name();
  info.user = user_name();
  info.hone_version = HONE_VERSION;
  record_git(info, own);
  own.environment = python_packages(command);
  info.environment_sha256 = digest_of(own.environment);
  if (texts != nullptr) *texts = std::move(own);
  return info;
}

std::string user_at_host() { return user_name() + "@" + host_name(); }

}  // namespace hone::cli
