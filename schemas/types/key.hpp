// What the check of a token needs to know about it.
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
