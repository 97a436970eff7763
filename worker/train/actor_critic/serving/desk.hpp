// A bounded queue whose items are served in batches, by at most `seats` servers at once. Server
// threads sleep until there is something to serve. A client that would have to wait for its own
// item may serve instead while a seat is free: a lone client then never waits for another thread to
// wake up, and under load the batches form just the same.
#pragma once

#include <cassert>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace hone::ga3c {

struct DeskLimits {
  std::size_t capacity =
      1;  // items that can ever wait; clients own a fixed number of slots, so it is never exceeded
  int seats = 1;  // servers at once
  int batch_weight_max =
      1;  // a batch takes what is queued up to this weight, and at least one item
};

// Sums since they were last taken.
struct DeskMeter {
  std::int64_t batches = 0;  // served
  std::int64_t queued = 0;   // items that waited when a batch was taken, the batch included
  std::int64_t weight = 0;   // of all batches
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

  // The life of a server thread: serves until close() or until it is the one dismissed.
  template <class Serve>
  void serve_until_dismissed(Serve serve) {
    std::vector<Item> batch;
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        ready_.wait(lock,
                    [&] { return closed_ || dismissed_ > 0 || (free_seats_ > 0 && queued_ > 0); });
        if (closed_) return;
        if (dismissed_ > 0) {
          --dismissed_;
          return;
        }
        if (!take(batch)) continue;
      }
      serve(batch);
      leave(Then::leave);
    }
  }

  // One server more or less; seats may be fewer than are taken until someone leaves.
  void hire() {
    const std::scoped_lock lock(mutex_);
    ++free_seats_;
    ready_.notify_one();
  }
  void dismiss() {
    const std::scoped_lock lock(mutex_);
    --free_seats_;
    ++dismissed_;
    ready_.notify_all();
  }

  DeskMeter take_meter() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(meter_, {});
  }

  void close() {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    ready_.notify_all();
  }

 private:
  bool take(std::vector<Item>& batch) {
    batch.clear();
    if (free_seats_ <= 0 || queued_ == 0) return false;
    --free_seats_;
    meter_.queued += static_cast<std::int64_t>(queued_);
    ++meter_.batches;
    int weight = 0;
    do {
      weight += weight_of(ring_[head_]);
      batch.push_back(ring_[head_]);
      head_ = (head_ + 1) % ring_.size();
      --queued_;
    } while (queued_ > 0 && weight + weight_of(ring_[head_]) <= weight_max_);
    meter_.weight += weight;
    // There is more to do, and somebody who may help.
    if (queued_ > 0 && free_seats_ > 0) ready_.notify_one();
    return true;
  }

  std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<Item> ring_;
  std::size_t head_ = 0;
  std::size_t queued_ = 0;
  int free_seats_;
  int dismissed_ = 0;  // server threads that shall end
  int weight_max_;
  bool closed_ = false;
  DeskMeter meter_;
};

}  // namespace hone::ga3c
