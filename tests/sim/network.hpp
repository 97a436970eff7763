// Calls of the lease machine as commands of the engine, through the words of the wire: every body
// is encoded and decoded.
#pragma once

#include <optional>

#include "schemas/types/result.hpp"
#include "server/sweep/command.hpp"
#include "worker/agent/words.hpp"

namespace hone::sim {

// nullopt for calls that are not answered by the engine (blobs).
std::optional<Command> command_of(const worker::Call& call);

Result<worker::CallReply> call_reply_of(const Result<Reply>& reply);

}  // namespace hone::sim
