#include "sdk/cli/session/interrupt.hpp"

#include <csignal>
#include <ctime>

namespace hone::cli {
namespace {

sigset_t interrupts() {
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGINT);
  sigaddset(&wanted, SIGTERM);
  return wanted;
}

}  // namespace

bool interrupted_within(Duration time) {
  const sigset_t wanted = interrupts();
  sigset_t before;
  sigprocmask(SIG_BLOCK, &wanted, &before);
  const timespec limit{time.us / 1'000'000, time.us % 1'000'000 * 1'000};
  const int signal = sigtimedwait(&wanted, nullptr, &limit);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return signal > 0;
}

InterruptsHeld::InterruptsHeld() {
  const sigset_t wanted = interrupts();
  sigprocmask(SIG_BLOCK, &wanted, &before_);
}

InterruptsHeld::~InterruptsHeld() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace hone::cli
