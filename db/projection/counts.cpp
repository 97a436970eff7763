#include "db/projection/counts.hpp"

#include <SQLiteCpp/Statement.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "db/sql.hpp"
#include "schemas/codec/words.hpp"

namespace hone {
namespace {

constexpr std::size_t states = static_cast<std::size_t>(RunState::canceled) + 1;

// A rebuild folds the whole ledger in one transaction.
constexpr std::size_t changes_max = 65'536;

}  // namespace

struct BatchCounts::Held {
  struct Tally {
    std::int64_t proposed = 0;
    std::int64_t reports = 0;
    std::int64_t unsaved = 0;
    std::array<std::int64_t, states> runs{};

    std::int64_t& of(RunState state) { return runs[static_cast<std::size_t>(state)]; }
  };

  // A row of run_group, by its key.
  struct Group {
    std::string state, reason, failure;
    auto operator<=>(const Group&) const = default;
  };
  struct Sums {
    std::int64_t runs = 0;
    std::int64_t steps = 0;
  };
  struct StoredRun {
    Group group;
    std::int64_t steps = 0;  // that it trained itself
  };

  // A run that the batch adds, moves or reports for.
  struct Change {
    SweepId sweep;
    std::optional<StoredRun> from;  // before the batch; nullopt if the batch added the run
    bool moved = false;             // to the state below
    RunState to = RunState::queued;
    EndReason reason = EndReason::none;
  };

  explicit Held(SQLite::Database& database) : db(database) {}
  SQLite::Database& db;

  std::map<SweepId, Tally> tallies;
  std::map<RunId, Change> changes;

  SQLite::Statement run_of{
      db,
      "SELECT state, reason, failure, step - iif(replicate = 0, coalesce((SELECT fork_step"
      " FROM trial WHERE id = run.trial), 0), 0) FROM run WHERE trial = ? AND replicate = ?"};
  SQLite::Statement add_to_group{
      db,
      "INSERT INTO run_group (sweep, state, reason, failure, runs, steps) VALUES (?, ?, ?, ?, ?, ?)"
      " ON CONFLICT DO UPDATE SET runs = runs + excluded.runs, steps = steps + excluded.steps"};
  SQLite::Statement drop_empty{db, "DELETE FROM run_group WHERE sweep = ? AND runs = 0"};
  SQLite::Statement count{
      db,
      "UPDATE sweep SET proposed = proposed + ?2, reports = reports + ?3,"
      " unsaved = unsaved + ?4, runs_queued = runs_queued + ?5, runs_leased = runs_leased + ?6,"
      " runs_running = runs_running + ?7, runs_paused = runs_paused + ?8,"
      " runs_completed = runs_completed + ?9, runs_stopped = runs_stopped + ?10,"
      " runs_failed = runs_failed + ?11, runs_canceled = runs_canceled + ?12 WHERE id = ?1"};
  SQLite::Statement move_single{
      db, "UPDATE trial SET state = ?2, reason = ?3 WHERE id = ?1 AND runs = 1"};
  // Takes the state of the run that matters most (rows.hpp, TrialRow).
  SQLite::Statement move_trial{
      db,
      "UPDATE trial SET (state, reason) = (SELECT state, reason FROM run WHERE run.trial = ?1"
      " ORDER BY CASE state WHEN 'running' THEN 0 WHEN 'leased' THEN 1 WHEN 'queued' THEN 2"
      " WHEN 'paused' THEN 3 WHEN 'failed' THEN 4 WHEN 'canceled' THEN 5 WHEN 'stopped' THEN 6"
      " ELSE 7 END, replicate LIMIT 1) WHERE id = ?1"};

  StoredRun stored(RunId run) {
    sql::bind(run_of, run.trial, run.replicate);
    if (!run_of.executeStep()) {
      run_of.reset();
      throw std::runtime_error(text(run) + " changes, and was never added");
    }
    sql::Columns c(run_of);
    StoredRun found;
    found.group.state = c.text();
    found.group.reason = c.text();
    found.group.failure = c.text();
    found.steps = c.integer();
    run_of.reset();
    return found;
  }

  Change& change(RunId run, SweepId sweep) {
    if (changes.size() >= changes_max) {
      write_changes();
      write_tallies();
    }
    const auto [at, fresh] = changes.try_emplace(run);
    if (fresh) at->second = {sweep, stored(run)};
    return at->second;
  }

  // A trial's state depends on all of its runs and is written once, after the last that moves.
  void write_changes() {
    std::map<std::tuple<SweepId, Group>, Sums> sums;
    const auto add = [&](SweepId sweep, const StoredRun& run, int sign) {
      Sums& sum = sums[{sweep, run.group}];
      sum.runs += sign;
      sum.steps += sign * run.steps;
    };
    TrialId moved;
    const auto changed = std::exchange(changes, {});
    for (auto at = changed.begin(); at != changed.end();) {
      const auto& [run, change] = *at++;
      if (change.from) add(change.sweep, *change.from, -1);
      add(change.sweep, stored(run), 1);
      if (change.moved) {
        Tally& tally = tallies[change.sweep];
        if (change.from) --tally.of(*parse_word<RunState>(change.from->group.state));
        ++tally.of(change.to);
        moved = run.trial;
      }
      if (moved != run.trial || (at != changed.end() && at->first.trial == run.trial)) continue;
      if (sql::run(move_single, run.trial, word(change.to), word(change.reason)) == 0)
        sql::run(move_trial, run.trial);
    }
    write_groups(sums);
  }

  void write_groups(const std::map<std::tuple<SweepId, Group>, Sums>& sums) {
    SweepId written;
    for (const auto& [key, sum] : sums) {
      const auto& [sweep, group] = key;
      if (sum.runs == 0 && sum.steps == 0) continue;
      if (written && written != sweep) sql::run(drop_empty, written);
      written = sweep;
      sql::run(add_to_group, sweep, group.state, group.reason, group.failure, sum.runs, sum.steps);
    }
    if (written) sql::run(drop_empty, written);
  }

  void write_tallies() {
    for (const auto& [sweep, t] : std::exchange(tallies, {}))
      sql::run(count, sweep, t.proposed, t.reports, t.unsaved, t.runs[0], t.runs[1], t.runs[2],
               t.runs[3], t.runs[4], t.runs[5], t.runs[6], t.runs[7]);
  }
};

BatchCounts::BatchCounts(SQLite::Database& db) : held_(std::make_unique<Held>(db)) {}
BatchCounts::~BatchCounts() = default;

void BatchCounts::proposed(SweepId sweep) { ++held_->tallies[sweep].proposed; }
void BatchCounts::reported(RunId run, SweepId sweep, bool resumable) {
  held_->change(run, sweep);
  auto& tally = held_->tallies[sweep];
  ++tally.reports;
  tally.unsaved += resumable ? 0 : 1;
}

void BatchCounts::added(RunId run, SweepId sweep) {
  if (held_->changes.size() >= changes_max) flush();
  held_->changes[run] = {sweep, std::nullopt, true};
}

void BatchCounts::moved(RunId run, SweepId sweep, RunState to, EndReason reason) {
  auto& change = held_->change(run, sweep);
  change.moved = true;
  change.to = to;
  change.reason = reason;
}

void BatchCounts::flush() {
  held_->write_changes();
  held_->write_tallies();
}

void BatchCounts::forget() {
  held_->changes.clear();
  held_->tallies.clear();
}

}  // namespace hone
