// The times that a client and the server must agree on.
#pragma once

#include "schemas/types/instant.hpp"

namespace hone {

// A run returns to the queue when its worker is silent for this long (hone-server --lease).
inline constexpr Duration default_lease = seconds(15);

// How often a worker renews its leases: four heartbeats may be lost before a lease expires.
constexpr Duration heartbeat_period(Duration lease) { return {lease.us / 5}; }

// The server closes a connection that is silent for this long (hone-server --idle-time).
inline constexpr Duration default_idle_time = seconds(120);

// A client opens a new connection after a silence of this length, so that it rarely writes to one
// that the server is closing.
inline constexpr Duration client_idle_time{default_idle_time.us / 2};

}  // namespace hone
