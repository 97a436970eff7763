// SIGTERM and SIGINT as a stop token.
#pragma once

#include <stop_token>
#include <thread>

namespace hone {

// At most one object may exist in a process at a time.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  void watch();

  std::stop_source source_;
  int signaled_;  // eventfd: a signal arrived; never closed, see the destructor
  int quit_;      // eventfd: the watcher has to end
  std::thread watcher_;
};

}  // namespace hone
