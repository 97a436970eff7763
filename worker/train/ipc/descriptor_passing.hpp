// Sends open descriptors to a related process over a pair of sockets (unix(7), SCM_RIGHTS).
#pragma once

#include <cstdint>
#include <optional>

#include "base/files.hpp"

namespace hone::ipc {

struct PassedDescriptor {
  std::int32_t number = 0;  // what the sender says about it
  FileHandle file{};        // empty: only the number was sent
};

// For sockets of SOCK_SEQPACKET. Both block. False, or nullopt: the other end is closed.
bool pass(int socket, std::int32_t number, int descriptor = -1);
std::optional<PassedDescriptor> receive_passed(int socket);

}  // namespace hone::ipc
