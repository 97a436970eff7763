// Records how a sweep was submitted, so that a result can be traced to a command and a commit.
#pragma once

#include <string>
#include <vector>

#include "sdk/cpp/code_record.hpp"

namespace hone::cli {

// Records this process, the git state of the working folder and, if `command` begins with a Python,
// its packages. Without git or a repository the fields of git stay empty.
WorkflowInfo record_workflow(const std::vector<std::string>& command = {},
                             WorkflowTexts* texts = nullptr);

std::string host_name();  // empty if the system has none

// "ada@node3": the default name of the asker.
std::string user_at_host();

}  // namespace hone::cli
