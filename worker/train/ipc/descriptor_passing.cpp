#include "worker/train/ipc/descriptor_passing.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace hone::ipc {
namespace {

// A message of a number and room for one descriptor.
struct Parcel {
  explicit Parcel(std::int32_t& number) {
    part = {&number, sizeof number};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
  }
  void make_room() {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
  }

  iovec part{};
  msghdr message{};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
};

}  // namespace

bool pass(int socket, std::int32_t number, int descriptor) {
  Parcel parcel(number);
  if (descriptor >= 0) {
    parcel.make_room();
    auto* const header = CMSG_FIRSTHDR(&parcel.message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  ssize_t sent = -1;
  do sent = ::sendmsg(socket, &parcel.message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == sizeof number;
}

std::optional<PassedDescriptor> receive_passed(int socket) {
  PassedDescriptor passed;
  Parcel parcel(passed.number);
  parcel.make_room();
  ssize_t got = -1;
  do got = ::recvmsg(socket, &parcel.message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got != sizeof passed.number) return std::nullopt;
  if (const auto* header = CMSG_FIRSTHDR(&parcel.message);
      header != nullptr && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    passed.file = FileHandle(descriptor);
  }
  return passed;
}

}  // namespace hone::ipc
