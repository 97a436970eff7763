// A bounded queue whose items are served in batches, by at most `seats` servers at once. Server
// threads sleep until there is something to serve. A client that would have to wait for its own
// item may serve instead while a seat is free: a lone client then never waits for another thread to
// wake up, and under load the batches form just the same.
#pragma once

#include <cassert>
#include <condition_variable>
#include <mutex>
#include <span>
#include <vector>

namespace hone::ga3c {

struct DeskLimits {
  std::size_t capacity =
      1;  // items that can ever wait; clients own a fixed number of slots, so it is never exceeded
  int seats = 1;  // servers at once
  int batch_weight_max =
      1;  // a batch takes what is queued up to this weight, and at least one item
};

// Item needs `int weight_of(const Item&)`, found by its type.
template <class Item>
class Desk {
 public:
  explicit Desk(const DeskLimits& limits)
      : ring_(limits.capacity), free_seats_(limits.seats), weight_max_(limits.batch_weight_max) {}

  enum class Then { serve, leave };
  // Then::serve promises that the caller tries sit() next, so no server is woken. Then::leave wakes
  // one.
  void push(std::span<const Item> items, Then then) {
    const std::scoped_lock lock(mutex_);
    assert(queued_ + items.size() <= ring_.size());
    for (const auto& item : items) ring_[(head_ + queued_++) % ring_.size()] = item;
    if (then == Then::leave && free_seats_ > 0) ready_.notify_one();
  }

  // Takes a seat and a batch; false when no seat is free or nothing is queued. Follow with leave().
  bool sit(std::vector<Item>& batch) {
    const std::scoped_lock lock(mutex_);
    return take(batch);
  }

  // Then::serve as with push().
  void leave(Then then) {
    const std::scoped_lock lock(mutex_);
    ++free_seats_;
    if (then == Then::leave && queued_ > 0) ready_.notify_one();
  }

  // The life of a server thread: serves until close().
  template <class Serve>
  void serve_until_closed(Serve serve) {
    std::vector<Item> batch;
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        ready_.wait(lock, [&] { return closed_ || (free_seats_ > 0 && queued_ > 0); });
        if (closed_) return;
        if (!take(batch)) continue;
      }
      serve(batch);
      leave(Then::leave);
    }
  }

  void close() {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    ready_.notify_all();
  }

 private:
  bool take(std::vector<Item>& batch) {
    batch.clear();
    if (free_seats_ == 0 || queued_ == 0) return false;
    --free_seats_;
    int weight = 0;
    do {
      weight += weight_of(ring_[head_]);
      batch.push_back(ring_[head_]);
      head_ = (head_ + 1) % ring_.size();
      --queued_;
    } while (queued_ > 0 && weight + weight_of(ring_[head_]) <= weight_max_);
    return true;
  }

  std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<Item> ring_;
  std::size_t head_ = 0;
  std::size_t queued_ = 0;
  int free_seats_;
  int weight_max_;
  bool closed_ = false;
};

}  // namespace hone::ga3c
