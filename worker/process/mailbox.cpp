#include "worker/process/mailbox.hpp"

#include <sys/eventfd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

namespace hone::worker {

Mailbox::Mailbox() : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!wake_) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void Mailbox::post(Replied reply) {
  const std::scoped_lock lock(mutex_);
  replies_.push_back(std::move(reply));
  const std::uint64_t one = 1;
  // Fails only if the counter is full, and then it is readable anyway.
  [[maybe_unused]] const auto written = ::write(wake_.fd(), &one, sizeof one);
}

std::vector<Replied> Mailbox::take() {
  const std::scoped_lock lock(mutex_);
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = ::read(wake_.fd(), &count, sizeof count);
  return std::exchange(replies_, {});
}

}  // namespace hone::worker
