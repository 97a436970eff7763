// The reader threads: each owns a read-only connection and takes jobs from one bounded queue. Everything that may wait
// for the disk runs here, never on the io thread.
#pragma once

#include <SQLiteCpp/Database.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "schemas/types/result.hpp"

namespace hone::http {

class ReaderPool {
 public:
  using Job = std::function<void(SQLite::Database&)>;  // must not throw

  // Starts one thread for each connection.
  explicit ReaderPool(std::vector<std::unique_ptr<SQLite::Database>> connections);
  ~ReaderPool();  // finishes what is queued, joins
  ReaderPool(const ReaderPool&) = delete;
  ReaderPool& operator=(const ReaderPool&) = delete;

  // Thread-safe, never blocks. Refuses with busy when the queue is full; the job is then dropped.
  Status push(Job job);

 private:
  void work(SQLite::Database& db);

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  bool closed_ = false;
  std::vector<std::unique_ptr<SQLite::Database>> connections_;
  std::vector<std::thread> threads_;
};

}  // namespace hone::http
