// The newest metric points in memory, for standbys: metrics are no events, so that the ledger does
// not carry them. Empty until a standby is known or expected: most servers have none. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "schemas/types/metric.hpp"

namespace hone {

class MetricFeed {
 public:
  struct Entry {
    RunId run;
    Instant at;
    MetricPoint point;
  };
  struct Batch {
    std::vector<Entry> entries;
    std::int64_t next = 0;  // the place after them
    bool gap = false;       // some before them were no longer here
  };

  // `life` differs for each process: the places of another one mean nothing here. `wanted`: a
  // standby is known or expected from the start.
  MetricFeed(std::string life, std::size_t points_max, bool wanted)
      : life_(std::move(life)), points_max_(points_max), wanted_(wanted) {}

  [[nodiscard]] const std::string& life() const { return life_; }

  void add(RunId run, Instant at, const std::vector<MetricPoint>& points) {
    const std::lock_guard lock(mutex_);
    if (!wanted_) return;
    for (const MetricPoint& point : points) entries_.push_back({run, at, point});
    while (entries_.size() > points_max_) {
      entries_.pop_front();
      ++first_;
    }
  }

  // The place after the newest point.
  [[nodiscard]] std::int64_t end() const {
    const std::lock_guard lock(mutex_);
    return first_ + static_cast<std::int64_t>(entries_.size());
  }

  // Up to `most` of the points from a place on. The first call makes the feed wanted.
  Batch after(const std::string& life, std::int64_t place, std::size_t most) {
    const std::lock_guard lock(mutex_);
    wanted_ = true;
    const auto end = first_ + static_cast<std::int64_t>(entries_.size());
    Batch batch;
    batch.gap = life != life_ || place < first_ || place > end;
    auto at = batch.gap ? first_ : place;
    for (; at < end && batch.entries.size() < most; ++at)
      batch.entries.push_back(entries_[static_cast<std::size_t>(at - first_)]);
    batch.next = at;
    return batch;
  }

 private:
  const std::string life_;
  const std::size_t points_max_;
  mutable std::mutex mutex_;
  bool wanted_;
  std::deque<Entry> entries_;
  std::int64_t first_ = 0;  // the place of the first entry
};

}  // namespace hone
