// Carries the engine's replies to the io thread, one wake-up for each batch, and holds them there
// until a standby has their events, where they wait for one. Internal to server/http.
#pragma once

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace hone::http {

// What the engine has written: the newest event, and the place after the newest metric point.
struct Written {
  std::int64_t seq = 0;
  std::int64_t points = 0;
};

class Outbox {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Outbox(boost::asio::io_context& io) : io_(io) {}

  // Engine thread. `resume` runs on the io thread, after the next send(). *confirmed becomes false
  // before if no standby had the events in time.
  void add(std::function<void()> resume, std::shared_ptr<bool> confirmed) {
    waiting_.push_back({std::move(resume), std::move(confirmed)});
  }
  // Engine thread. The replies may depend on what is written up to there.
  void send(Written to) {
    if (waiting_.empty()) return;
    boost::asio::post(io_, [this, to, batch = std::exchange(waiting_, {})]() mutable {
      if (!waits_ || is_confirmed(to)) return resume(batch);
      held_.push_back({to, Clock::now(), std::move(batch)});
    });
  }

  // The others are for the io thread.
  void wait_for_standby() { waits_ = true; }  // before the first send
  void confirm(Written to) {
    if (is_confirmed(to)) return;
    confirmed_ = to;
    while (!held_.empty() && is_confirmed(held_.front().to)) resume(take_first().replies);
  }
  // Lets the replies that wait since `before` or longer go, unconfirmed.
  void give_up(Clock::time_point before) {
    while (!held_.empty() && held_.front().since <= before) {
      const auto batch = take_first().replies;
      for (const auto& reply : batch) *reply.confirmed = false;
      resume(batch);
    }
  }

 private:
  struct Waiting {
    std::function<void()> resume;
    std::shared_ptr<bool> confirmed;
  };
  struct Held {
    Written to;
    Clock::time_point since;
    std::vector<Waiting> replies;
  };

  static void resume(const std::vector<Waiting>& batch) {
    for (const auto& reply : batch) reply.resume();
  }
  [[nodiscard]] bool is_confirmed(Written to) const {
    return to.seq <= confirmed_.seq && to.points <= confirmed_.points;
  }
  // A reply's coroutine may change the queue.
  Held take_first() {
    Held first = std::move(held_.front());
    held_.pop_front();
    return first;
  }

  boost::asio::io_context& io_;
  std::vector<Waiting> waiting_;  // of the engine thread
  bool waits_ = false;
  Written confirmed_;
  std::deque<Held> held_;  // in the order of their events
};

}  // namespace hone::http
