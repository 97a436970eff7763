#include "tests/faultfs/life.hpp"

#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>

#include "db/file/database.hpp"
#include "db/ledger/ledger.hpp"
#include "server/engine/book_archive.hpp"
#include "server/sweep/decide.hpp"

namespace hone::faultfs {
namespace {

constexpr int lives_max = 40;  // restarts for one command; with more, it can never succeed

}  // namespace

std::string projection_text(SQLite::Database& db) {
  std::string text;
  for (const char* table : {"workflow", "dataset", "worker", "sweep", "trial", "run", "attempt",
                            "report", "model", "curve"}) {
    SQLite::Statement rows(db, std::string("SELECT * FROM ") + table + " ORDER BY 1, 2, 3");
    text += std::string("\n") + table;
    while (rows.executeStep())
      for (int at = 0; at < rows.getColumnCount(); ++at)
        text += "|" + rows.getColumn(at).getString();
  }
  return text;
}

std::string replayed_book(SQLite::Database& db) {
  Book book;
  Ledger(db).replay(0, [&](const Event& event) { evolve(book, event); });
  return archive_book(book);
}

Life::~Life() { die(); }

// A server that cannot write ends at once (_exit): its connection is never closed.
void Life::die() {
  if (engine_) in_flight_.insert(engine_->last_seq());
  if (!disk.down()) disk.stop(Fault::kill);
  engine_.reset();
  db_.reset();
}

std::vector<std::string> Life::rows_after(std::int64_t seq) {
  SQLite::Statement rows(*db_, "SELECT seq, at, kind, body FROM event WHERE seq > ? ORDER BY seq");
  rows.bind(1, seq);
  std::vector<std::string> texts;
  while (rows.executeStep())
    texts.push_back(rows.getColumn(0).getString() + " " + rows.getColumn(1).getString() + " " +
                    rows.getColumn(2).getString() + " " + rows.getColumn(3).getString());
  return texts;
}

void Life::note_committed() {
  for (auto& row : rows_after(acknowledged())) acknowledged_.push_back(std::move(row));
  in_flight_.clear();
}

// Everything that was acknowledged is there and unchanged; of the rest, a whole batch or nothing.
void Life::check_recovered() {
  const auto rows = rows_after(0);
  const auto found = static_cast<std::int64_t>(rows.size());
  if (found < acknowledged()) broken_ = "acknowledged events are lost";
  for (std::size_t i = 0; i < acknowledged_.size() && broken_.empty(); ++i)
    if (rows[i] != acknowledged_[i]) broken_ = "an acknowledged event is another";
  if (found != acknowledged() && !in_flight_.contains(found) && broken_.empty())
    broken_ = "half a batch is on the disk";
  if (!broken_.empty())
    broken_ += " (" + std::to_string(acknowledged()) + " acknowledged, " + std::to_string(found) +
               " found)";
}

bool Life::boot(Instant now) {
  if (disk.down()) disk.restart();
  if (rng_.below(2) == 0) disk.free_space();
  ++restarts_;
  auto opened = open_for_writing("hone.db");
  if (!opened) return false;  // the fault came while opening
  db_ = std::move(*opened);
  check_recovered();
  if (!broken_.empty()) return false;
  in_flight_.insert(static_cast<std::int64_t>(rows_after(0).size()) + 1);  // its ServerStarted
  try {
    engine_ = std::make_unique<Engine>(*db_, now);
    note_committed();
  } catch (const std::exception&) {
    die();
    return false;
  }
  return true;
}

bool Life::attempt(const Command& command, Instant now, std::optional<Result<Reply>>& answered) {
  try {
    std::vector<Envelope> batch;
    const auto keep = [&](Result<Reply> reply) { answered = std::move(reply); };
    if (rng_.below(8) == 0) batch.push_back({command, [](const Result<Reply>&) {}});
    batch.push_back({command, keep});
    engine_->step(std::move(batch), now);
    note_committed();
    return answered.has_value();
  } catch (const std::exception&) {
    answered.reset();
    die();
    return false;
  }
}

Result<Reply> Life::perform(const Command& command, Instant now) {
  std::optional<Result<Reply>> answered;
  for (int life = 0; broken_.empty() && life < lives_max; ++life) {
    if (!engine_ && !boot(now)) continue;
    if (attempt(command, now, answered)) return *answered;
  }
  if (broken_.empty()) broken_ = "the server does not come up again";
  return refuse(Code::unavailable, broken_);
}

void Life::interrupt(Fault fault) {
  disk.stop(fault);
  die();
}

std::string Life::check_all() {
  if (!broken_.empty()) return broken_;
  disk.free_space();
  if (!engine_ && !boot({})) return "the server does not come up at the end: " + broken_;
  if (replayed_book(*db_) != archive_book(engine_->whole_book()))
    return "replay differs from the live state";
  if (db_->execAndGet("PRAGMA integrity_check").getString() != "ok") return "the file is damaged";
  const auto count = [&](const char* sql) { return db_->execAndGet(sql).getInt64(); };
  if (count("SELECT count(*) FROM pragma_foreign_key_check") != 0)
    return "a row without its parent";
  if (count("SELECT count(*) FROM (SELECT 1 FROM event WHERE kind = 'report_recorded' GROUP BY"
            " body ->> '$.run', body ->> '$.phase' HAVING count(*) > 1)") != 0)
    return "a report was counted twice";
  if (count("SELECT count(*) FROM (SELECT 1 FROM event WHERE kind = 'sweep_submitted' GROUP BY"
            " body ->> '$.request_id' HAVING count(*) > 1)") != 0)
    return "a submission was counted twice";
  const std::string before = projection_text(*db_);
  rebuild_projection(*db_);
  if (projection_text(*db_) != before) return "a rebuilt projection differs";
  return {};
}

}  // namespace hone::faultfs
