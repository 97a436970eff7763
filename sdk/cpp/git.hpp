// git, in a folder whose repository may be a stranger's. git runs what the configuration of a
// repository names: hooks, monitors of files, filters and drivers of its attributes. Every call of
// hone goes through here, where all of them are off.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hone {

class Git {
 public:
  struct Bounds {
    int time_ms = 5000;  // a repository of 100,000 files needs about one second
    std::size_t bytes_max = std::size_t{16} << 20U;
  };

  // Opens the repository that contains the folder. Nullopt without one, or if its work tree is
  // elsewhere (core.worktree): those files are not the ones that the user sees here.
  static std::optional<Git> open(const std::string& folder);
  static std::optional<Git> open(const std::string& folder, const Bounds& bounds);

  // Returns the output of `git ARGUMENTS`; nullopt if it fails, is too slow or prints too much.
  [[nodiscard]] std::optional<std::string> output(std::vector<std::string> arguments) const;

 private:
  Git(std::string folder, const Bounds& bounds);
  [[nodiscard]] bool is_at_home() const;
  bool neutralize(const char* scope);

  std::string folder_;
  Bounds bounds_;
  std::vector<std::pair<std::string, std::string>> settings_;  // stronger than the repository's
};

}  // namespace hone
