// The door: which token a request bears, and whether it opens the route.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/key.hpp"
#include "server/api/router.hpp"
#include "server/sweep/caller.hpp"

namespace hone::api {

// The live tokens. One thread at a time: the skin's io thread asks it and tells it of changes.
class Keyring {
 public:
  Keyring() = default;
  explicit Keyring(const std::vector<Key>& keys);

  // A token that was made or revoked. The same one twice is as once.
  void learn(const Key& key);

  // The key whose secret this is, expired or not; nullptr where there is none. Takes the same time
  // whatever part of a digest agrees.
  [[nodiscard]] const Key* find(std::string_view secret) const;

  [[nodiscard]] bool has_live(Scope scope, Instant now) const;

 private:
  // By the first 8 bytes of the digest: whoever asks cannot choose a digest, so where it is looked
  // for tells nothing of those that are here.
  std::unordered_multimap<std::uint64_t, Key> keys_;
};

// Who speaks, by the header Authorization. Refuses unauthenticated (no token, one that is not
// known or has expired) and forbidden (its scopes do not open the route).
Result<Caller> check_access(const Route& route, const Keyring& keys,
                             std::string_view authorization, Instant now);

std::string sha256_hex(std::string_view bytes);

}  // namespace hone::api
