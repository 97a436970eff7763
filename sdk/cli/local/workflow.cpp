#include "sdk/cli/local/workflow.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/sha256.hpp"

namespace hone::cli {
namespace {

// The command line as typed, from the kernel, so that no command has to pass it here.
std::vector<std::string> own_command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

std::string user_name() {
  if (const passwd* entry = getpwuid(geteuid())) return entry->pw_name;
  const char* user = std::getenv("USER");
  return user != nullptr ? user : "";
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
  info.hone_commit = build_commit();
  record_git({}, info, own);
  own.environment = EnvironmentRecorder().list(command, {});
  if (!own.environment.empty()) info.environment_sha256 = sha256_hex(own.environment);
  if (texts != nullptr) *texts = std::move(own);
  return info;
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string user_at_host() { return user_name() + "@" + host_name(); }

}  // namespace hone::cli
