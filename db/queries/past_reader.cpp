#include "db/queries/past_reader.hpp"

#include <SQLiteCpp/Statement.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "db/ledger/event_text.hpp"
#include "db/ledger/ledger.hpp"
#include "db/sql.hpp"
#include "schemas/codec/event_codec.hpp"
#include "schemas/types/event.hpp"

namespace hone {
namespace {

constexpr std::size_t piece_bytes = 256 * 1024;

std::runtime_error damaged(std::int64_t seq, const std::string& why) {
  return std::runtime_error("event " + std::to_string(seq) +
                            " of the ledger cannot be read: " + why);
}

Event event_of(const std::string& text, std::int64_t seq) {
  const auto document = parse_json(text);
  auto event = document ? decode_past_event(*document) : Result<Event>(document.error());
  if (!event) throw damaged(seq, event.error().detail);
  return *std::move(event);
}

}  // namespace

bool ImportedEvents::read(SQLite::Database& db, const std::function<void(Event)>& visit) {
  const std::string bytes = read_body(db, seq_, at_, piece_bytes);
  at_ += bytes.size();
  items_.add(bytes, [&](const std::string& text) { visit(event_of(text, seq_)); });
  return bytes.size() == piece_bytes;
}

bool PastReader::read(SQLite::Database& db, const std::function<void(Event)>& visit) {
  if (imported_) {
    if (!imported_->read(db, visit)) imported_.reset();
    return true;
  }
  SQLite::Statement s(db,
                      "SELECT seq, at, kind, body FROM event"
                      " WHERE sweep = ? AND seq > ? AND seq <= ? ORDER BY seq");
  sql::bind(s, sweep_, seq_, newest_);
  for (std::size_t bytes = 0; bytes < piece_bytes;) {
    if (!s.executeStep()) return false;
    seq_ = s.getColumn(0).getInt64();
    if (is_import(s.getColumn(2).getString())) {
      imported_.emplace(seq_);
      return true;
    }
    bytes += static_cast<std::size_t>(s.getColumn(3).getBytes());
    visit(read_event(s));
  }
  return true;
}

std::optional<Series> next_series(SQLite::Database& db, SweepId sweep, const Series& before) {
  SQLite::Statement names(db,
                          "SELECT replicate, name FROM metric_point WHERE trial = ?"
                          " AND (replicate, name) > (?, ?) ORDER BY replicate, name LIMIT 1");
  const auto next_of = [&](TrialId trial, int replicate, const std::string& name) {
    sql::bind(names, trial, replicate, name);
    if (!names.executeStep()) return std::optional<Series>();
    sql::Columns c(names);
    const RunId run{trial, c.small()};
    return std::optional(Series{run, c.text(), {}});
  };
  if (auto next = next_of(before.run.trial, before.run.replicate, before.name)) return next;
  SQLite::Statement trials(db,
                           "SELECT id FROM trial t WHERE sweep = ? AND id > ? AND EXISTS"
                           " (SELECT 1 FROM metric_point m WHERE m.trial = t.id)"
                           " ORDER BY id LIMIT 1");
  sql::bind(trials, sweep, before.run.trial);
  if (!trials.executeStep()) return std::nullopt;
  return next_of({trials.getColumn(0).getInt64()}, -1, {});
}

void read_points(SQLite::Database& db, Series& series) {
  SQLite::Statement s(db,
                      "SELECT step, value, at FROM metric_point"
                      " WHERE trial = ? AND replicate = ? AND name = ? ORDER BY step");
  sql::bind(s, series.run.trial, series.run.replicate, series.name);
  while (s.executeStep()) {
    sql::Columns c(s);
    const auto step = c.integer();
    const double value = c.real();
    series.points.push_back({step, value, c.instant()});
  }
}

bool has_more_points(SQLite::Database& db, SweepId sweep, std::size_t points_max) {
  SQLite::Statement s(db,
                      "SELECT count(*) FROM (SELECT 1 FROM trial t CROSS JOIN metric_point m"
                      " ON m.trial = t.id WHERE t.sweep = ? LIMIT ?)");
  sql::bind(s, sweep, static_cast<std::int64_t>(points_max) + 1);
  s.executeStep();
  return std::cmp_greater(s.getColumn(0).getInt64(), points_max);
}

}  // namespace hone
