#include "server/engine/inbox.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace hone {

Status Inbox::push(Envelope envelope) {
  {
    const std::scoped_lock lock(mutex_);
    if (closed_) return refuse(Code::unavailable, "the server is shutting down: try again later");
    if (queue_.size() >= capacity_)
      return refuse(Code::busy, "the server has " + std::to_string(capacity_) +
                                    " requests waiting, its bound: try again in a second");
    queue_.push_back(std::move(envelope));
  }
  changed_.notify_one();
  return Done{};
}

Inbox::Batch Inbox::take(std::optional<Duration> patience, std::size_t max) {
  std::unique_lock lock(mutex_);
  const auto ready = [this] { return closed_ || !queue_.empty(); };
  if (patience)
    changed_.wait_for(lock, std::chrono::microseconds(patience->us), ready);
  else
    changed_.wait(lock, ready);
  Batch batch;
  const auto count = static_cast<std::ptrdiff_t>(std::min(max, queue_.size()));
  std::move(queue_.begin(), queue_.begin() + count, std::back_inserter(batch.envelopes));
  queue_.erase(queue_.begin(), queue_.begin() + count);
  batch.finished = closed_ && batch.envelopes.empty();
  return batch;
}

void Inbox::close() {
  {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

}  // namespace hone
