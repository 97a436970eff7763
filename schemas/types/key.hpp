// What a door that checks tokens must know of one.
#pragma once

#include <optional>
#include <string>

#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"
#include "schemas/types/scopes.hpp"

namespace hone {

struct Key {
  TokenId token;
  Scopes scopes;
  std::string sha256;  // of the secret
  std::optional<Instant> expires_at;
  bool revoked = false;
};

}  // namespace hone
