// SIGTERM and SIGINT as a stop token, without handlers: a thread of its own waits for them.
#pragma once

#include <stop_token>
#include <thread>

namespace hone::trainers {

// Make it before any other thread, so that all of them inherit the blocked signals.
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
  int signals_;  // signalfd
  int quit_;     // eventfd: the watcher may end
  std::thread watcher_;
};

}  // namespace hone::trainers
