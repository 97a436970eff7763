// The rows of sweeps that left the server's memory. Bytes in, bytes out: what they mean is known to
// server/engine. An SQLite failure throws SQLite::Exception.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/types/ids.hpp"

namespace hone {

struct EndedRow {
  std::string stamp;
  std::int64_t checksum = 0;
  std::string state;
};

class EndedRows {
 public:
  // Borrows the connection; prepares its statements at their first use.
  explicit EndedRows(SQLite::Database& db);
  ~EndedRows();

  void put(SweepId sweep, std::int64_t seq, const EndedRow& row);
  // The sweep's newest row up to event `seq`.
  std::optional<EndedRow> find(SweepId sweep, std::int64_t seq);
  // The sweeps that have a row of this build up to event `seq`, in order.
  std::vector<SweepId> list(std::int64_t seq, std::string_view stamp);
  // Whether an object of the ledger has this id, from the query tables.
  bool knows(SweepId sweep);
  bool knows(ModelId model);
  bool knows(EvaluationId evaluation);
  // The sweeps of the ledger up to `last`, in order, from the query tables.
  std::vector<SweepId> recorded(SweepId last);
  // The sweep of a trial, from the query tables.
  std::optional<SweepId> sweep_of(TrialId trial);

  // Deletes the rows that a boot from event `seq` cannot need.
  void prune(std::int64_t seq);
  void clear();

 private:
  struct Statements;
  Statements& statements();

  SQLite::Database& db_;
  std::unique_ptr<Statements> statements_;
};

}  // namespace hone
