// What the ledger records about workflows, datasets, evaluations and files, as clients send it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace hone {

// How a sweep is run: recorded by `hone submit` from the working folder. Empty strings where there
// is no git. Also the code that an attempt executes, as its worker found it: the command is then
// that of the sweep, and host and user are empty (the attempt has its worker), so that attempts of
// the same code share one workflow.
struct WorkflowInfo {
  std::vector<std::string> command;  // the submitting command line
  std::string cwd;
  std::string host;
  std::string user;
  std::string git_commit;  // 40 hex digits
  std::string git_branch;
  std::string patch_sha256;  // digest of `git diff HEAD`, empty when the tree is clean
  std::string hone_version;
  std::string environment_sha256{};  // of the list of installed packages, a stored blob
  std::string hone_commit{};         // that hone was built from; ends with '+' if files had changed
  // What the user calls it: `workflow:` of the sweep file. Empty for the code of an attempt.
  std::string name{}, version{}, description{};
  friend auto operator<=>(const WorkflowInfo&, const WorkflowInfo&) = default;
};

// What a run trains on.
struct DatasetInfo {
  std::string name;        // "CartPole-v1"
  std::string version;     // of the environment's implementation
  std::string digest;      // SHA-256 of the data where there is any, else empty
  std::string location{};  // where the data was, if it is a file or a folder: host:/path
  friend bool operator==(const DatasetInfo&, const DatasetInfo&) = default;
};

// A metric of a model that was measured after its training, such as the returns of episodes that it
// played without learning.
struct EvaluationInfo {
  std::string metric;          // "return"
  std::vector<double> values;  // finite; one for each episode
  std::string environment{};   // "CartPole-v1"; may be empty
  std::uint64_t seed = 0;      // of the episodes
  bool sample = false;         // actions were drawn from the policy, not the most probable ones
  std::string author{};        // ada@node3
  friend bool operator==(const EvaluationInfo&, const EvaluationInfo&) = default;
};

// A file that a step left, by its name in the folders of later steps: STEP/PATH.
struct FileRef {
  std::string name;
  std::string sha256;
  std::int64_t bytes = 0;
  friend bool operator==(const FileRef&, const FileRef&) = default;
};

}  // namespace hone
