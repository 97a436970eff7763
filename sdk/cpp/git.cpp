#include "sdk/cpp/git.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

#include "base/process.hpp"

namespace hone {
namespace {

namespace fs = std::filesystem;

using Settings = std::vector<std::pair<std::string, std::string>>;

// Settings that name programs, under fixed names. A setting given in the environment is stronger
// than one of the repository.
Settings fixed_settings() {
  return {{"core.fsmonitor", "false"},
          {"core.hooksPath", "/dev/null"},
          {"core.pager", "cat"},
          {"core.editor", "false"},
          {"core.askPass", "false"},
          {"core.sshCommand", "false"},
          {"core.gitProxy", ""},
          {"core.alternateRefsCommand", "false"},
          {"diff.external", ""},
          {"interactive.diffFilter", ""},
          {"credential.helper", ""},
          {"log.showSignature", "false"},
          {"protocol.allow", "never"},
          {"submodule.recurse", "false"},
          {"gc.auto", "0"},
          {"maintenance.auto", "false"}};
}

// Names under which a repository may configure programs of its attributes: filter.NAME.clean. Those
// of the user's own configuration, git-lfs for one, stay.
bool names_a_program(std::string_view name) {
  const auto begins_and_ends = [&](std::string_view begin, std::string_view end) {
    return name.size() > begin.size() + end.size() && name.starts_with(begin) &&
           name.ends_with(end);
  };
  return begins_and_ends("filter.", ".clean") || begins_and_ends("filter.", ".smudge") ||
         begins_and_ends("filter.", ".process") || begins_and_ends("filter.", ".required") ||
         begins_and_ends("diff.", ".command") || begins_and_ends("diff.", ".textconv") ||
         begins_and_ends("merge.", ".driver") || begins_and_ends("remote.", ".promisor") ||
         begins_and_ends("remote.", ".uploadpack");
}

std::string neutral_value(std::string_view name) {
  return name.ends_with(".required") || name.ends_with(".promisor") ? "false" : "";
}

// Variables of the user that lead git to the user's own configuration, not to another repository.
bool is_of_the_user(std::string_view variable) {
  constexpr std::array<std::string_view, 6> kept{
      "GIT_CONFIG_GLOBAL=", "GIT_CONFIG_SYSTEM=",       "GIT_CONFIG_NOSYSTEM=",
      "GIT_EXEC_PATH=",     "GIT_CEILING_DIRECTORIES=", "GIT_DISCOVERY_ACROSS_FILESYSTEM="};
  return !variable.starts_with("GIT_") ||
         std::ranges::any_of(kept, [&](auto name) { return variable.starts_with(name); });
}

std::vector<std::string> environment_with(const Settings& settings) {
  std::vector<std::string> environment;
  for (char** one = environ; *one != nullptr; ++one)
    if (is_of_the_user(*one)) environment.emplace_back(*one);
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const std::string number = std::to_string(i);
    environment.push_back("GIT_CONFIG_KEY_" + number + "=" + settings[i].first);
    environment.push_back("GIT_CONFIG_VALUE_" + number + "=" + settings[i].second);
  }
  environment.push_back("GIT_CONFIG_COUNT=" + std::to_string(settings.size()));
  for (const char* one : {"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "GIT_PAGER=cat",
                          "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0"})
    environment.emplace_back(one);
  return environment;
}

}  // namespace

Git::Git(std::string folder, const Bounds& bounds)
    : folder_(std::move(folder)), bounds_(bounds), settings_(fixed_settings()) {}

std::optional<Git> Git::open(const std::string& folder) { return open(folder, Bounds{}); }

std::optional<Git> Git::open(const std::string& folder, const Bounds& bounds) {
  Git git(folder, bounds);
  if (!git.neutralize("--local")) return std::nullopt;
  git.neutralize("--worktree");  // refused where linked work trees have no separate settings
  if (!git.is_at_home()) return std::nullopt;
  return git;
}

std::optional<std::string> Git::output(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), {"git", "--no-pager", "--no-optional-locks"});
  return captured_output(
      {.argv = std::move(arguments), .env = environment_with(settings_), .folder = folder_},
      bounds_.time_ms, bounds_.bytes_max);
}

// Sets what names programs in the repository's own settings to nothing.
bool Git::neutralize(const char* scope) {
  const auto names = output({"config", scope, "--includes", "--list", "--name-only", "--null"});
  if (!names) return false;
  for (std::size_t at = 0; at < names->size();) {
    const auto end = std::min(names->find('\0', at), names->size());
    const std::string name = names->substr(at, end - at);
    if (names_a_program(name)) settings_.emplace_back(name, neutral_value(name));
    at = end + 1;
  }
  return true;
}

// Whether the work tree is the folder that holds `.git`, as a folder or as a file that names one.
bool Git::is_at_home() const {
  const auto places = output({"rev-parse", "--show-toplevel", "--absolute-git-dir"});
  if (!places) return false;
  std::istringstream lines(*places);
  std::string top, repository;
  if (!std::getline(lines, top) || !std::getline(lines, repository)) return false;
  fs::path home = fs::path(top) / ".git";
  std::error_code failure;
  if (fs::is_regular_file(home, failure)) {
    std::string line;
    std::ifstream stream(home);
    std::getline(stream, line);
    constexpr std::string_view mark = "gitdir: ";
    if (!line.starts_with(mark)) return false;
    home = home.parent_path() / line.substr(mark.size());
  }
  return fs::equivalent(home, repository, failure);
}

}  // namespace hone
