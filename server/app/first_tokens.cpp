#include "server/app/first_tokens.hpp"

#include <fstream>
#include <future>

#include "base/files.hpp"
#include "base/hex.hpp"
#include "base/sha256.hpp"

namespace hone {
namespace {

constexpr std::size_t secret_bytes = 32;

// Writes the file atomically; it is never readable by others.
Status write_secret(const std::string& path, const std::string& secret) {
  if (auto written = replace_file(path, secret + "\n", {.mode = 0600, .exclusive = true}); !written)
    return refuse(Code::invalid,
                  "cannot write the token file " + path + ": " + written.error().detail);
  return Done{};
}

std::string read_secret(const std::string& path) {
  std::ifstream file(path);
  std::string secret;
  file >> secret;
  return secret;
}

// Chooses another name if a live token has this one: its secret may be in use.
Result<Reply> create(EngineThread& engine, const TokenFile& file, const std::string& secret) {
  constexpr int names_max = 1000;
  CreateTokenRequest request{
      random_hex(secret_bytes), file.name, file.scope, sha256_hex(secret), {}};
  auto made = ask(engine, CreateToken{request});
  for (int number = 2; !made && made.error().at == "/name" && number <= names_max; ++number) {
    request.name = file.name + " " + std::to_string(number);
    made = ask(engine, CreateToken{request});
  }
  return made;
}

}  // namespace

Result<Reply> ask(EngineThread& engine, Command command) {
  auto answer = std::make_shared<std::promise<Result<Reply>>>();
  auto waiting = answer->get_future();
  const auto reply = [answer](Result<Reply> value) { answer->set_value(std::move(value)); };
  if (auto pushed = engine.push(Envelope{std::move(command), reply}); !pushed)
    return pushed.error();
  return waiting.get();
}

Status make_token_file(EngineThread& engine, api::Keyring& keys, const TokenFile& file) {
  const auto secret = "hone_" + random_hex(secret_bytes);
  if (auto written = write_secret(file.path, secret); !written) return written;
  const auto made = create(engine, file, secret);
  if (!made) return made.error();
  keys.learn(std::get<Key>(*made));
  return Done{};
}

Status keep_token_file(EngineThread& engine, api::Keyring& keys, const TokenFile& file,
                       Instant now) {
  const Key* key = keys.find(read_secret(file.path));
  const bool is_live = key != nullptr && key->scopes.holds(file.scope) &&
                       (!key->expires_at || *key->expires_at > now);
  return is_live ? Status(Done{}) : make_token_file(engine, keys, file);
}

}  // namespace hone
