#include "server/http/client_limits.hpp"

#include <algorithm>

namespace hone::http {

ClientAddress client_address(const boost::asio::ip::address& address) {
  const bool is_local = address.is_loopback();
  if (address.is_v4()) return {address.to_string(), is_local};
  const auto v6 = address.to_v6();
  if (v6.is_v4_mapped())
    return {boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, v6).to_string(), is_local};
  auto bytes = v6.to_bytes();
  std::fill(bytes.begin() + 8, bytes.end(), static_cast<unsigned char>(0));
  return {boost::asio::ip::address_v6(bytes).to_string() + "/64", is_local};
}

ClientLimits::ClientLimits(const Bounds& bounds)
    : connections_max_(bounds.connections_per_peer),
      limits_local_requests_(bounds.requests_per_s.has_value()),
      rates_(bounds.requests_per_s.value_or(limits::requests_per_s),
             bounds.requests_per_s.value_or(limits::requests_per_s) * limits::burst_s,
             limits::rate_keys_max) {}

bool ClientLimits::add_connection(const ClientAddress& client) {
  auto& count = connections_[client.name];
  const bool is_unlimited = client.is_local && !connections_max_;
  if (!is_unlimited && count >= connections_max_.value_or(limits::connections_per_peer_max))
    return false;
  ++count;
  return true;
}

void ClientLimits::remove_connection(const ClientAddress& client) {
  const auto found = connections_.find(client.name);
  if (found != connections_.end() && --found->second == 0) connections_.erase(found);
}

}  // namespace hone::http
