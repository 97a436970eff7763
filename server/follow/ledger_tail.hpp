// Follows the ledger on its own thread, with a read-only connection.
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
  // Called with each event of `kinds` after `after`, once and in order. Returns false to end.
  using Take = std::function<bool(const EventRow& event)>;

  LedgerTail(std::unique_ptr<SQLite::Database> db, std::int64_t after,
             std::vector<std::string> kinds);
  ~LedgerTail();  // ends once `take` returns
  LedgerTail(const LedgerTail&) = delete;
  LedgerTail& operator=(const LedgerTail&) = delete;

  void start(Take take);  // once
  void stop();            // makes rest() return false, and joins the thread
  void wake();            // the ledger has grown; any thread, returns at once

  // Waits, for use in `take`. False after stop().
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
