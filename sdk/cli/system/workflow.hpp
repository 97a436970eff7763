// How this sweep came to be: recorded with every submission, so that a result can be traced to a
// command and a commit.
#pragma once

#include <string>
#include <vector>

#include "schemas/types/wire.hpp"

namespace hone::cli {

// Asks the system and git (about the working folder). Without git or a repository its fields stay
// empty.
WorkflowInfo record_workflow(const std::vector<std::string>& command);

}  // namespace hone::cli
