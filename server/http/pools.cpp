#include "server/http/pools.hpp"

#include <sqlite3.h>

#include <utility>

#include "server/limits.hpp"

namespace hone::http {

Pool::Pool(std::size_t threads, std::size_t waiting_max, bool separate)
    : waiting_max_(waiting_max), separate_(separate && threads > 1) {
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

Status Pool::push(Job job, api::Weight weight) {
  {
    const std::lock_guard lock(mutex_);
    auto& jobs = weight == api::Weight::heavy ? heavy_ : quick_;
    if (jobs.size() >= waiting_max_)
      return refuse(Code::busy,
                    "the server has " + std::to_string(waiting_max_) +
                        " requests waiting for its disk, its bound: try again in a second");
    jobs.push_back(std::move(job));
  }
  wake_.notify_all();  // a job is not for every thread
  return Done{};
}

// The queue that this thread takes its next job from; null if there is none for it.
std::deque<Pool::Job>* Pool::next_queue(std::size_t thread) {
  const bool prefers_heavy = separate_ && thread > 0;
  const bool only_quick = separate_ && thread == 0;
  if (prefers_heavy && !heavy_.empty()) return &heavy_;
  if (!quick_.empty()) return &quick_;
  return heavy_.empty() || only_quick ? nullptr : &heavy_;
}

void Pool::work(std::size_t thread) {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return closed_ || next_queue(thread) != nullptr; });
    auto* const queue = next_queue(thread);
    if (queue == nullptr) return;
    auto job = std::move(queue->front());
    queue->pop_front();
    lock.unlock();
    job(thread);
    job = nullptr;  // releases its captures outside the lock
    lock.lock();
  }
}

namespace {

constexpr int steps_between_looks = 1000;  // of SQLite's machine: some 20 us

int is_stopped(void* stop) { return static_cast<const std::atomic<bool>*>(stop)->load() ? 1 : 0; }

// Lets SQLite look at *stop while it lives.
class Interruptible {
 public:
  Interruptible(SQLite::Database& db, const std::atomic<bool>* stop) : db_(db.getHandle()) {
    if (stop == nullptr) return;
    sqlite3_progress_handler(db_, steps_between_looks, is_stopped,
                             const_cast<std::atomic<bool>*>(stop));  // NOLINT: only read
  }
  ~Interruptible() { sqlite3_progress_handler(db_, 0, nullptr, nullptr); }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  sqlite3* db_;
};

}  // namespace

ReaderPool::ReaderPool(std::vector<std::unique_ptr<SQLite::Database>> connections)
    : connections_(std::move(connections)),
      pool_(connections_.size(), limits::reads_queued_max, true) {}

Status ReaderPool::push(Job job, api::Weight weight, Stop stop) {
  auto run = [this, job = std::move(job), stop = std::move(stop)](std::size_t thread) {
    SQLite::Database& db = *connections_[thread];
    const Interruptible interruptible(db, stop.get());
    job(db);
  };
  return pool_.push(std::move(run), weight);
}

DiskPool::DiskPool(std::size_t threads) : pool_(threads, limits::reads_queued_max) {}

Status DiskPool::push(Job job) {
  return pool_.push([job = std::move(job)](std::size_t) { job(); });
}

}  // namespace hone::http
