#include "tests/sim/server_host.hpp"

#include <SQLiteCpp/Exception.h>
#include <sqlite3.h>

#include "db/database.hpp"
#include "db/ledger.hpp"
#include "schemas/types/expect.hpp"

namespace hone::sim {

Book replayed(SQLite::Database& db) {
  Book book;
  Ledger(db).replay(0, [&](const Event& event) { evolve(book, event); });
  return book;
}

ServerHost::ServerHost(Agenda& agenda, const FaultPlan& faults, Rng& rng)
    : agenda_(agenda), faults_(faults), rng_(rng), db_(std::move(*open_for_writing(":memory:"))) {
  // A commit hook that answers non-zero turns the commit into a rollback: a full disk, a torn
  // write.
  sqlite3_commit_hook(
      db_->getHandle(),
      [](void* self) {
        auto& host = *static_cast<ServerHost*>(self);
        return host.rng_.uniform() < host.faults_.commit_failure ? 1 : 0;
      },
      this);
  boot();
}

bool ServerHost::push(Envelope envelope) {
  if (!up()) return false;
  inbox_.push_back(std::move(envelope));
  schedule_step();
  return true;
}

void ServerHost::boot() {
  try {
    engine_ = std::make_unique<Engine>(*db_, agenda_.now());
  } catch (const SQLite::Exception&) {
    return crash();  // its first commit failed
  }
  schedule_step();
}

void ServerHost::crash() {
  ++crashes_;
  engine_.reset();
  inbox_.clear();
  step_at_.reset();
  const auto down = milliseconds(static_cast<std::int64_t>(rng_.below(20'000)));
  agenda_.after(down, [this] { boot(); });
}

void ServerHost::step() {
  step_at_.reset();
  if (!up()) return;
  if (rng_.uniform() < faults_.crash) return crash();
  std::vector<Envelope> batch;
  batch.swap(inbox_);
  try {
    engine_->step(std::move(batch), agenda_.now());
  } catch (const SQLite::Exception&) {
    return crash();
  }
  check_replay();
  schedule_step();
}

// Costly, so not after every step; every crash is checked by what comes after it.
void ServerHost::check_replay() {
  if (rng_.below(64) != 0) return;
  expect(digest(replayed(*db_)) == digest(engine_->book()), "replay equals the live state");
}

// One step is due at a time: soon when commands wait, else at the engine's next deadline.
void ServerHost::schedule_step() {
  if (!up()) return;
  std::optional<Instant> due = engine_->next_deadline();
  if (!inbox_.empty()) due = agenda_.now() + milliseconds(1);
  if (!due || (step_at_ && *step_at_ <= *due)) return;
  step_at_ = due;
  agenda_.at(*due, [this, planned = *due] {
    if (step_at_ == planned) step();
  });
}

}  // namespace hone::sim
