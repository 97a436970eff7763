// The HTTP server: sockets, TLS, sessions. No other part of the server sees Asio or Beast.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "schemas/types/instant.hpp"
#include "server/api/access.hpp"
#include "server/api/blobs.hpp"
#include "server/api/role.hpp"
#include "server/api/runs/logs.hpp"
#include "server/engine/clock.hpp"
#include "server/engine/counters.hpp"
#include "server/engine/engine_thread.hpp"
#include "server/http/bounds.hpp"
#include "server/http/pools.hpp"
#include "server/http/tls.hpp"

namespace hone::dashboard {
class Pages;
}

namespace hone::api {
class FleetTroubles;
class ForecastErrors;
}  // namespace hone::api

namespace hone {
class MetricFeed;
}

namespace hone::standby {
class Standbys;
}

namespace hone::http {

struct Address {
  std::string host;  // an IP address
  std::uint16_t port = 0;
};

// Parses "127.0.0.1:7777", "[::1]:7777" or "localhost:0"; refuses any other form.
Result<Address> parse_address(const std::string& text);
bool is_loopback(const Address& address);
std::string text(const Address& address);  // "127.0.0.1:7777", "[::1]:7777"

// The parts of hone-server that answer requests. All must outlive Server::run.
struct ServerParts {
  EngineThread* engine;  // null: a follower, which answers reads alone
  ReaderPool& readers;
  DiskPool& disk;
  DiskPool& parsers;
  const api::BlobStore& blobs;
  Counters& counters;
  DiskPool* importers = nullptr;                // for bodies of whole sweeps; null: `parsers`
  Duration drain_delay{};                       // from the signal to the end of accepting
  Duration blob_grace{};                        // how long a blob that nothing names is kept
  const dashboard::Pages* dashboard = nullptr;  // null: only the API
  api::LogStore* logs = nullptr;                // null: no log is kept
  api::Keyring* keys = nullptr;  // null: requests need no token. Run uses it on the io thread
  api::Role* role = nullptr;
  api::ForecastErrors* forecasts = nullptr;
  const api::FleetTroubles* troubles = nullptr;  // of a primary
  api::WorkerContacts* contacts = nullptr;       // of a primary
  standby::Standbys* standbys = nullptr;         // of a primary
  MetricFeed* feed = nullptr;                    // for them
  Duration confirm_wait{};                       // of a reply for a standby, where it waits for one
  // The server's own time, by which tokens expire. Run uses it on the io thread.
  Clock clock = SystemClock{};
};

class Server {
 public:
  // Listens; connections wait until run. Refuses (conflict) a port in use, (invalid) an address
  // of another machine and unusable TLS files.
  static Result<std::unique_ptr<Server>> listen(const Address& address, const TlsFiles& tls = {},
                                                const Bounds& bounds = {});
  ~Server();

  // The address it listens on, with the port that the system chose for port 0.
  [[nodiscard]] Address address() const;
  [[nodiscard]] std::string url() const;  // "https://127.0.0.1:7777"

  // Wakes the watchers: the ledger has grown up to seq. Any thread; returns at once.
  void announce(std::int64_t seq) noexcept;

  // Hands the engine's replies so far to the sessions that wait for them. `points`: the place after
  // the newest metric point for standbys. Engine thread only.
  void deliver(std::int64_t points = 0);

  // Runs `work` on the io thread. Any thread.
  void post(std::function<void()> work);

  // Holds SIGTERM and SIGINT back for run(). Call it before the address is published.
  void catch_signals();

  // Serves until SIGTERM or SIGINT. Then it stops accepting, stops the engine, which answers its
  // queue, lets open requests finish for a few seconds, and returns.
  void run(const ServerParts& parts);

  // Whether a follower's run ended since SIGUSR1 asked it to become the primary.
  [[nodiscard]] bool is_promoted() const;

 private:
  struct Inside;
  explicit Server(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace hone::http
