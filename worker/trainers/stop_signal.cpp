#include "worker/trainers/stop_signal.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace hone::trainers {
namespace {

int checked(int handle, const char* what) {
  if (handle < 0) throw std::system_error(errno, std::generic_category(), what);
  return handle;
}

int open_signals() {
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGTERM);
  sigaddset(&wanted, SIGINT);
  pthread_sigmask(SIG_BLOCK, &wanted, nullptr);
  return checked(::signalfd(-1, &wanted, SFD_CLOEXEC), "signalfd");
}

}  // namespace

StopSignal::StopSignal()
    : signals_(open_signals()),
      quit_(checked(::eventfd(0, EFD_CLOEXEC), "eventfd")),
      watcher_([this] { watch(); }) {}

StopSignal::~StopSignal() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(quit_, &one, sizeof one);
  watcher_.join();
  ::close(signals_);
  ::close(quit_);
}

void StopSignal::watch() {
  std::array<pollfd, 2> sources{{{signals_, POLLIN, 0}, {quit_, POLLIN, 0}}};
  while (::poll(sources.data(), sources.size(), -1) < 0 && errno == EINTR) {
  }
  if (sources[0].revents != 0) source_.request_stop();
}

}  // namespace hone::trainers
