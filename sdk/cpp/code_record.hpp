// The code that a program is made of: the git state of its folder, the packages of its interpreter,
// the build of hone. For lineage; the CLI records it at a submission, a worker for each attempt.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schemas/types/info.hpp"

namespace hone {

// The texts behind the digests of a workflow.
struct WorkflowTexts {
  std::string patch;        // `git diff HEAD`
  std::string environment;  // the interpreter and its packages, or the program and its libraries
};

// Returns the commit that this program was built from, with '+' if files had changed; empty if the
// build was not made from a repository.
std::string_view build_commit();

// Sets commit, branch and uncommitted changes of `folder` (empty: the current one). Leaves them
// empty without git, outside of a repository, and if git needs more than a few seconds or the
// changes have more than 16 MiB. Untracked files are not part of the changes.
void record_git(const std::string& folder, WorkflowInfo& info, WorkflowTexts& texts);

// Lists what a command is run with: for a Python its version and packages, as `pip freeze` does but
// several times faster; for another program the digest of its file and the libraries that it links.
// Remembers a list until the files behind it change. Thread-safe.
class EnvironmentRecorder {
 public:
  // Empty if the program is not found or takes longer than a few seconds to list.
  std::string list(const std::vector<std::string>& command, const std::string& folder);

 private:
  struct Known {
    std::vector<std::pair<std::string, std::int64_t>> files;  // with the time of their last change
    std::string text;
  };
  static Known list_now(const std::string& program, bool python, const std::string& folder);

  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, Known> known_;  // by program and folder
};

}  // namespace hone
