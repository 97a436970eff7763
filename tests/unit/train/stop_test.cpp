#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <stop_token>
#include <thread>

#include "base/stop_signal.hpp"

namespace hone::trainers {
namespace {

void expect_stop_after(int signal) {
  const StopSignal stop;
  std::atomic<bool> stopped{false};
  const std::stop_callback on_stop(stop.token(), [&] {
    stopped = true;
    stopped.notify_all();
  });
  ASSERT_FALSE(stopped);
  ASSERT_EQ(std::raise(signal), 0);
  stopped.wait(false);
  EXPECT_TRUE(stop.token().stop_requested());
}

TEST(StopSignal, asks_to_stop_on_a_signal) {
  expect_stop_after(SIGTERM);
  expect_stop_after(SIGINT);
}

// Found with OpenBLAS, whose threads exist before main: they took SIGTERM's default action.
TEST(StopSignal, is_not_killed_through_a_thread_that_was_there_before) {
  std::mutex mutex;
  std::condition_variable ended;
  bool over = false;
  std::jthread early([&] {
    std::unique_lock lock(mutex);
    ended.wait(lock, [&] { return over; });
  });
  const auto handle = early.native_handle();
  {
    const StopSignal stop;
    std::atomic<bool> stopped{false};
    const std::stop_callback on_stop(stop.token(), [&] {
      stopped = true;
      stopped.notify_all();
    });
    ASSERT_EQ(pthread_kill(handle, SIGTERM), 0);
    stopped.wait(false);
  }
  const std::scoped_lock lock(mutex);
  over = true;
  ended.notify_all();
}

TEST(StopSignal, ends_quietly_without_a_signal) { const StopSignal stop; }

}  // namespace
}  // namespace hone::trainers
