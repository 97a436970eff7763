// Everything that samplers and terminators may know of a sweep, as columns that evolve() fills.
// Holds no clock, no worker ids and no order of arrival: the same trials, reports and ends give the
// same history in whatever order the reports of different runs arrive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "schemas/types/replicates_spec.hpp"
#include "schemas/types/score.hpp"

namespace hone {

// A run as search sees it. Runs are numbered across the sweep in the order of their creation.
struct RunRecord {
  enum class State : std::uint8_t {
    active,  // queued, leased or running
    paused,
    ended,
  };
  std::size_t trial = 0;
  int replicate = 0;
  std::vector<double> merits;  // of its reports by phase; larger is better, diverged = -inf
  State state = State::active;
  bool completed = false;  // ended after its last phase
  bool counts = true;      // its end is evidence about its parameters; false if it was canceled
  bool evicted = false;    // ended with its trial: stopped by a verdict, or never promoted
  int inherited = 0;       // of a fork: its first reports, which are those of the run it continues
  double seconds = 0;      // that its phases took, as far as they were measured
  int timed = 0;           // number of measured phases
};

// How many runs a trial has, and how their values are combined into one.
struct Replication {
  int first = 1;  // runs that every trial starts with
  int most = 1;   // runs that a trial may have in the end
  Aggregate aggregate = Aggregate::mean;
  bool race = false;
  int instances = 1;   // problems on which a trial's runs take turns
  bool ranks = false;  // a value counts by its rank among those of the same instance
  // Trials are judged in the unit of the objective, and times only compared with times: by rules 3
  // of a sweep (SweepSubmitted::rules), unless its values are rescaled.
  bool in_units = true;
  // Returns whether the runs of a trial are judged together.
  [[nodiscard]] bool multi_seed() const { return first > 1 || most > 1; }
};

struct TrialRecord {
  std::vector<std::size_t> runs;
  bool foreign = false;  // of an earlier sweep (warm start); its runs are not in this history
  bool forked = false;   // took the place of another one of a population, as a fork of a third
};

// How good a trial is known to be. Samplers see trials in the order of their outcomes.
struct TrialOutcome {
  enum class Grade : std::uint8_t { finished, stopped, failed, pending };
  Grade grade = Grade::pending;
  int phase = -1;               // the furthest phase that its runs have all reported
  double merit = 0;             // aggregate of its runs' values at that phase
  std::vector<double> further;  // means of the further objectives
  int values = 0;               // number of runs whose values `merit` aggregates
  double error = 0;             // standard error of their mean; 0 for a single value
};

class History {
 public:
  // `dimensions` is the number of coordinates of a point; `objectives` includes the first one.
  History(Goal goal, std::size_t dimensions, std::size_t objectives = 1,
          const Replication& replication = {});

  // Adds a trial and returns its number. Numbers count from 0.
  std::size_t add_trial(std::span<const double> point, bool forked = false);
  // Adds a trial of an earlier sweep. Precondition: only foreign trials were added before.
  void add_foreign(std::span<const double> point, const TrialOutcome& outcome);
  // Adds a run and returns its index.
  std::size_t add_run(std::size_t trial);
  // Sets a trial's coordinates in a space that has become wider.
  void move_trial(std::size_t trial, std::span<const double> point);
  // Adds the report of the run's next phase. `further` holds the merits of the further objectives.
  void add_report(std::size_t run, int phase, Score score, std::span<const double> further = {});
  // Adds reports from the run's next phase on, and assesses the trial once, after the last one.
  void add_curve(std::size_t run, std::span<const Score> scores);
  // The same for the reports that a fork inherits. Precondition: the run has none yet.
  void inherit(std::size_t run, std::span<const Score> scores);
  // Adds what a phase of the run took by the clock of its worker.
  void add_seconds(std::size_t run, double seconds);
  // Adds a tentative report to the rank tables, to see how it would rank. Call on a copy.
  void anticipate(std::size_t run, int phase, double merit);
  // Keeps what a model expects of a trial's merit (docs/leaderboard.md).
  void note_expected(std::size_t trial, double merit) { expected_[trial] = merit; }
  void forget_expected() { expected_.clear(); }
  // Precondition: `state` is active or paused.
  void set_state(std::size_t run, RunRecord::State state);
  void end_run(std::size_t run, bool completed, bool counts, bool evicted = false);

