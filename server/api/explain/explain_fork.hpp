// Sentences about forks, for the explanation of a run.
#pragma once

#include <string>

#include "db/queries/rows.hpp"

namespace hone::api {

// Where a fork started, and which fork took the run's place; empty for other runs.
std::string fork_text(const RunRow& run);

}  // namespace hone::api
