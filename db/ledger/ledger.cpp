#include "db/ledger/ledger.hpp"

#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Transaction.h>
#include <sqlite3.h>

#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "base/expect.hpp"
#include "db/ledger/chain.hpp"
#include "db/projection/projection.hpp"
#include "db/sql.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/event_codec.hpp"
#include "schemas/types/event.hpp"

namespace hone {

// The newest event; its seq is -1 before the first look-up.
struct NewestEvent {
  std::int64_t seq = -1;
  Instant at;
  Link link;  // empty if a hone without the chain wrote it
};

namespace {

NewestEvent read_newest(SQLite::Database& db) {
  SQLite::Statement row(db, "SELECT seq, at, link FROM event ORDER BY seq DESC LIMIT 1");
  if (!row.executeStep()) return {0, {}, {}};
  sql::Columns c(row);
  const auto seq = c.integer();
  const auto at = c.instant();
  return {seq, at, row.isColumnNull(2) ? Link() : row.getColumn(2).getString()};
}

}  // namespace

struct Ledger::Statements {
  explicit Statements(SQLite::Database& database) : db(database) {}
  SQLite::Database& db;

  SQLite::Statement begin{db, "BEGIN IMMEDIATE"};
  SQLite::Statement commit{db, "COMMIT"};
  SQLite::Statement append{db,
                           "INSERT INTO event (seq, at, kind, sweep, body, link)"
                           " VALUES (?, ?, ?, ?, ?, ?)"};
  SQLite::Statement metric{
      db,
      "INSERT INTO metric_point (trial, replicate, name, step, value, at) VALUES (?, ?, ?, ?, ?, ?)"
      " ON CONFLICT DO UPDATE SET value = excluded.value, at = excluded.at"};
  SQLite::Statement newest{
      db,
      "INSERT INTO metric_last (trial, replicate, name, step, value) VALUES (?, ?, ?, ?, ?)"
      " ON CONFLICT DO UPDATE SET step = excluded.step, value = excluded.value"
      " WHERE excluded.step >= step"};
  SQLite::Statement digest_of_request{db, "SELECT digest FROM request WHERE id = ?"};
  SQLite::Statement keep_request{db, "INSERT INTO request (id, digest) VALUES (?, ?)"};
  Projection projection{db};
  NewestEvent last;
};

Culprit culprit_of(const std::exception& trouble) {
  const auto* sqlite = dynamic_cast<const SQLite::Exception*>(&trouble);
  if (sqlite == nullptr) return Culprit::hone;
  switch (sqlite->getErrorCode()) {
    case SQLITE_ERROR:
    case SQLITE_TOOBIG:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_MISUSE:
    case SQLITE_RANGE:
      return Culprit::hone;
    default:
      return Culprit::disk;
  }
}

Ledger::Ledger(SQLite::Database& db) : db_(db), statements_(std::make_unique<Statements>(db)) {}
Ledger::~Ledger() = default;

void Ledger::begin() { sql::run(statements_->begin); }

void Ledger::flush() { statements_->projection.flush(); }

void Ledger::commit() {
  flush();
  sql::run(statements_->commit);
}

void Ledger::rollback() {
  statements_->projection.forget();
  statements_->last = {};
  if (sqlite3_get_autocommit(db_.getHandle()) == 0) db_.exec("ROLLBACK");
}

// The checks that triggers made row by row in the first version of the schema.
void Ledger::follows(const Event& event) {
  NewestEvent& newest = statements_->last;
  if (newest.seq < 0) newest = read_newest(db_);
  expect(event.seq == newest.seq + 1, "the ledger has no gaps");
  expect(event.at >= newest.at, "the ledger never goes back in time");
  newest.seq = event.seq;
  newest.at = event.at;
}

void Ledger::append(const Event& event) { append(event, body_text(event.body)); }

void Ledger::append(const Event& event, const std::string& body) {
  follows(event);
  const auto sweep = statements_->projection.sweep_of(event.body);
  event_bytes_ += static_cast<std::int64_t>(body.size());
  Link& link = statements_->last.link;
  link = next_link(link, {event.seq, event.at, kind(event.body), sweep, body});
  sql::run(statements_->append, event.seq, event.at, kind(event.body), sweep, body,
           sql::Bytes(link));
  statements_->projection.fold(event);
}

Status Ledger::append_row(const LedgerRow& row, const std::string& link) {
  const std::string which = "event " + std::to_string(row.seq);
  NewestEvent& newest = statements_->last;
  if (newest.seq < 0) newest = read_newest(db_);
  if (row.seq != newest.seq + 1 || row.at < newest.at)
    return refuse(Code::conflict, which + " does not follow event " + std::to_string(newest.seq) +
                                      ", the newest of this ledger");
  const bool fits = link.empty() ? newest.link.empty() : next_link(newest.link, row) == link;
  if (!fits)
    return refuse(Code::conflict, which + " does not continue the hash chain of this ledger");
  const auto document = parse_json(row.body);
  auto body = document ? decode_event(row.kind, *document) : Result<EventBody>(document.error());
  if (!body)
    return refuse(Code::invalid, which + " (" + std::string(row.kind) +
                                     ") cannot be read by this hone: " + body.error().detail);
  event_bytes_ += static_cast<std::int64_t>(row.body.size());
  newest = {row.seq, row.at, link};
  const auto bytes = link.empty() ? sql::Bytes() : sql::Bytes(newest.link);
  sql::run(statements_->append, row.seq, row.at, row.kind, row.sweep, row.body, bytes);
  statements_->projection.fold({row.seq, row.at, *std::move(body)});
  return Done{};
}

void Ledger::append_metrics(RunId run, Instant at, const std::vector<MetricPoint>& points) {
  std::map<std::string_view, const MetricPoint*> newest;
  for (const auto& point : points) {
    sql::run(statements_->metric, run.trial, run.replicate, point.name, point.step, point.value,
             at);
    auto& last = newest[point.name];
    if (last == nullptr || last->step <= point.step) last = &point;
  }
  for (const auto& [name, point] : newest) append_newest(run, *point);
}

void Ledger::append_series(RunId run, const std::string& name,
                           std::span<const SeriesPoint> points) {
  const SeriesPoint* last = nullptr;
  for (const SeriesPoint& point : points) {
    sql::run(statements_->metric, run.trial, run.replicate, name, point.step, point.value,
             point.at);
    if (last == nullptr || last->step <= point.step) last = &point;
  }
  if (last != nullptr) append_newest(run, {name, last->step, last->value});
}

void Ledger::append_newest(RunId run, const MetricPoint& point) {
  sql::run(statements_->newest, run.trial, run.replicate, point.name, point.step, point.value);
}

std::optional<std::string> Ledger::request_digest(const std::string& id) {
  SQLite::Statement& row = sql::bind(statements_->digest_of_request, id);
  std::optional<std::string> digest;
  if (row.executeStep()) digest = sql::Columns(row).text();
  row.reset();  // an open read would keep the log from being folded into the database
  return digest;
}

void Ledger::keep_request(const std::string& id, const std::string& digest) {
  sql::run(statements_->keep_request, id, digest);
}

std::int64_t Ledger::last_seq() const {
  return db_.execAndGet("SELECT coalesce(max(seq), 0) FROM event").getInt64();
}

Event read_event(SQLite::Statement& row) {
  sql::Columns c(row);
  Event event;
  event.seq = c.integer();
  event.at = c.instant();
  const auto kind = c.text();
  const auto document = parse_json(c.text());
  auto body = document ? decode_event(kind, *document) : Result<EventBody>(document.error());
  if (!body)
    throw std::runtime_error("event " + std::to_string(event.seq) +
                             " of the ledger cannot be read: " + body.error().detail + " " +
                             body.error().at);
  event.body = *std::move(body);
  return event;
}

void Ledger::replay(std::int64_t after, const std::function<void(const Event&)>& visit,
                    std::int64_t most, const LeftOut& left_out) const {
  SQLite::Statement rows(
      db_, "SELECT seq, at, kind, body, sweep FROM event WHERE seq > ? ORDER BY seq LIMIT ?");
  sql::bind(rows, after, most);
  for (auto next = after + 1; rows.executeStep(); ++next) {
    if (rows.getColumn(0).getInt64() != next)
      throw std::runtime_error("event " + std::to_string(next) + " of the ledger is missing");
    event_bytes_ += rows.getColumn(3).getBytes();
    if (const SweepId sweep{rows.getColumn(4).getInt64()}; sweep && left_out.holds(sweep)) {
      sql::Columns c(rows);
      const auto seq = c.integer();
      const auto at = c.instant();
      const auto kind = c.view();
      left_out.visit({seq, at, kind, sweep, c.view()});
    } else {
      visit(read_event(rows));
    }
  }
}

// Trials are before models, which they name without an index: for each model that is deleted,
// SQLite reads all rows that may name it.
std::span<const char* const> projection_tables() {
  static constexpr const char* tables[] = {"curve",         "sweep_dataset",
                                           "evaluation",    "artifact",
                                           "edit",          "warm_start",
                                           "tag",           "note",
                                           "param_number",  "param_text",
                                           "param_indexed", "param",
                                           "trial",         "model",
                                           "report",        "attempt",
                                           "run",           "sweep",
                                           "worker",        "dataset",
                                           "workflow",      "token",
                                           "fleet",         "pilot",
                                           "run_group",     "unfinished_import"};
  return tables;
}

void rebuild_projection(SQLite::Database& db) {
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  refold(db);
  transaction.commit();
}

void refold(SQLite::Database& db) {
  db.exec("PRAGMA defer_foreign_keys = ON");  // models and attempts name each other
  for (const char* table : projection_tables()) db.exec(std::string("DELETE FROM ") + table);
  Projection projection(db);
  Ledger(db).replay(0, [&](const Event& event) { projection.fold(event); });
  projection.flush();
}

}  // namespace hone
