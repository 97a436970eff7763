// The bounds of server/limits.hpp that a server may be given others for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "server/limits.hpp"

namespace hone::http {

struct Bounds {
  std::size_t connections = limits::connections_max;
  // Not given: the limit of limits.hpp, and none for clients on this machine, who could do worse.
  std::optional<std::size_t> connections_per_peer{};
  std::optional<std::int64_t> requests_per_s{};
  Duration request_time = limits::request_timeout;
  Duration idle_time = limits::idle_timeout;
};

}  // namespace hone::http
