// A temporary git worktree: the code of a recorded commit, next to the user's own.
#pragma once

#include <string>

#include "base/result.hpp"

namespace hone::cli {

class Worktree {
 public:
  // Checks out `commit` of the repository of `repository` (a folder in it) into the new folder
  // `place`. Refuses with not_found and git's view if the commit is not there.
  static Result<Worktree> add(const std::string& repository, const std::string& commit,
                              const std::string& place);

  Worktree(Worktree&& other) noexcept;
  Worktree& operator=(Worktree&&) = delete;
  ~Worktree();  // removes it

  // Applies a patch that `git diff --binary` wrote.
  Status apply(const std::string& patch_file) const;

  // The folder in it that corresponds to the current one of `add`'s repository.
  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  Worktree(std::string repository, std::string place, std::string folder);

  std::string repository_;
  std::string place_;
  std::string folder_;
};

}  // namespace hone::cli
