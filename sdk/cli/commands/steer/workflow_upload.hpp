// Records the workflow of a sweep and uploads its texts.
#pragma once

#include "schemas/types/spec.hpp"
#include "schemas/types/wire.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

// Records the workflow of a sweep before its submission and uploads its patch and its list of
// packages. Prints a note for each text that cannot be uploaded.
WorkflowInfo record_and_store(Session& session, Client& client, const SweepSpec& spec);

}  // namespace hone::cli
