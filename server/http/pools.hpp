// The threads that wait or compute, so that the io thread never does: readers with a read-only
// connection each, threads that move blobs, and one that parses large bodies. All take jobs from
// bounded queues.
#pragma once

#include <SQLiteCpp/Database.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/result.hpp"
#include "server/api/router.hpp"

namespace hone::http {

class Pool {
 public:
  using Job = std::function<void(std::size_t thread)>;  // thread: 0.. ; must not throw

  // The queue holds at most `waiting_max` jobs. With `separate`, the first thread takes no heavy
  // jobs and the others prefer them, so that neither kind waits for the other.
  Pool(std::size_t threads, std::size_t waiting_max, bool separate = false);
  ~Pool();  // finishes the queue, joins
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Thread-safe, never blocks. Refuses with busy when the queue is full; the job is then dropped.
  Status push(Job job, api::Weight weight = api::Weight::quick);

 private:
  void work(std::size_t thread);
  std::deque<Job>* next_queue(std::size_t thread);

  const std::size_t waiting_max_;
  const bool separate_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> quick_, heavy_;
  bool closed_ = false;
  std::vector<std::thread> threads_;
};

class ReaderPool {
 public:
  using Job = std::function<void(SQLite::Database&)>;  // must not throw
  using Stop = std::shared_ptr<const std::atomic<bool>>;

  // One thread for each connection.
  explicit ReaderPool(std::vector<std::unique_ptr<SQLite::Database>> connections);

  // As Pool::push. While *stop is true, SQLite interrupts every statement of the job.
  Status push(Job job, api::Weight weight = api::Weight::quick, Stop stop = nullptr);

 private:
  std::vector<std::unique_ptr<SQLite::Database>> connections_;
  Pool pool_;
};

class DiskPool {
 public:
  using Job = std::function<void()>;  // must not throw

  explicit DiskPool(std::size_t threads);

  Status push(Job job);  // as Pool::push

 private:
  Pool pool_;
};

}  // namespace hone::http
