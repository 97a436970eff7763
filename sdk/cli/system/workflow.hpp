// How this sweep came to be: recorded with every submission, so that a result can be traced to a
// command and a commit.
#pragma once

#include <string>

#include "schemas/types/wire.hpp"

namespace hone::cli {

// Asks the system about this process and git about the working folder. Without git or a repository
// its fields stay empty.
WorkflowInfo record_workflow();

// "ada@node3": who asks, where nobody says another name.
std::string user_at_host();

}  // namespace hone::cli
