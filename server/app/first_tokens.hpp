// The tokens that the server creates itself: the first ones.
#pragma once

#include <string>

#include "base/result.hpp"
#include "schemas/types/scopes.hpp"
#include "server/api/access.hpp"
#include "server/engine/engine_thread.hpp"

namespace hone {

// Performs a command on the engine thread and waits for its reply.
Result<Reply> ask(EngineThread& engine, Command command);

struct TokenFile {
  std::string path;
  std::string name;  // of the token; a number is appended if a live token has this name
  Scope scope = Scope::admin;
};

// Creates a token, writes its secret to the file, readable by its owner only, and adds it to the
// keyring. Replaces an older file.
Status make_token_file(EngineThread& engine, api::Keyring& keys, const TokenFile& file);

// Does the same unless the file already holds the secret of a live token of that scope.
Status keep_token_file(EngineThread& engine, api::Keyring& keys, const TokenFile& file,
                       Instant now);

}  // namespace hone
