#include "worker/train/ipc/channel.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstddef>

namespace hone::ipc {
namespace {

struct Header {
  std::uint32_t kind = 0;
  std::uint32_t slot = 0;
  std::int64_t number = 0;
  std::uint64_t bytes = 0;  // of the payload
};

// More than the environments of any run take: what is larger was not sent by a Channel.
constexpr std::uint64_t payload_max = std::uint64_t{1} << 30;

bool send_all(int socket, const char* data, std::size_t size) {
  while (size > 0) {
    const auto sent = ::send(socket, data, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    data += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, char* data, std::size_t size) {
  while (size > 0) {
    const auto got = ::recv(socket, data, size, MSG_WAITALL);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    data += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

bool Channel::send(const Message& message) {
  const Header header{static_cast<std::uint32_t>(message.kind), message.slot, message.number,
                      message.payload.size()};
  const auto* bytes = reinterpret_cast<const char*>(&header);
  return send_all(socket_.fd(), bytes, sizeof header) &&
         send_all(socket_.fd(), message.payload.data(), message.payload.size());
}

std::optional<Message> Channel::receive() {
  Header header;
  if (!receive_all(socket_.fd(), reinterpret_cast<char*>(&header), sizeof header))
    return std::nullopt;
  if (header.bytes > payload_max) return std::nullopt;
  Message message{static_cast<MessageKind>(header.kind), header.slot, header.number, {}};
  message.payload.resize(header.bytes);
  if (!receive_all(socket_.fd(), message.payload.data(), message.payload.size()))
    return std::nullopt;
  return message;
}

}  // namespace hone::ipc
