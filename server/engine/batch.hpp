// What one transaction writes to the ledger, and again without the command that could not be
// written: memory holds the effects of the others, which must not be lost.
#pragma once

#include <list>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "db/ledger/ledger.hpp"
#include "schemas/types/event.hpp"
#include "schemas/types/past.hpp"

namespace hone {

// An event with its body as the ledger keeps it (rules::readable_text).
struct Append {
  Event event;
  std::string body;
};
struct AppendMetrics {
  RunId run;
  Instant at;
  std::vector<MetricPoint> points;
};
struct AppendSeries {
  RunId run;
  std::shared_ptr<const ImportRequest> import;  // which has the series
  const Series* series = nullptr;
  std::span<const SeriesPoint> points;  // of it
};
struct KeepRequest {
  std::string id, digest;
};
// The tables hold what was appended so far.
struct Flush {};
using Write = std::variant<Append, AppendMetrics, AppendSeries, KeepRequest, Flush>;
using Writes = std::vector<Write>;

class Batch {
 public:
  // Borrows the ledger.
  explicit Batch(Ledger& ledger) : ledger_(ledger) {}

  // Writes all or nothing; the first call begins the transaction. Returns what was written, which
  // stays until the commit. Refuses (internal) what the tables do not accept, which is a fault of
  // hone, with what was written before still there. Throws SQLite::Exception for a failure of the
  // disk, after which nothing is known.
  Result<const Writes*> write(Writes writes);

  void commit();    // does nothing where nothing was written
  void rollback();  // ends the transaction without its writes

 private:
  void perform(const Writes& writes);

  Ledger& ledger_;
  bool open_ = false;  // a transaction is
  std::list<Writes> written_;
};

}  // namespace hone
