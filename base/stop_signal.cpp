#include "base/stop_signal.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace hone {
namespace {

// A signal handler takes no argument, so it needs a global variable. A signalfd with blocked
// signals would not, but libraries start threads before main in which the signals are not blocked,
// and such a thread would end the process by the default action.
std::atomic<int> handler_event{-1};
static_assert(std::atomic<int>::is_always_lock_free);

int new_event() {
  const int event = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (event < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  return event;
}

void ring(int event) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(event, &one, sizeof one);
}

extern "C" void on_stop_signal(int) {
  const int saved = errno;
  ring(handler_event.load());
  errno = saved;
}

void set_handler(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
}

}  // namespace

StopSignal::StopSignal()
    : signaled_(new_event()), quit_(new_event()), watcher_([this] { watch(); }) {
  handler_event = signaled_;
  set_handler(on_stop_signal);
}

StopSignal::~StopSignal() {
  set_handler(SIG_DFL);
  handler_event = -1;
  ring(quit_);
  watcher_.join();
  // signaled_ stays open: a handler on another thread may have read its number and may still write.
  ::close(quit_);
}

void StopSignal::watch() {
  std::array<pollfd, 2> sources{{{signaled_, POLLIN, 0}, {quit_, POLLIN, 0}}};
  while (::poll(sources.data(), sources.size(), -1) < 0 && errno == EINTR) {
  }
  if (sources[0].revents != 0) source_.request_stop();
}

}  // namespace hone
