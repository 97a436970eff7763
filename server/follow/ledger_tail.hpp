// Follows the ledger on a thread of its own, with a reading connection: what reacts to events and
// is part of no decision.
#pragma once

#include <SQLiteCpp/Database.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "db/queries/rows.hpp"

namespace hone {

class LedgerTail {
 public:
  // Given each event of these kinds after `after`, once and in order. False: it has been told to
  // end.
  using Take = std::function<bool(const EventRow& event)>;

  LedgerTail(std::unique_ptr<SQLite::Database> db, std::int64_t after,
             std::vector<std::string> kinds);
  ~LedgerTail();  // ends once `take` returns
  LedgerTail(const LedgerTail&) = delete;
  LedgerTail& operator=(const LedgerTail&) = delete;

  void start(Take take);  // once
  void stop();            // rest() answers false from now on; waits for the thread
  void wake();            // the ledger has grown; any thread, never waits for long

  // For `take`: waits. False: it is time to end.
  bool rest(Duration time);

 private:
  void run(const Take& take);

  std::unique_ptr<SQLite::Database> db_;
  std::int64_t after_;
  const std::vector<std::string> kinds_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool news_ = false;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace hone
