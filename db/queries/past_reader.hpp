// Reads the history of one sweep in pieces, so that a sweep of any size takes little memory.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "schemas/codec/array_items.hpp"
#include "schemas/types/metric.hpp"

namespace hone {

struct Event;

// The events of an imported sweep, from the text of the ledger's one event that holds them.
class ImportedEvents {
 public:
  explicit ImportedEvents(std::int64_t seq) : seq_(seq) {}

  // Visits the events of the next part of the text. False at its end. Throws std::runtime_error on
  // a damaged row.
  bool read(SQLite::Database& db, const std::function<void(Event)>& visit);

 private:
  std::int64_t seq_;
  std::size_t at_ = 0;
  ArrayItems items_{{"past"}};
};

// The events of a sweep in order, up to one of the ledger; for an imported sweep, the original
// ones.
class PastReader {
 public:
  PastReader(SweepId sweep, std::int64_t newest) : sweep_(sweep), newest_(newest) {}

  // Visits the next events: a piece of some 256 KiB. False if there are no more.
  bool read(SQLite::Database& db, const std::function<void(Event)>& visit);

 private:
  SweepId sweep_;
  std::int64_t newest_;
  std::int64_t seq_ = 0;  // the last one that was read
  std::optional<ImportedEvents> imported_{};
};

// Returns the run and the name of the metric that follows in the sweep's telemetry, in the order of
// trial, replicate and name; nullopt after the last one. Begin with a series without a name.
std::optional<Series> next_series(SQLite::Database& db, SweepId sweep, const Series& before);

// Reads the points of the series.
void read_points(SQLite::Database& db, Series& series);

// Whether the sweep has more metric points.
bool has_more_points(SQLite::Database& db, SweepId sweep, std::size_t points_max);

}  // namespace hone