  [[nodiscard]] Goal goal() const { return goal_; }
  [[nodiscard]] std::size_t objectives() const { return objectives_; }
  [[nodiscard]] std::span<const TrialRecord> trials() const { return trials_; }
  [[nodiscard]] std::span<const RunRecord> runs() const { return runs_; }
  [[nodiscard]] std::size_t foreign() const { return foreign_; }  // number of foreign trials
  [[nodiscard]] const Replication& replication() const { return replication_; }
  // Whether racing must tell times from runs that have not reached their bar.
  [[nodiscard]] bool holds_times() const { return goal_ == Goal::soonest && replication_.in_units; }

  // The coordinates of a trial (server/search/space/search_space.hpp).
  [[nodiscard]] std::span<const double> point(std::size_t trial) const;
  [[nodiscard]] const TrialOutcome& outcome(std::size_t trial) const;
  // Returns the mean seconds of the measured phases of the trial's runs; nullopt if there are none.
  [[nodiscard]] std::optional<double> phase_seconds(std::size_t trial) const;
  // Trials with a result, best first: finished ones by merit; then stopped, paused and running ones
  // by the phase reached and their merit there; then failed ones. Ties: the lower trial number.
  [[nodiscard]] std::span<const std::uint32_t> ranked() const { return ranked_; }
  // Trials without a result that may still get one, by number.
  [[nodiscard]] std::span<const std::uint32_t> pending() const { return pending_; }

  // Returns what a run's merit at a phase counts as, in [0, 1], where replication().ranks is set:
  // the share of the first runs on the same instance whose latest merit up to the phase is smaller;
  // equal ones, the run itself included, count half. A stopped run keeps its latest merit, so a run
  // that trains on is not compared with survivors alone.
  [[nodiscard]] double rank_share(std::size_t run, int phase, double merit) const;

  // The merits of all reports of the phase, ascending.
  [[nodiscard]] std::span<const double> merits(int phase) const;
  [[nodiscard]] std::int64_t reports(int phase) const;
  // The reports of all phases.
  [[nodiscard]] std::int64_t reported() const { return reported_; }
  [[nodiscard]] bool has_expected() const { return !expected_.empty(); }
  // nullopt unless the trial ranks by what a model expects of it.
  [[nodiscard]] std::optional<double> expected(std::size_t trial) const {
    const auto found = expected_.find(trial);
    return found == expected_.end() ? std::nullopt : std::optional(found->second);
  }
  // Returns the number of reports of the phase with a strictly smaller merit.
  [[nodiscard]] std::int64_t rank_below(int phase, Score score) const;

 private:
  // Writes and reads every member for snapshots (server/engine/book_archive.cpp).
  template <class Archive, class Either>
  friend void archive_history(Archive& archive, Either& history);

  void record(std::size_t run, int phase, double merit);
  void count(std::size_t run, int phase, double merit);
  void reassess(std::size_t trial);
  void reassess_from(std::size_t trial, int phase);
  [[nodiscard]] bool all_ended(std::size_t trial) const;
  [[nodiscard]] TrialOutcome assess(std::size_t trial) const;
  [[nodiscard]] TrialOutcome values_of(std::size_t trial) const;
  [[nodiscard]] std::vector<double> furthest_merits(std::size_t trial) const;
  [[nodiscard]] std::vector<double> further_means(std::size_t trial, int phase) const;
  [[nodiscard]] bool before(std::uint32_t left, std::uint32_t right) const;
  void unrank(std::uint32_t trial);
  void rank(std::uint32_t trial);

  Goal goal_;
  std::size_t dimensions_;
  std::size_t objectives_;
  std::size_t foreign_ = 0;
  std::vector<double> points_;  // row-major, one row for each trial
  std::vector<TrialRecord> trials_;
  std::vector<TrialOutcome> outcomes_;
  std::vector<RunRecord> runs_;
  std::vector<std::vector<double>> further_;  // of each run's latest report
  std::vector<std::uint32_t> ranked_;
  std::vector<std::uint32_t> pending_;
  std::vector<std::vector<double>> merits_by_phase_;
  Replication replication_;
  // By phase and instance: the latest merit up to the phase of each first run, ascending.
  std::vector<std::vector<double>> latest_merits_;
  std::int64_t reported_ = 0;
  std::map<std::size_t, double> expected_;  // by trial
};

}  // namespace hone
