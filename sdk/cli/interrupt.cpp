#include "sdk/cli/interrupt.hpp"

#include <csignal>
#include <ctime>

namespace hone::cli {

bool interrupted_within(Duration time) {
  sigset_t wanted;
  sigset_t before;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGINT);
  sigaddset(&wanted, SIGTERM);
  sigprocmask(SIG_BLOCK, &wanted, &before);
  const timespec limit{time.us / 1'000'000, time.us % 1'000'000 * 1'000};
  const int signal = sigtimedwait(&wanted, nullptr, &limit);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return signal > 0;
}

}  // namespace hone::cli
