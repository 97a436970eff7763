// How many connections and requests each client may have. Used on the io thread alone. Internal to
// server/http.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <map>
#include <optional>
#include <string>

#include "server/api/rates.hpp"
#include "server/http/bounds.hpp"

namespace hone::http {

// Where a connection comes from.
struct ClientAddress {
  std::string name;  // what its connections and requests are counted under
  bool is_local = false;
};

// The address itself; of IPv6 its network of 64 bits, which belongs to one customer.
ClientAddress client_address(const boost::asio::ip::address& address);

class ClientLimits {
 public:
  explicit ClientLimits(const Bounds& bounds);

  // Counts one more connection. False if the client has as many as it may.
  bool add_connection(const ClientAddress& client);
  void remove_connection(const ClientAddress& client);

  [[nodiscard]] bool counts_requests(const ClientAddress& client) const {
    return !client.is_local || limits_local_requests_;
  }
  // Counts one more request of a token or an address. Returns how long the client must wait, or
  // nullopt if the request may proceed.
  std::optional<Duration> add_request(const std::string& key, Instant now) {
    return rates_.take(key, now);
  }

 private:
  std::optional<std::size_t> connections_max_;  // as given
  bool limits_local_requests_;
  std::map<std::string, std::size_t> connections_;
  api::Rates rates_;
};

}  // namespace hone::http
