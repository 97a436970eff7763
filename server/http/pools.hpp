// The threads that wait or compute, so that the io thread never does: readers with a read-only
// connection each, threads that move blobs, and those that parse large bodies. All take jobs from
// bounded queues, of each speaker in turn (fair_queue.hpp).
#pragma once

#include <SQLiteCpp/Database.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.hpp"
#include "db/queries/unfinished_imports.hpp"
#include "server/http/fair_queue.hpp"

namespace hone::http {

// What a job is for: jobs of one lane wait for each other, and a thread serves the lanes that it is
// given.
enum class Lane {
  page,    // reads of milliseconds
  sweep,   // reads of whole sweeps, and other long ones
  live,    // event streams, logs of running programs
  standby  // pages of the ledger, for which acknowledgements may wait
};
inline constexpr std::size_t lane_count = static_cast<std::size_t>(Lane::standby) + 1;

// What a speaker pays for a job.
enum class Price {
  cpu,  // the seconds that its thread computed
  time  // the seconds that it held its thread
};

class Pool {
 public:
  using Job = std::function<void(std::size_t thread)>;  // thread: 0.. ; must not throw
  using Lanes = std::vector<Lane>;                      // the preferred one first

  // A thread for each of `threads`, which takes jobs of these lanes.
  Pool(std::vector<Lanes> threads, const QueueBounds& bounds, Price price);
  ~Pool();  // finishes the queues, joins
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Thread-safe, never blocks. Refuses with busy when the queue is full; the job is then dropped.
  Status push(Lane lane, const std::string& speaker, Job job);

 private:
  using Queue = FairQueue<Job>;
  struct Turn {
    Queue* queue;
    Queue::Turn taken;
  };
  void work(std::size_t thread);
  std::optional<Turn> next(std::size_t thread);

  const std::vector<Lanes> lanes_;
  const Price price_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::array<Queue, lane_count> queues_;
  bool closed_ = false;
  std::vector<std::thread> threads_;
};

class ReaderPool {
 public:
  using Job = std::function<void(SQLite::Database&)>;  // must not throw
  using Stop = std::shared_ptr<const std::atomic<bool>>;

  // One thread for each connection. Of three, the last serves standbys and live reads alone, so
  // that neither waits for users' reads; of two or three, the first takes no reads of whole sweeps.
  explicit ReaderPool(std::vector<std::unique_ptr<SQLite::Database>> connections);

  // As Pool::push. While *stop is true, SQLite interrupts every statement of the job.
  Status push(Lane lane, const std::string& speaker, Job job, Stop stop = nullptr);

 private:
  std::vector<std::unique_ptr<SQLite::Database>> connections_;
  std::vector<std::unique_ptr<UnfinishedImports>> imports_;  // of each connection
  Pool pool_;
};

// Threads of one lane.
class DiskPool {
 public:
  using Job = std::function<void()>;  // must not throw

  explicit DiskPool(std::size_t threads, Price price = Price::time);

  Status push(const std::string& speaker, Job job);  // as Pool::push

 private:
  Pool pool_;
};

}  // namespace hone::http
