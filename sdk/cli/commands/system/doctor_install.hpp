// doctor --install: Python packages that environments of other people's need, put where hone-train
// finds them by itself (worker/train/envs/bridge/python.hpp).
#pragma once

#include <string>

#include "base/result.hpp"
#include "sdk/cli/session/output.hpp"

namespace hone::cli {

// "gymnasium" or "atari". Becomes pip, so that its own progress is seen and its status is ours;
// returns only when that cannot be.
Result<Exit> install_packages(Session& session, const std::string& what);

}  // namespace hone::cli
