// Records the workflow of a sweep and uploads its texts.
#pragma once

#include "schemas/types/info.hpp"
#include "schemas/types/trainer_spec.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone {
class Client;
}  // namespace hone

namespace hone::cli {

// Records the workflow of a sweep before its submission and uploads its patch and its list of
// packages. Prints a note for each text that cannot be uploaded.
WorkflowInfo record_and_store(Session& session, Client& client, const TrainerSpec& trainer);

}  // namespace hone::cli
