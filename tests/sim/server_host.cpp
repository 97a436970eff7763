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
  const std::int64_t number = ++arrivals_;
  unanswered_.emplace(number, envelope.command);
  envelope.reply = [this, number, reply = std::move(envelope.reply)](Result<Reply> answer) {
    unanswered_.erase(number);
    reply(std::move(answer));
  };
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
  unanswered_.clear();
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
  check_waiting();
  check_replay();
  schedule_step();
}

// Whoever is not answered at once is a worker that asked for work, and there is none for it: no
// node idles while work exists, and no run waits for another's verdict.
void ServerHost::check_waiting() const {
  if (!inbox_.empty()) return;
  for (const auto& [number, command] : unanswered_) {
    expect(std::holds_alternative<Acquire>(command), "only those who ask for work wait");
    const auto events = decide(engine_->book(), command, agenda_.now());
    expect(events.ok() && events->empty(), "no worker waits while there is work for it");
  }
}

namespace {

// What a rule would say next, of everything it could be asked.
bool same_further_verdicts(const Sweep& live, const Sweep& told) {
  const bool left = proposals_left(live) > 0;
  const Move move = live.terminator->next(live.history, left);
  const Move again = told.terminator->next(told.history, left);
  if (move.kind != again.kind || move.index != again.index) return false;
  for (std::size_t run = 0; run < live.history.runs().size(); ++run) {
    const RunRecord& record = live.history.runs()[run];
    const int phase = static_cast<int>(record.merits.size());
    if (record.standing == RunRecord::Standing::paused &&
        live.terminator->promotable(live.history, run) !=
            told.terminator->promotable(told.history, run))
      return false;
    if (record.standing != RunRecord::Standing::active || phase + 1 >= live.spec.budget.phases)
      continue;
    for (const double value : {-1.0, 0.5, 2.0, 9.0})
      if (live.terminator->judge(live.history, run, phase, Score::of(value)) !=
          told.terminator->judge(told.history, run, phase, Score::of(value)))
        return false;
  }
  return true;
}

}  // namespace

// Costly, so not after every step; every crash is checked by what comes after it.
void ServerHost::check_replay() {
  if (rng_.below(64) != 0) return;
  const Book told = replayed(*db_);
  const Book& live = engine_->book();
  expect(digest(told) == digest(live), "replay equals the live state");
  for (const SweepId id : live.open_sweeps)
    expect(same_further_verdicts(live.sweeps.at(id), told.sweeps.at(id)),
           "replay leads to the same further verdicts");
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
