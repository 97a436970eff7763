#include "db/projection/counts.hpp"

#include <SQLiteCpp/Statement.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "base/expect.hpp"
#include "db/sql.hpp"
#include "schemas/codec/words.hpp"

namespace hone {
namespace {

constexpr std::size_t states = static_cast<std::size_t>(RunState::canceled) + 1;

// A rebuild folds the whole ledger in one transaction.
constexpr std::size_t moves_max = 65'536;

}  // namespace

struct BatchCounts::Held {
  struct Tally {
    std::int64_t proposed = 0;
    std::int64_t reports = 0;
    std::array<std::int64_t, states> runs{};

    std::int64_t& of(RunState state) { return runs[static_cast<std::size_t>(state)]; }
  };

  struct Move {
    SweepId sweep;
    std::optional<RunState> from;  // before the batch; nullopt if the batch added the run
    RunState to = RunState::queued;
    EndReason reason = EndReason::none;
  };

  explicit Held(SQLite::Database& database) : db(database) {}
  SQLite::Database& db;

  std::map<SweepId, Tally> tallies;
  std::map<RunId, Move> moves;

  SQLite::Statement state_of{db, "SELECT state FROM run WHERE trial = ? AND replicate = ?"};
  SQLite::Statement count{
      db,
      "UPDATE sweep SET proposed = proposed + ?2, reports = reports + ?3,"
      " runs_queued = runs_queued + ?4, runs_leased = runs_leased + ?5,"
      " runs_running = runs_running + ?6, runs_paused = runs_paused + ?7,"
      " runs_completed = runs_completed + ?8, runs_stopped = runs_stopped + ?9,"
      " runs_failed = runs_failed + ?10, runs_canceled = runs_canceled + ?11 WHERE id = ?1"};
  SQLite::Statement move_single{
      db, "UPDATE trial SET state = ?2, reason = ?3 WHERE id = ?1 AND runs = 1"};
  // Takes the state of the run that matters most (rows.hpp, TrialRow).
  SQLite::Statement move_trial{
      db,
      "UPDATE trial SET (state, reason) = (SELECT state, reason FROM run WHERE run.trial = ?1"
      " ORDER BY CASE state WHEN 'running' THEN 0 WHEN 'leased' THEN 1 WHEN 'queued' THEN 2"
      " WHEN 'paused' THEN 3 WHEN 'failed' THEN 4 WHEN 'canceled' THEN 5 WHEN 'stopped' THEN 6"
      " ELSE 7 END, replicate LIMIT 1) WHERE id = ?1"};

  RunState stored(RunId run) {
    sql::bind(state_of, run.trial, run.replicate);
    expect(state_of.executeStep(), "a run that moves was added");
    const RunState state = sql::Columns(state_of).word(parse_run_state);
    state_of.reset();
    return state;
  }

  // A trial's state depends on all of its runs and is written once, after the last that moves.
  void write_moves() {
    const auto moved = std::exchange(moves, {});
    for (auto at = moved.begin(); at != moved.end();) {
      const auto& [run, move] = *at++;
      Tally& tally = tallies[move.sweep];
      if (move.from) --tally.of(*move.from);
      ++tally.of(move.to);
      if (at != moved.end() && at->first.trial == run.trial) continue;
      if (sql::run(move_single, run.trial, word(move.to), word(move.reason)) == 0)
        sql::run(move_trial, run.trial);
    }
  }

  void write_tallies() {
    for (const auto& [sweep, t] : std::exchange(tallies, {}))
      sql::run(count, sweep, t.proposed, t.reports, t.runs[0], t.runs[1], t.runs[2], t.runs[3],
               t.runs[4], t.runs[5], t.runs[6], t.runs[7]);
  }
};

BatchCounts::BatchCounts(SQLite::Database& db) : held_(std::make_unique<Held>(db)) {}
BatchCounts::~BatchCounts() = default;

void BatchCounts::proposed(SweepId sweep) { ++held_->tallies[sweep].proposed; }
void BatchCounts::reported(SweepId sweep) { ++held_->tallies[sweep].reports; }

void BatchCounts::added(RunId run, SweepId sweep) {
  if (held_->moves.size() >= moves_max) flush();
  held_->moves[run] = {sweep, std::nullopt};
}

void BatchCounts::moved(RunId run, SweepId sweep, RunState to, EndReason reason) {
  if (held_->moves.size() >= moves_max) flush();
  const auto [at, fresh] = held_->moves.try_emplace(run);
  if (fresh) at->second = {sweep, held_->stored(run)};
  at->second.to = to;
  at->second.reason = reason;
}

void BatchCounts::flush() {
  held_->write_moves();
  held_->write_tallies();
}

void BatchCounts::forget() {
  held_->moves.clear();
  held_->tallies.clear();
}

}  // namespace hone
