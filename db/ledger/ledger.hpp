// Appends to the ledger and replays it. The same transaction folds each event into the query
// tables. An SQLite failure throws SQLite::Exception, which the engine treats as fatal
// (ARCHITECTURE.md, "Failures").
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/metric.hpp"

namespace hone {

struct Event;
struct LedgerRow;

// The sweeps whose rows a replay does not read.
struct LeftOut {
  std::function<bool(SweepId)> holds = [](SweepId) { return false; };
  std::function<void(const LedgerRow&)> visit = [](const LedgerRow&) {};
};

// Why a start cannot use a sweep.
struct Quarantined {
  std::int64_t event = 0;  // the first that cannot be read or folded
  std::string why;
};
using Quarantine = std::map<SweepId, Quarantined>;

// Decodes every event. Returns the sweeps with one that cannot be decoded.
Quarantine find_unreadable(SQLite::Database& db);

// The sweep of an event; nullopt if it is of none, or not there.
std::optional<SweepId> sweep_of_event(SQLite::Database& db, std::int64_t seq);

// The sweeps that the last start could not read. keep: inside no transaction.
Quarantine read_quarantine(SQLite::Database& db);
void keep_quarantine(SQLite::Database& db, const Quarantine& quarantine);

// What an exception of this room is a failure of: the disk (or the memory), or hone, which wrote
// what the tables do not accept.
enum class Culprit { disk, hone };
Culprit culprit_of(const std::exception& trouble);

class Ledger {
 public:
  // Borrows the write connection of open_for_writing; prepares its statements once.
  explicit Ledger(SQLite::Database& db);
  ~Ledger();

  void begin();     // BEGIN IMMEDIATE
  void flush();     // the counts that the appended events change; commit() does it, too
  void commit();    // durable when it returns
  void rollback();  // does nothing if SQLite has rolled back, as after a failed commit

  // Precondition: between begin and commit; event.seq == last_seq() + 1, and no event of the ledger
  // is later. Writes the event row and the projection. `body`: the event's body as text. Throws
  // SQLite::Exception or std::runtime_error for an event that contradicts those before it; roll
  // back then.
  void append(const Event& event, const std::string& body);
  void append(const Event& event);
  // Appends a row of the ledger that this one copies, byte for byte. `link` as 32 bytes; empty for
  // a row that is older than the chain. Refuses (conflict) a row that does not continue this
  // ledger, and (invalid) an event that this hone does not know; roll back then. Throws
  // std::runtime_error for one that contradicts those before it; flush() may, too. Precondition as
  // of append, without the order of events, which it checks.
  Status append_row(const LedgerRow& row, const std::string& link);
  void append_metrics(RunId run, Instant at, const std::vector<MetricPoint>& points);
  // Points of one metric, with their own times.
  void append_series(RunId run, const std::string& name, std::span<const SeriesPoint> points);

  // The digest of the request that used this id, or nullopt. keep_request: inside a transaction.
  std::optional<std::string> request_digest(const std::string& id);
  void keep_request(const std::string& id, const std::string& digest);

  [[nodiscard]] std::int64_t last_seq() const;

  // Calls `visit` for every event after `after`, in order, at most `most` of them (-1: all), but
  // with rows of the sweeps in `left_out` that calls its `visit` instead. Throws std::runtime_error
  // with the seq of a missing or damaged row.
  void replay(std::int64_t after, const std::function<void(const Event&)>& visit,
              std::int64_t most = -1, const LeftOut& left_out = {}) const;

  // Bytes in the bodies of all events that this object appended or replayed.
  [[nodiscard]] std::int64_t event_bytes() const { return event_bytes_; }

 private:
  void follows(const Event& event);
  void append_newest(RunId run, const MetricPoint& point);

  struct Statements;
  SQLite::Database& db_;
  std::unique_ptr<Statements> statements_;
  mutable std::int64_t event_bytes_ = 0;
};

// The current row of a SELECT of seq, at, kind and body. Throws std::runtime_error naming seq on a
// damaged row.
Event read_event(SQLite::Statement& row);

// The tables that events fold into, children first.
std::span<const char* const> projection_tables();

// Deletes the rows of the query tables and folds the whole ledger again. This must change nothing
// (tests), and repairs tables after a bug of the projection is fixed.
void rebuild_projection(SQLite::Database& db);
// The same inside a transaction of the caller's.
void refold(SQLite::Database& db);

}  // namespace hone
