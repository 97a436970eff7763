// The state that the connections of one server share. Used on the io thread alone, except for the
// atomic members. Internal to server/http.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "server/http/byte_budget.hpp"
#include "server/http/client_limits.hpp"
#include "server/http/handshakes.hpp"
#include "server/http/only_one.hpp"
#include "server/http/outbox.hpp"
#include "server/http/reads.hpp"
#include "server/http/server.hpp"
#include "server/http/tls.hpp"
#include "server/http/watcher_counts.hpp"

namespace hone::http {

class Connection;

// Ends the coroutines that wait for it while what they use is still there.
class Io : public boost::asio::io_context {
 public:
  using io_context::io_context;
  void end() { shutdown(); }
};

struct Shared {
  explicit Shared(const Bounds& given) : bounds(given), clients(given) {}
  ~Shared() { io.end(); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  const Bounds bounds;
  ClientLimits clients;
  ByteBudget bodies{limits::bodies_bytes_max, limits::bodies_per_client_bytes_max};
  ByteBudget answers{limits::answers_bytes_max, limits::answers_per_client_bytes_max};
  const ServerParts* parts = nullptr;  // set while Server::run runs
  bool local_only = true;              // listens on a loopback address
  std::unique_ptr<Tls> tls;            // null: plain HTTP
  bool draining = false;               // no further requests on open connections
  std::set<Connection*> connections;
  std::string id_prefix;       // of request ids; differs in every process
  std::uint64_t requests = 0;  // that got an id of ours
  std::set<boost::asio::steady_timer*> sleeping_watchers;
  std::set<boost::asio::steady_timer*> sleeping_standbys;
  WatcherCounts watchers;
  OnlyOne only_one;
  std::map<std::string, std::chrono::steady_clock::time_point> pulls;  // of standbys, the newest
  std::function<void()> last_connection_closed;                        // called while draining

  std::atomic<std::int64_t> newest_seq{0};
  std::atomic<std::int64_t> newest_point{0};
  std::atomic<bool> wake_posted{false};

  [[nodiscard]] Instant now() const { return parts->clock(); }

  Io io{1};
  Outbox outbox{io};
  Handshakes handshakes{io};
  Reads reads{io};
};

inline void wake_standbys(Shared& shared) {
  for (auto* sleeper : shared.sleeping_standbys) sleeper->cancel();
}

// Wakes every sleeping watcher and standby.
inline void wake_watchers(Shared& shared) {
  wake_standbys(shared);
  for (auto* sleeper : shared.sleeping_watchers) sleeper->cancel();
}

}  // namespace hone::http
