// Waits for sockets.
#pragma once

#include <cerrno>
#include <chrono>
#include <span>
#include <zmq.hpp>

namespace hone::relay {

// As zmq::poll, but a signal ends the wait early, as if the time had passed.
inline void wait_for_any(std::span<zmq::pollitem_t> items, std::chrono::milliseconds time) {
  try {
    zmq::poll(items.data(), items.size(), time);
  } catch (const zmq::error_t& fault) {
    if (fault.num() != EINTR) throw;
    for (auto& item : items) item.revents = 0;
  }
}

}  // namespace hone::relay
