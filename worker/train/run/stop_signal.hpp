// SIGTERM and SIGINT as a stop token.
#pragma once

#include <stop_token>
#include <thread>

namespace hone::trainers {

// One at a time in a process.
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
  int signaled_;  // eventfd: a signal came; never closed, see the destructor
  int quit_;      // eventfd: the watcher may end
  std::thread watcher_;
};

}  // namespace hone::trainers
