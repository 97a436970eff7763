// How a sweep came to be, with the bytes behind it.
#pragma once

#include "schemas/types/spec.hpp"
#include "schemas/types/wire.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

// The workflow of a sweep that is about to be submitted; its patch and its environment are stored
// at the server. What cannot be stored is noted.
WorkflowInfo record_and_store(Session& session, Client& client, const SweepSpec& spec);

}  // namespace hone::cli
