// The bounds of server/limits.hpp that the command line can override.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "schemas/types/timing.hpp"
#include "server/limits.hpp"

namespace hone::http {

struct Bounds {
  std::size_t connections = limits::connections_max;
  // nullopt: the limit of limits.hpp, but none for clients on this machine.
  std::optional<std::size_t> connections_per_peer{};
  std::optional<std::int64_t> requests_per_s{};
  Duration request_time = limits::request_timeout;
  Duration idle_time = default_idle_time;
};

}  // namespace hone::http
