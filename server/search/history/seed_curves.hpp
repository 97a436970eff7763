// The runs of a trial taken together: what is known of the trial, rather than of its luckiest run.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "server/search/history/history.hpp"

namespace hone {

// A report that the history does not hold yet.
struct NewReport {
  std::size_t run = 0;
  double merit = 0;
};

// Whether all values are times (true) or none of them is (false); nullopt if some are. A difference
// is only measured between values of one kind. True where the history holds no times.
std::optional<bool> all_reached(const History& history, std::span<const double> values);

class SeedCurves {
 public:
  // `report` counts as the next report of its run. Keeps a reference to `history`.
  SeedCurves(const History& history, std::size_t trial,
             std::optional<NewReport> report = std::nullopt);

  // Number of phases that every first run has reported. Runs that ended for reasons other than
  // their parameters are not waited for.
  [[nodiscard]] int length() const { return length_; }
  // The largest number of phases that any run reported.
  [[nodiscard]] int furthest() const { return furthest_; }
  // Number of runs that are waited for and have not reported `phase`.
  [[nodiscard]] int missing(int phase) const;
  // The values at the end of `phase`, one for each run that has one. A run that diverged, or failed
  // because of its parameters, has minus infinity from then on; one that finished early keeps its
  // last value. If the sweep counts by ranks, these are ranks (History::rank_share).
  [[nodiscard]] std::vector<double> values(int phase) const;
  // The same values, each an exponentially weighted mean over the run's phases up to then.
  [[nodiscard]] std::vector<double> smoothed(int phase, double memory_phases) const;

 private:
  struct SeedCurve {
    std::size_t run = 0;
    std::vector<double> merits;
    bool failed = false;   // counts as minus infinity after its last report
    bool carries = false;  // counts as its last value after its last report
    bool awaited = false;  // the trial waits for it
    [[nodiscard]] bool reaches(int phase) const;
  };
  [[nodiscard]] double counted(const SeedCurve& seed, std::size_t phase) const;
  template <class Read>
  [[nodiscard]] std::vector<double> collect(int phase, const Read& read) const;

  const History* history_;
  std::vector<SeedCurve> seeds_;
  int length_ = 0;
  int furthest_ = 0;
};

}  // namespace hone
