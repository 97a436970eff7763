#include "server/http/pools.hpp"

#include <utility>

#include "server/limits.hpp"

namespace hone::http {

Pool::Pool(std::size_t threads, std::size_t waiting_max) : waiting_max_(waiting_max) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this, i] { work(i); });
}

Pool::~Pool() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  wake_.notify_all();
  for (auto& thread : threads_) thread.join();
}

Status Pool::push(Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (jobs_.size() >= waiting_max_)
      return refuse(Code::busy,
                    "the server has " + std::to_string(waiting_max_) +
                        " requests waiting for its disk, its bound: try again in a second");
    jobs_.push_back(std::move(job));
  }
  wake_.notify_one();
  return Done{};
}

void Pool::work(std::size_t thread) {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return closed_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job(thread);
    job = nullptr;  // releases its captures outside the lock
    lock.lock();
  }
}

ReaderPool::ReaderPool(std::vector<std::unique_ptr<SQLite::Database>> connections)
    : connections_(std::move(connections)), pool_(connections_.size(), limits::reads_queued_max) {}

Status ReaderPool::push(Job job) {
  return pool_.push(
      [this, job = std::move(job)](std::size_t thread) { job(*connections_[thread]); });
}

DiskPool::DiskPool() : pool_(limits::disk_threads, limits::reads_queued_max) {}

Status DiskPool::push(Job job) {
  return pool_.push([job = std::move(job)](std::size_t) { job(); });
}

}  // namespace hone::http
