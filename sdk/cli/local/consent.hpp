// Nothing that others wrote runs on this machine before the user has seen it and agreed.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

// Shows what would run and asks, unless the user has agreed with --yes. Refuses where the user does
// not agree, and where no user can be asked.
// `sandbox`: it would run in private namespaces.
Status agree_to_run(Session& session, std::string_view what, bool yes, bool sandbox = false);

constexpr std::string_view sandbox_help =
    "run it without a network, and apart from other processes (private namespaces); it still has "
    "the files of this account";

// "12 lines in 2 files (train.py, value.py)", of a patch that git wrote.
std::string patch_text(std::string_view patch);

}  // namespace hone::cli
