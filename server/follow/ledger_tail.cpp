#include "server/follow/ledger_tail.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <exception>

#include "db/queries/follow.hpp"
#include "db/queries/queries.hpp"

namespace hone {
namespace {

constexpr std::int64_t tail_batch_events = 200;     // held in memory
constexpr Duration tail_pause = milliseconds(100);  // at most ten reads a second

}  // namespace

LedgerTail::LedgerTail(std::unique_ptr<SQLite::Database> db, std::int64_t after,
                       std::vector<std::string> kinds)
    : db_(std::move(db)), after_(after), kinds_(std::move(kinds)) {}

LedgerTail::~LedgerTail() { stop(); }

void LedgerTail::start(Take take) {
  thread_ = std::thread([this, take = std::move(take)] {
    try {
      run(take);
    } catch (const std::exception& trouble) {
      spdlog::error("a follower of the ledger ended and needs a restart of the server: {}",
                    trouble.what());
    }
  });
}

void LedgerTail::stop() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void LedgerTail::wake() {
  {
    const std::lock_guard lock(mutex_);
    if (news_) return;
    news_ = true;
  }
  changed_.notify_all();
}

bool LedgerTail::rest(Duration time) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::microseconds(time.us), [this] { return ending_; });
  return !ending_;
}

void LedgerTail::run(const Take& take) {
  while (true) {
    const auto newest = last_seq(*db_);
    const auto events = events_of_kinds(*db_, after_, kinds_, tail_batch_events);
    for (const auto& event : events) {
      if (!take(event)) return;
      after_ = event.seq;
    }
    if (!events.empty()) continue;
    after_ = std::max(after_, newest);  // no event of these kinds up to there
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return news_ || ending_; });
      if (ending_) return;
      news_ = false;
    }
    if (!rest(tail_pause)) return;
  }
}

}  // namespace hone
