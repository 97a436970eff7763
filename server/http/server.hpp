// The skin: sockets in, sockets out. Nothing outside server/http sees Asio or Beast.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "schemas/types/instant.hpp"
#include "server/api/access.hpp"
#include "server/api/blobs.hpp"
#include "server/engine/counters.hpp"
#include "server/engine/engine_thread.hpp"
#include "server/http/bounds.hpp"
#include "server/http/pools.hpp"
#include "server/http/tls.hpp"

namespace hone::http {

struct Address {
  std::string host;  // an IP address
  std::uint16_t port = 0;
};

// "127.0.0.1:7777", "[::1]:7777", "localhost:0". Refuses what is none of these.
Result<Address> parse_address(const std::string& text);
bool is_loopback(const Address& address);
std::string text(const Address& address);  // "127.0.0.1:7777", "[::1]:7777"

// What requests are answered with. All must outlive Server::run.
struct Rooms {
  EngineThread& engine;
  ReaderPool& readers;
  DiskPool& disk;
  const api::BlobStore& blobs;
  Counters& counters;
  Duration drain_delay{};        // from the signal to the end of accepting
  Duration blob_grace{};         // how long bytes that nothing names are kept
  api::Keyring* keys = nullptr;  // null: no token is asked for. The io thread's alone during run
};

class Server {
 public:
  // Listens; connections wait until run. Refuses (conflict) a port in use, (invalid) an address
  // that is not ours, and files that TLS cannot be spoken with.
  static Result<std::unique_ptr<Server>> listen(const Address& address, const TlsFiles& tls = {},
                                                const Bounds& bounds = {});
  ~Server();

  // Where it listens, with the port that was picked when 0 was asked for.
  [[nodiscard]] Address address() const;
  [[nodiscard]] std::string url() const;  // "https://127.0.0.1:7777"

  // The ledger has grown up to seq: watchers look again. Any thread; quick; never throws.
  void announce(std::int64_t seq) noexcept;

  // Brings the engine's replies so far to those who wait for them. The engine's thread.
  void deliver();

  // From here on SIGTERM and SIGINT wait for run(): call it before anybody is told of the server.
  void catch_signals();

  // Serves until SIGTERM or SIGINT, then stops accepting, stops the engine (which answers what is
  // queued), lets open requests finish for a few seconds, and returns.
  void run(const Rooms& rooms);

 private:
  struct Inside;
  explicit Server(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace hone::http
