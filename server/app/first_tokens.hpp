// The tokens that a server makes by itself, so that there is a first one.
#pragma once

#include <string>

#include "base/result.hpp"
#include "schemas/types/scopes.hpp"
#include "server/api/access.hpp"
#include "server/engine/engine_thread.hpp"

namespace hone {

struct TokenFile {
  std::string path;
  std::string name;  // of the token; a number is added where a live one has it
  Scope scope = Scope::admin;
};

// Makes a token and puts its secret into the file, which its owner alone may read. An older file is
// replaced. The keyring learns of it.
Status make_token_file(EngineThread& engine, api::Keyring& keys, const TokenFile& file);

// As above, unless the file holds the secret of a live token of that scope.
Status keep_token_file(EngineThread& engine, api::Keyring& keys, const TokenFile& file);

}  // namespace hone
