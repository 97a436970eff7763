// Who is connected from where, and how often each may ask. The io thread's alone. Internal to
// server/http.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <map>
#include <optional>
#include <string>

#include "server/api/rates.hpp"
#include "server/http/bounds.hpp"

namespace hone::http {

// The address that a client is counted under: of IPv6 the network of 64 bits, which is one
// customer's.
std::string peer_name(const boost::asio::ip::address& address);

class Peers {
 public:
  explicit Peers(const Bounds& bounds);

  // One more connection; false where the peer has as many as it may.
  bool enter(const std::string& peer, bool is_local);
  void leave(const std::string& peer);

  [[nodiscard]] bool counts_requests(bool is_local) const {
    return !is_local || limits_local_requests_;
  }
  // One more request. nullopt: go on; else how long to wait.
  std::optional<Duration> ask(const std::string& who, Instant now) { return rates_.take(who, now); }

 private:
  std::optional<std::size_t> connections_max_;  // as given
  bool limits_local_requests_;
  std::map<std::string, std::size_t> connections_;
  api::Rates rates_;
};

}  // namespace hone::http
