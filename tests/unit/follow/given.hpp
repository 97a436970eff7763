// A ledger in a file that is followed while it grows.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "tests/unit/db/given.hpp"

namespace hone {

// What other threads hand to the test, in order.
template <class T>
class Handed {
 public:
  void add(T item) {
    {
      const std::lock_guard lock(mutex_);
      items_.push_back(std::move(item));
    }
    changed_.notify_all();
  }
  // Waits for the next one. Fails the test after 20 s without.
  T next() {
    std::unique_lock lock(mutex_);
    const bool came =
        changed_.wait_for(lock, std::chrono::seconds(20), [this] { return !items_.empty(); });
    EXPECT_TRUE(came) << "nothing more was handed over";
    if (!came) return T{};
    T item = std::move(items_.front());
    items_.pop_front();
    return item;
  }
  bool is_empty() {
    const std::lock_guard lock(mutex_);
    return items_.empty();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> items_;
};

struct FollowedLedger : testing::Test {
  TemporaryFolder folder;
  std::string file = folder.file("hone.db");
  std::unique_ptr<SQLite::Database> db = open_for_writing(file).value();
  FedLedger fed{*db};
  Instant now{1'700'000'000'000'000};
  int requests = 0;

  FollowedLedger() { fed.must(Start{"test", seconds(15)}, now); }

  std::unique_ptr<SQLite::Database> reader() const { return open_for_reading(file).value(); }
  void join() { fed.must<JoinReply>(Join{{fresh(), "host", 1, 1024, 0, "test"}}, now); }
  // sweep_submitted, then sweep_ended. Returns the seq of the second.
  std::int64_t sweep() {
    const auto id = fed.must<Submitted>(Submit{{fresh(), small_spec(), {}}}, now).sweep;
    const auto steered = fed.perform(Steer{id, {Verb::cancel}}, now);
    EXPECT_TRUE(steered.ok()) << steered.error().detail;
    return db->execAndGet("SELECT max(seq) FROM event WHERE kind = 'sweep_ended'").getInt64();
  }
  std::string fresh() { return "request-" + std::to_string(++requests); }
};

}  // namespace hone
