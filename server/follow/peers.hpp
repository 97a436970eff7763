// The other servers of a ledger: its primary, or the standbys that followed this one.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/net/http_client.hpp"
#include "server/standby/state.hpp"

namespace hone {

// With which credentials this server calls another one.
struct PeerOptions {
  std::string follow;      // URL of the primary to follow; empty: this server is a primary
  std::string advertise;   // URL at which others reach this server; empty: that of --listen
  std::string token_file;  // with an administrator's token of the primary; empty: none
  std::string tls_ca;      // certificates to trust; empty: those of the system
};

// Refuses (invalid) a URL that is none, and a token file that cannot be read.
Result<net::HttpServer> peer_server(const std::string& url, const PeerOptions& options);

// The term of the server at `url`, if one answers there as a primary.
std::optional<standby::Term> term_at(const std::string& url, const PeerOptions& options);

// Calls `ask` in each period, on a separate thread: a primary asks its standbys whether one of
// them was promoted.
class SuccessorWatch {
 public:
  SuccessorWatch() = default;
  ~SuccessorWatch() { stop(); }
  SuccessorWatch(const SuccessorWatch&) = delete;
  SuccessorWatch& operator=(const SuccessorWatch&) = delete;

  void start(std::function<void()> ask);
  void stop();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace hone
