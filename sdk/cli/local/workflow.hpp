// How this sweep came to be: recorded with every submission, so that a result can be traced to a
// command and a commit.
#pragma once

#include <string>
#include <vector>

#include "schemas/types/wire.hpp"

namespace hone::cli {

// What the digests of a workflow stand for.
struct WorkflowTexts {
  std::string patch;        // `git diff HEAD`
  std::string environment;  // the interpreter and its packages, one a line
};

// Asks the system about this process, git about the working folder, and a Python that `command`
// begins with about its packages. Without git or a repository its fields stay empty.
WorkflowInfo record_workflow(const std::vector<std::string>& command = {},
                             WorkflowTexts* texts = nullptr);

// "ada@node3": who asks, where nobody says another name.
std::string user_at_host();

}  // namespace hone::cli
