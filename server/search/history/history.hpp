// What search may know of a sweep: columns that evolve() fills and samplers and terminators read.
// No clock, no ids of workers, no order of arrival: the same trials, reports and ends give the same
// history in whatever order the reports of different runs came in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schemas/types/score.hpp"
#include "schemas/types/spec.hpp"

namespace hone {

// A run as search sees it. Runs are numbered over the whole sweep, in the order they were made.
struct RunRecord {
  enum class Standing : std::uint8_t { active, paused, ended };  // active: queued, leased, running
  std::size_t trial = 0;
  int replicate = 0;
  std::vector<double> merits;  // of its reports by phase; larger is better, diverged = -inf
  Standing standing = Standing::active;
  bool completed = false;  // ended after its last phase
  bool counts = true;      // ended in a way that says something about its parameters: not canceled
  bool evicted = false;    // ended because its trial was: by a verdict, or never promoted
};

// How many runs make a trial, and how their values become one.
struct Replication {
  int first = 1;  // runs that every trial starts with
  int most = 1;   // and may get
  Aggregate aggregate = Aggregate::mean;
  bool race = false;
  int instances = 1;   // a trial's runs take turns on them
  bool ranks = false;  // values count by their rank among those of the same instance
  // Whether the runs of a trial are judged together.
  [[nodiscard]] bool joint() const { return first > 1 || most > 1; }
};

Replication replication_of(const SweepSpec& spec);

struct TrialRecord {
  std::vector<std::size_t> runs;
  bool foreign = false;  // of an earlier sweep, by warm start: its runs are not here
};

// How good a trial is known to be: what orders trials for samplers.
struct Achievement {
  enum class Grade : std::uint8_t { finished, stopped, failed, pending };
  Grade grade = Grade::pending;
  int phase = -1;               // the furthest phase that its runs reported together
  double merit = 0;             // aggregate over its runs at that phase
  std::vector<double> further;  // of the further objectives: means
  int values = 0;               // runs that the merit is of
  double error = 0;             // standard error of their mean; 0 where one value tells nothing
};

class History {
 public:
  // `dimensions` is how many coordinates a point has; `objectives` counts the first one too.
  History(Goal goal, std::size_t dimensions, std::size_t objectives = 1,
          const Replication& replication = {});

  // Trial numbers count from 0, warm-started ones first (they are foreign and ended at once).
  std::size_t add_trial(std::span<const double> point);
  void add_foreign(std::span<const double> point, const Achievement& achieved);
  std::size_t add_run(std::size_t trial);                             // the run's index
  void move_trial(std::size_t trial, std::span<const double> point);  // its place in a wider space
  // `phase` is the run's next one. `further` are merits of the further objectives.
  void add_report(std::size_t run, int phase, Score score, std::span<const double> further = {});
  // The same for several reports at once, from the run's next phase on: nothing is assessed
  // between.
  void add_curve(std::size_t run, std::span<const Score> scores);
  // Ranks count a report that is only added later, to see how it would stand. Of a copy.
  void anticipate(std::size_t run, int phase, double merit);
  void set_standing(std::size_t run, RunRecord::Standing standing);  // active or paused
  void end_run(std::size_t run, bool completed, bool counts, bool evicted = false);

  [[nodiscard]] Goal goal() const { return goal_; }
  [[nodiscard]] std::size_t objectives() const { return objectives_; }
  [[nodiscard]] std::span<const TrialRecord> trials() const { return trials_; }
  [[nodiscard]] std::span<const RunRecord> runs() const { return runs_; }
  [[nodiscard]] std::size_t foreign() const { return foreign_; }  // how many trials came first
  [[nodiscard]] const Replication& replication() const { return replication_; }

  // The coordinates of a trial (server/search/space/search_space.hpp).
  [[nodiscard]] std::span<const double> point(std::size_t trial) const;
  [[nodiscard]] const Achievement& achievement(std::size_t trial) const;
  // Trials of which something is known, best first: finished ones by merit; then stopped and paused
  // ones and those still running, by the phase reached and their merit there; then failed ones.
  // Ties by trial number.
  [[nodiscard]] std::span<const std::uint32_t> ranked() const { return ranked_; }
  // Trials of which nothing is known yet but something will be, by number.
  [[nodiscard]] std::span<const std::uint32_t> pending() const { return pending_; }

  // Where replication().ranks: what a run's merit at a phase counts as, between 0 and 1. The share
  // of the first runs on the same instance that had reached less by then, each by its latest report
  // up to the phase; those that had reached the same, itself included, count half. So one that was
  // stopped stays among them, and who trained on is not compared with survivors alone.
  [[nodiscard]] double rank_share(std::size_t run, int phase, double merit) const;

  // Merits of every report of the phase, ascending.
  [[nodiscard]] std::span<const double> merits(int phase) const;
  [[nodiscard]] std::int64_t reports(int phase) const;
  // Reports of the phase with a strictly smaller merit.
  [[nodiscard]] std::int64_t rank_below(int phase, Score score) const;

 private:
  // Snapshots keep a history as it is (server/engine/book_archive.cpp).
  template <class Archive, class Either>
  friend void archive_history(Archive& archive, Either& history);

  void record(std::size_t run, int phase, double merit);
  void count(std::size_t run, int phase, double merit);
  void reassess(std::size_t trial);
  void reassess_from(std::size_t trial, int phase);
  [[nodiscard]] bool abandoned(std::size_t trial) const;
  [[nodiscard]] Achievement assess(std::size_t trial) const;
  [[nodiscard]] Achievement assess_jointly(std::size_t trial) const;
  [[nodiscard]] std::vector<double> further_means(std::size_t trial, int phase) const;
  [[nodiscard]] bool before(std::uint32_t left, std::uint32_t right) const;
  void unrank(std::uint32_t trial);
  void rank(std::uint32_t trial);

  Goal goal_;
  std::size_t dimensions_;
  std::size_t objectives_;
  std::size_t foreign_ = 0;
  std::vector<double> points_;  // row-major, one row a trial
  std::vector<TrialRecord> trials_;
  std::vector<Achievement> achievements_;
  std::vector<RunRecord> runs_;
  std::vector<std::vector<double>> further_;  // of each run, at its latest report
  std::vector<std::uint32_t> ranked_;
  std::vector<std::uint32_t> pending_;
  std::vector<std::vector<double>> merits_by_phase_;
  Replication replication_;
  // By phase and instance: of each first run there the latest merit up to the phase, ascending.
  std::vector<std::vector<double>> standings_;
};

}  // namespace hone
