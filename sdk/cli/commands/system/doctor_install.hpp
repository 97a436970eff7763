// doctor --install: installs the Python packages of external environments where hone-train finds
// them (worker/train/envs/bridge/python.hpp).
#pragma once

#include <string>

#include "base/result.hpp"
#include "sdk/cli/session/output.hpp"

namespace hone::cli {

// Installs "gymnasium" or "atari". Replaces this process by pip, so that its progress and exit
// status are visible; returns only if that fails.
Result<Exit> install_packages(Session& session, const std::string& what);

}  // namespace hone::cli
