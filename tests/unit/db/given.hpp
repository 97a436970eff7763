// A data folder that is gone after the test, and a ledger that is fed by decide, as the engine does
// it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "db/file/database.hpp"
#include "db/ledger/ledger.hpp"
#include "schemas/types/event.hpp"
#include "server/sweep/decide.hpp"
#include "tests/unit/sweep/given.hpp"

namespace hone {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    auto pattern = (std::filesystem::temp_directory_path() / "hone-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline std::unique_ptr<SQLite::Database> open_in_memory() {
  auto db = open_for_writing(":memory:");
  EXPECT_TRUE(db.ok());
  return std::move(*db);
}

// Decides, appends and folds.
struct FedLedger {
  explicit FedLedger(SQLite::Database& db) : ledger(db) {}

  Result<Reply> perform(const Command& command, Instant now) {
    const auto events = decide(book, command, now);
    if (!events) return events.error();
    ledger.begin();
    for (const auto& body : *events) {
      const Event event{++seq, now, body};
      ledger.append(event);
      evolve(book, event);
    }
    if (const auto* log = std::get_if<LogMetrics>(&command))
      ledger.append_metrics(book.run_of_lease.at(*lease_index(book, log->lease)), now,
                            log->request.points);
    ledger.commit();
    return answer(book, command);
  }

  // A command that must not be refused, and its reply.
  template <class T = Done>
  T must(const Command& command, Instant now) {
    auto reply = perform(command, now);
    EXPECT_TRUE(reply.ok()) << reply.error().detail;
    return std::get<T>(*reply);
  }

  Ledger ledger;
  Book book;
  std::int64_t seq = 0;
};

// Every row of every query table, as text, by table.
inline std::map<std::string, std::vector<std::string>> dump_projection(SQLite::Database& db) {
  std::map<std::string, std::vector<std::string>> tables;
  for (const char* table : projection_tables()) {
    SQLite::Statement rows(db, std::string("SELECT * FROM ") + table);
    auto& lines = tables[table];
    while (rows.executeStep()) {
      std::string line;
      for (int at = 0; at < rows.getColumnCount(); ++at)
        line += rows.getColumn(at).getString() + (rows.isColumnNull(at) ? "NULL|" : "|");
      lines.push_back(line);
    }
    std::sort(lines.begin(), lines.end());
  }
  return tables;
}

}  // namespace hone
