// A bounded queue whose items are served in batches. At most `concurrency` batches are served at
// the same time, by consumer threads, which sleep while there is nothing to serve, or by clients:
// a client that would have to wait for its own item may pop and serve a batch itself. A lone client
// then never waits for another thread to wake up, and under load the batches form just the same.
//
// GA3C (Babaeizadeh et al., 2017, section 4) has one such queue for predictions and one for
// training; that clients serve too is an addition. Every method may be called from any thread.
#pragma once

#include <cassert>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace hone::rl {

struct QueueLimits {
  // Items that may wait. Clients own a fixed number of slots, so it is never exceeded.
  std::size_t capacity = 1;
  // Batches that may be served at the same time.
  int concurrency = 1;
  // A batch takes what is queued up to this weight, and at least one item.
  int batch_weight_max = 1;
};

// Sums since they were last taken.
struct QueueMeter {
  std::int64_t batches = 0;  // served
  std::int64_t queued = 0;   // items that waited when a batch was taken, the batch included
  std::int64_t weight = 0;   // of all batches
};

// Item needs `int weight_of(const Item&)`, found by its type.
template <class Item>
class BatchQueue {
 public:
  explicit BatchQueue(const QueueLimits& limits)
      : ring_(limits.capacity),
        permits_(limits.concurrency),
        weight_max_(limits.batch_weight_max) {}

  // Whether a call wakes a consumer thread for what is queued. Wake::none requires that the caller
  // calls try_pop_batch() next.
  enum class Wake { none, one };

  // Precondition: the queue has room for all items.
  void push(std::span<const Item> items, Wake wake) {
    const std::scoped_lock lock(mutex_);
    assert(queued_ + items.size() <= ring_.size());
    for (const auto& item : items) ring_[(head_ + queued_++) % ring_.size()] = item;
    if (wake == Wake::one && permits_ > 0) ready_.notify_one();
  }

  // Takes a batch to serve. Returns false, without waiting, if nothing is queued or `concurrency`
  // batches are being served. After true, call finish_batch() when the batch is served.
  bool try_pop_batch(std::vector<Item>& batch) {
    const std::scoped_lock lock(mutex_);
    return pop_batch(batch);
  }

  void finish_batch(Wake wake) {
    const std::scoped_lock lock(mutex_);
    ++permits_;
    if (wake == Wake::one && queued_ > 0) ready_.notify_one();
  }

  // The loop of a consumer thread: serves batches until close(), or until remove_consumer() ends
  // this thread.
  template <class Serve>
  void consume(Serve serve) {
    std::vector<Item> batch;
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        ready_.wait(lock, [&] { return closed_ || removed_ > 0 || (permits_ > 0 && queued_ > 0); });
        if (closed_) return;
        if (removed_ > 0) {
          --removed_;
          return;
        }
        if (!pop_batch(batch)) continue;
      }
      serve(batch);
      finish_batch(Wake::one);
    }
  }

  // Raises the concurrency by one, for a thread that calls consume().
  void add_consumer() {
    const std::scoped_lock lock(mutex_);
    ++permits_;
    ready_.notify_one();
  }
  // Lowers the concurrency by one and ends one thread that is in consume(). Batches under way are
  // served to their end.
  void remove_consumer() {
    const std::scoped_lock lock(mutex_);
    --permits_;
    ++removed_;
    ready_.notify_all();
  }

  // Returns the sums and sets them to zero.
  QueueMeter take_meter() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(meter_, {});
  }

  // Ends all threads that are in consume(). Items that are still queued are not served.
  void close() {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    ready_.notify_all();
  }

 private:
  bool pop_batch(std::vector<Item>& batch) {
    batch.clear();
    if (permits_ <= 0 || queued_ == 0) return false;
    --permits_;
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
    // Another consumer may serve what is left at the same time.
    if (queued_ > 0 && permits_ > 0) ready_.notify_one();
    return true;
  }

  std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<Item> ring_;
  std::size_t head_ = 0;
  std::size_t queued_ = 0;
  int permits_;      // batches that may still be taken; below 0 after remove_consumer()
  int removed_ = 0;  // consumer threads that have to end
  int weight_max_;
  bool closed_ = false;
  QueueMeter meter_;
};

}  // namespace hone::rl
