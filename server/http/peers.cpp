#include "server/http/peers.hpp"

#include <algorithm>

namespace hone::http {

std::string peer_name(const boost::asio::ip::address& address) {
  if (address.is_v4()) return address.to_string();
  const auto v6 = address.to_v6();
  if (v6.is_v4_mapped())
    return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, v6).to_string();
  auto bytes = v6.to_bytes();
  std::fill(bytes.begin() + 8, bytes.end(), static_cast<unsigned char>(0));
  return boost::asio::ip::address_v6(bytes).to_string() + "/64";
}

Peers::Peers(const Bounds& bounds)
    : connections_max_(bounds.connections_per_peer),
      limits_local_requests_(bounds.requests_per_s.has_value()),
      rates_(bounds.requests_per_s.value_or(limits::requests_per_s),
             bounds.requests_per_s.value_or(limits::requests_per_s) * limits::burst_s,
             limits::rate_keys_max) {}

bool Peers::enter(const std::string& peer, bool is_local) {
  auto& count = connections_[peer];
  const bool is_free = is_local && !connections_max_;
  if (!is_free && count >= connections_max_.value_or(limits::connections_per_peer_max))
    return false;
  ++count;
  return true;
}

void Peers::leave(const std::string& peer) {
  const auto found = connections_.find(peer);
  if (found != connections_.end() && --found->second == 0) connections_.erase(found);
}

}  // namespace hone::http
