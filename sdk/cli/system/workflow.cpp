#include "sdk/cli/system/workflow.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "sdk/cli/system/programs.hpp"
#include "sdk/cpp/digest.hpp"

namespace hone::cli {
namespace {

// As it was typed, by way of the kernel: no command has to hand it down here.
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

// The patch alone matters, not how the user likes to see it.
std::string patch_digest() {
  const auto patch =
      output_of({"git", "--no-optional-locks", "diff", "--no-color", "--no-ext-diff", "HEAD"});
  return patch && !patch->empty() ? sha256_hex(*patch) : std::string();
}

void record_git(WorkflowInfo& info) {
  info.git_commit = first_line(output_of({"git", "rev-parse", "--verify", "HEAD"}));
  if (info.git_commit.empty()) return;
  info.git_branch = first_line(output_of({"git", "symbolic-ref", "--short", "HEAD"}));
  info.patch_sha256 = patch_digest();
}

}  // namespace

WorkflowInfo record_workflow() {
  WorkflowInfo info;
  info.command = own_command_line();
  std::error_code trouble;
  info.cwd = std::filesystem::current_path(trouble).string();
  info.host = host_name();
  info.user = user_name();
  info.hone_version = HONE_VERSION;
  record_git(info);
  return info;
}

std::string user_at_host() { return user_name() + "@" + host_name(); }

}  // namespace hone::cli
