// The threads that wait for the disk, so that the io thread never does: readers with a read-only
// connection each, and threads that move blobs. Both take jobs from a bounded queue.
#pragma once

#include <SQLiteCpp/Database.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/result.hpp"

namespace hone::http {

class Pool {
 public:
  using Job = std::function<void(std::size_t thread)>;  // thread: 0.. ; must not throw

  // The queue holds at most `waiting_max` jobs.
  Pool(std::size_t threads, std::size_t waiting_max);
  ~Pool();  // finishes the queue, joins
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Thread-safe, never blocks. Refuses with busy when the queue is full; the job is then dropped.
  Status push(Job job);

 private:
  void work(std::size_t thread);

  const std::size_t waiting_max_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  bool closed_ = false;
  std::vector<std::thread> threads_;
};

class ReaderPool {
 public:
  using Job = std::function<void(SQLite::Database&)>;  // must not throw

  // One thread for each connection.
  explicit ReaderPool(std::vector<std::unique_ptr<SQLite::Database>> connections);

  Status push(Job job);  // as Pool::push

 private:
  std::vector<std::unique_ptr<SQLite::Database>> connections_;
  Pool pool_;
};

class DiskPool {
 public:
  using Job = std::function<void()>;  // must not throw

  DiskPool();

  Status push(Job job);  // as Pool::push

 private:
  Pool pool_;
};

}  // namespace hone::http
