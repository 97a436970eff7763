#include "server/http/pools.hpp"

#include <SQLiteCpp/Exception.h>
#include <sqlite3.h>

#include <chrono>
#include <ctime>
#include <utility>

#include "db/queries/queries.hpp"
#include "server/limits.hpp"

namespace hone::http {
namespace {

Duration since_start(Price price) {
  std::timespec now{};
  ::clock_gettime(price == Price::cpu ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return {std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1'000};
}

template <std::size_t... I>
auto queues(const QueueBounds& bounds, std::index_sequence<I...>) {
  const auto one = [&](std::size_t) { return FairQueue<Pool::Job>(bounds); };
  return std::array{one(I)...};
}

}  // namespace

Pool::Pool(std::vector<Lanes> threads, const QueueBounds& bounds, Price price)
    : lanes_(std::move(threads)),
      price_(price),
      queues_(queues(bounds, std::make_index_sequence<lane_count>())) {
  for (std::size_t i = 0; i < lanes_.size(); ++i) threads_.emplace_back([this, i] { work(i); });
}

Pool::~Pool() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  wake_.notify_all();
  for (auto& thread : threads_) thread.join();
}

Status Pool::push(Lane lane, const std::string& speaker, Job job) {
  {
    const std::lock_guard lock(mutex_);
    auto pushed = queues_.at(static_cast<std::size_t>(lane)).push(speaker, std::move(job));
    if (!pushed) return pushed;
  }
  wake_.notify_all();  // a job is not for every thread
  return Done{};
}

std::optional<Pool::Turn> Pool::next(std::size_t thread) {
  for (const Lane lane : lanes_[thread]) {
    Queue& queue = queues_.at(static_cast<std::size_t>(lane));
    if (auto taken = queue.take()) return Turn{&queue, *std::move(taken)};
  }
  return std::nullopt;
}

void Pool::work(std::size_t thread) {
  std::unique_lock lock(mutex_);
  while (true) {
    std::optional<Turn> turn;
    wake_.wait(lock, [&] { return (turn = next(thread)).has_value() || closed_; });
    if (!turn) return;
    lock.unlock();
    const Duration before = since_start(price_);
    turn->taken.job(thread);
    turn->taken.job = nullptr;  // releases its captures outside the lock
    const Duration cost = since_start(price_) - before;
    lock.lock();
    turn->queue->finish(turn->taken.speaker, cost);
    wake_.notify_all();  // the speaker's next job may be for another thread
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

std::vector<Pool::Lanes> lanes_of_readers(std::size_t threads) {
  if (threads < 2) return {{Lane::standby, Lane::live, Lane::page, Lane::sweep}};
  const Pool::Lanes pages{Lane::page}, sweeps{Lane::sweep, Lane::page};
  if (threads == 2) return {{Lane::standby, Lane::live, Lane::page}, sweeps};
  return {pages, sweeps, {Lane::standby, Lane::live}};
}

// One read of a speaker at a time in each lane: a flood of one then leaves the other thread free.
constexpr QueueBounds reader_bounds{.each_max = limits::reads_queued_each_max,
                                    .all_max = limits::reads_queued_max,
                                    .running_max = 1,
                                    .debt_max = limits::debt_max};

QueueBounds disk_bounds(std::size_t threads) {
  return {.each_max = limits::disk_jobs_queued_each_max,
          .all_max = limits::disk_jobs_queued_max,
          .running_max = threads,
          .debt_max = limits::debt_max};
}

std::vector<std::unique_ptr<UnfinishedImports>> hiding(
    const std::vector<std::unique_ptr<SQLite::Database>>& connections) {
  std::vector<std::unique_ptr<UnfinishedImports>> imports;
  for (const auto& db : connections) imports.push_back(std::make_unique<UnfinishedImports>(*db));
  return imports;
}

}  // namespace

ReaderPool::ReaderPool(std::vector<std::unique_ptr<SQLite::Database>> connections)
    : connections_(std::move(connections)),
      imports_(hiding(connections_)),
      pool_(lanes_of_readers(connections_.size()), reader_bounds, Price::cpu) {}

Status ReaderPool::push(Lane lane, const std::string& speaker, Job job, Stop stop) {
  auto run = [this, job = std::move(job), stop = std::move(stop)](std::size_t thread) {
    SQLite::Database& db = *connections_[thread];
    std::optional<Snapshot> snapshot;
    try {
      snapshot.emplace(db);
      imports_[thread]->hide();
    } catch (const SQLite::Exception&) {  // the job meets the same trouble, and answers it
    }
    const Interruptible interruptible(db, stop.get());
    job(db);
  };
  return pool_.push(lane, speaker, std::move(run));
}

DiskPool::DiskPool(std::size_t threads, Price price)
    : pool_(std::vector(threads, Pool::Lanes{Lane::page}), disk_bounds(threads), price) {}

Status DiskPool::push(const std::string& speaker, Job job) {
  return pool_.push(Lane::page, speaker, [job = std::move(job)](std::size_t) { job(); });
}

}  // namespace hone::http
