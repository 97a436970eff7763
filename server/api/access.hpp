// Authentication: which token a request carries, and whether its scopes allow the route.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/key.hpp"
#include "server/api/router.hpp"
#include "server/sweep/state/caller.hpp"

namespace hone::api {

// The live tokens. Not thread-safe: server/http uses it on the io thread.
class Keyring {
 public:
  Keyring() = default;
  explicit Keyring(const std::vector<Key>& keys);

  // Adds a created token or removes a revoked one. Idempotent.
  void learn(const Key& key);

  // The key of this secret, even if it has expired; nullptr if there is none. The time does not
  // depend on how much of a digest matches.
  [[nodiscard]] const Key* find(std::string_view secret) const;

  [[nodiscard]] bool has_live(Scope scope, Instant now) const;

  // The key of a token that is neither revoked nor expired; else nullptr.
  [[nodiscard]] const Key* find_live(TokenId token, Instant now) const;

 private:
  // By the first 8 bytes of the digest. A client cannot choose a digest, so the place of the
  // look-up reveals nothing about other keys.
  std::unordered_multimap<std::uint64_t, Key> keys_;
};

// Returns the owner of the token in the header Authorization. Refuses (unauthenticated) a missing,
// unknown or expired token and (forbidden) one whose scopes do not allow the route.
Result<Caller> check_access(const Route& route, const Keyring& keys, std::string_view authorization,
                            Instant now);

}  // namespace hone::api
