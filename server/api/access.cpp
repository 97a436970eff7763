#include "server/api/access.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/sha256.hpp"
#include "schemas/codec/words.hpp"
#include "server/limits.hpp"

namespace hone::api {
namespace {

// The first 16 hex digits; 0 for a text that is no digest, which matches no key.
std::uint64_t prefix_of(std::string_view digest) {
  std::uint64_t prefix = 0;
  const auto head = digest.substr(0, 16);
  std::from_chars(head.data(), head.data() + head.size(), prefix, 16);
  return prefix;
}

Error no_entry(std::string why) {
  return refuse(Code::unauthenticated,
                std::move(why) +
                    "; set HONE_TOKEN or HONE_TOKEN_FILE (a server's first one is in the file "
                    "admin.token of its data folder)");
}

// "Bearer SECRET" -> "SECRET"; empty for anything else.
std::string_view secret_in(std::string_view authorization) {
  constexpr std::string_view scheme = "bearer ";
  const auto head = authorization.substr(0, scheme.size());
  const bool is_bearer = std::ranges::equal(
      head, scheme, [](unsigned char a, unsigned char b) { return std::tolower(a) == b; });
  if (!is_bearer) return {};
  auto secret = authorization.substr(scheme.size());
  while (secret.starts_with(' ')) secret.remove_prefix(1);
  while (secret.ends_with(' ')) secret.remove_suffix(1);
  return secret;
}

std::string any_of(Scopes scopes) {
  std::string text = words(scopes);
  for (auto at = text.find(' '); at != std::string::npos; at = text.find(' ', at + 4))
    text.replace(at, 1, " or ");
  return text;
}

}  // namespace

Keyring::Keyring(const std::vector<Key>& keys) {
  for (const auto& key : keys) learn(key);
}

void Keyring::learn(const Key& key) {
  std::erase_if(keys_, [&](const auto& entry) { return entry.second.token == key.token; });
  if (!key.revoked) keys_.emplace(prefix_of(key.sha256), key);
}

const Key* Keyring::find(std::string_view secret) const {
  if (secret.empty() || secret.size() > limits::token_bytes_max) return nullptr;
  const auto digest = sha256_hex(secret);
  const Key* found = nullptr;
  const auto [begin, end] = keys_.equal_range(prefix_of(digest));
  for (auto entry = begin; entry != end; ++entry)
    if (equal_secrets(entry->second.sha256, digest)) found = &entry->second;
  return found;
}

bool Keyring::has_live(Scope scope, Instant now) const {
  return std::ranges::any_of(keys_, [&](const auto& entry) {
    const Key& key = entry.second;
    return key.scopes.holds(scope) && (!key.expires_at || *key.expires_at > now);
  });
}

const Key* Keyring::find_live(TokenId token, Instant now) const {
  for (const auto& [prefix, key] : keys_)
    if (key.token == token) return !key.expires_at || *key.expires_at > now ? &key : nullptr;
  return nullptr;
}

Result<Caller> check_access(const Route& route, const Keyring& keys, std::string_view authorization,
                            Instant now) {
  if (route.needs.empty()) return Caller{};
  if (authorization.empty()) return no_entry("this server asks for a token");
  const auto secret = secret_in(authorization);
  if (secret.empty()) return no_entry("the header Authorization must be 'Bearer' and a token");
  const Key* key = keys.find(secret);
  if (key == nullptr) return no_entry("this token is not known here, or was revoked");
  if (key->expires_at && *key->expires_at <= now)
    return no_entry(text(key->token) + " has expired");
  if (!opens(key->scopes, route.needs))
    return refuse(Code::forbidden, text(key->token) + " has the scope " + words(key->scopes) +
                                       "; this needs " + any_of(route.needs));
  return Caller{key->token, key->scopes.holds(Scope::admin)};
}

}  // namespace hone::api
