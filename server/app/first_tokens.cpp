#include "server/app/first_tokens.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <future>
#include <stdexcept>

#include "base/hex.hpp"
#include "server/engine/clock.hpp"

namespace hone {
namespace {

std::string random_hex() {
  std::array<unsigned char, 32> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw std::runtime_error("getrandom returned no random bytes");
  return api::hex(bytes.data(), bytes.size());
}

Error cannot_write(const std::string& path) {
  return refuse(Code::invalid, "cannot write the token file " + path + ": " + std::strerror(errno));
}

// Writes the file atomically; it is never readable by others.
Status write_secret(const std::string& path, const std::string& secret) {
  const auto fresh = path + ".new";
  ::unlink(fresh.c_str());
  const int file = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return cannot_write(path);
  const auto line = secret + "\n";
  const bool written = ::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const bool synced = written && ::fsync(file) == 0;
  ::close(file);
  if (!synced || ::rename(fresh.c_str(), path.c_str()) != 0) return cannot_write(path);
  return Done{};
}

std::string read_secret(const std::string& path) {
  std::ifstream file(path);
  std::string secret;
  file >> secret;
  return secret;
}

Result<Reply> ask(EngineThread& engine, Command command) {
  auto answer = std::make_shared<std::promise<Result<Reply>>>();
  auto waiting = answer->get_future();
  const auto reply = [answer](Result<Reply> value) { answer->set_value(std::move(value)); };
  if (auto pushed = engine.push(Envelope{std::move(command), reply}); !pushed)
    return pushed.error();
  return waiting.get();
}

// Chooses another name if a live token has this one: its secret may be in use.
Result<Reply> create(EngineThread& engine, const TokenFile& file, const std::string& secret) {
  constexpr int names_max = 1000;
  CreateTokenRequest request{random_hex(), file.name, file.scope, api::sha256_hex(secret), {}};
  auto made = ask(engine, CreateToken{request});
  for (int number = 2; !made && made.error().at == "/name" && number <= names_max; ++number) {
    request.name = file.name + " " + std::to_string(number);
    made = ask(engine, CreateToken{request});
  }
  return made;
}

}  // namespace

Status make_token_file(EngineThread& engine, api::Keyring& keys, const TokenFile& file) {
  const auto secret = "hone_" + random_hex();
  if (auto written = write_secret(file.path, secret); !written) return written;
  const auto made = create(engine, file, secret);
  if (!made) return made.error();
  keys.learn(std::get<Key>(*made));
  return Done{};
}

Status keep_token_file(EngineThread& engine, api::Keyring& keys, const TokenFile& file) {
  const Key* key = keys.find(read_secret(file.path));
  const bool is_live = key != nullptr && key->scopes.holds(file.scope) &&
                       (!key->expires_at || *key->expires_at > SystemClock{}());
  return is_live ? Status(Done{}) : make_token_file(engine, keys, file);
}

}  // namespace hone
