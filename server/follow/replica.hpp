// Keeps a copy of a primary's ledger and blobs: the thread of a follower. It verifies the hash
// chain of every event and the digest of every blob; events go into the ledger byte for byte.
#pragma once

#include <SQLiteCpp/Database.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/net/http_client.hpp"
#include "db/ledger/ledger.hpp"
#include "schemas/types/instant.hpp"
#include "server/api/blobs.hpp"
#include "server/api/role.hpp"
#include "server/standby/page.hpp"
#include "server/standby/state.hpp"

namespace hone {

class Replica {
 public:
  struct Hooks {
    std::function<void(std::int64_t seq)> committed;
    std::function<void()> tokens_changed;
    // A write of the database failed: log and end the process. Must not return.
    std::function<void(const std::string& why, Culprit culprit)> failed;
    std::function<Instant()> clock;
  };
  struct Parts {
    std::filesystem::path folder;  // for the state of the standby
    SQLite::Database& db;          // the write connection
    const api::BlobStore& blobs;
    api::Role& role;
  };

  // `url`: where this standby listens. The parts must outlive it.
  Replica(Parts parts, net::HttpServer primary, std::string url, standby::State state, Hooks hooks);
  ~Replica() { stop(); }
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;

  void start();
  // Ends after the page in progress. Idempotent.
  void stop();
  // Call after stop().
  [[nodiscard]] const standby::State& state() const { return state_; }

 private:
  void run();
  Status take_turn();
  Result<standby::Page> pull();
  Status note_progress(const standby::Page& page);
  Status apply(const standby::Page& page);
  void want_blobs(const standby::Page& page);
  Status fetch_blobs(std::deque<std::string>& digests, std::size_t most);
  Status fetch_blob(const std::string& digest);
  Result<net::HttpResponse> call(const net::HttpRequest& request);
  bool rest(Duration time);  // false after stop()

  Parts parts_;
  net::HttpClient client_;
  const std::string url_;
  standby::State state_;
  const Hooks hooks_;
  Ledger ledger_;
  std::int64_t seq_;
  standby::FeedPlace feed_;
  std::deque<std::string> wanted_;   // blobs that events since the start name
  std::deque<std::string> backlog_;  // those that were missing at the start
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace hone
