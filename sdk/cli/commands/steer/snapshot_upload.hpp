// Takes and uploads the snapshots of code that a sweep file wants.
#pragma once

#include "schemas/codec/json.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone {
class Client;
}  // namespace hone

namespace hone::cli {

// Packs the tracked files of `cwd` of each command with code: snapshot, or of the current folder,
// uploads them and names their digest in the document. Notes what was packed and what was left out.
Status upload_snapshots(Session& session, Client& client, Json& document);

}  // namespace hone::cli
