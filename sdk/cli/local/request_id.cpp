#include "sdk/cli/local/request_id.hpp"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace hone::cli {

std::string new_request_id() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw std::runtime_error(std::string("the kernel gives no random bytes: ") +
                             std::strerror(errno));
  constexpr const char* digits = "0123456789abcdef";
  std::string id;
  for (const unsigned char byte : bytes) {
    id += digits[byte >> 4U];
    id += digits[byte & 15U];
  }
  return id;
}

}  // namespace hone::cli
