// A sweep as event files for TensorBoard: one folder for each run, with its reports under the name
// of the objective, and its metrics.
#pragma once

#include <filesystem>

#include "schemas/types/ids.hpp"
#include "sdk/cli/session/command.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

// Writes below `folder`, which it creates. Refuses event files that exist, unless `force`.
Result<Exit> export_tensorboard(Session& session, SweepId sweep,
                                const std::filesystem::path& folder, bool force);

}  // namespace hone::cli
