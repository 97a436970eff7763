#include "server/http/reader_pool.hpp"

#include <utility>

#include "server/engine/limits.hpp"

namespace hone::http {

ReaderPool::ReaderPool(std::vector<std::unique_ptr<SQLite::Database>> connections)
    : connections_(std::move(connections)) {
  for (auto& connection : connections_)
    threads_.emplace_back([this, &db = *connection] { work(db); });
}

ReaderPool::~ReaderPool() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  wake_.notify_all();
  for (auto& thread : threads_) thread.join();
}

Status ReaderPool::push(Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (jobs_.size() >= limits::reads_queued_max)
      return refuse(Code::busy, "the server has too many reads waiting; try again in a second");
    jobs_.push_back(std::move(job));
  }
  wake_.notify_one();
  return Done{};
}

void ReaderPool::work(SQLite::Database& db) {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return closed_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    const auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job(db);
    lock.lock();
  }
}

}  // namespace hone::http
