// The runs of a trial taken together: what is known of the trial, and not of its luckiest run.
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

class Panel {
 public:
  // `report`: counts as the run's next one. Reads the history as long as it lives.
  Panel(const History& history, std::size_t trial, std::optional<NewReport> report = std::nullopt);

  // Phases that the trial has come through: reported by every run that it started with, as far as
  // those can still report. Runs that ended for no fault of their own are not waited for.
  [[nodiscard]] int length() const { return length_; }
  // The most phases that any of its runs reported.
  [[nodiscard]] int furthest() const { return furthest_; }
  // Runs that are waited for and have not come through `phase`.
  [[nodiscard]] int missing(int phase) const;
  // Values at the end of `phase`, of every run that has one. A run that diverged, or failed for its
  // parameters, has minus infinity from there on; one that finished early keeps its last.
  // Where the sweep counts by ranks these are ranks (History::rank_share).
  [[nodiscard]] std::vector<double> values(int phase) const;
  // The same, each an exponentially weighted mean over the run's phases up to then.
  [[nodiscard]] std::vector<double> smoothed(int phase, double memory_phases) const;

 private:
  struct Member {
    std::size_t run = 0;
    std::vector<double> merits;
    bool failed = false;   // minus infinity from its end on
    bool carries = false;  // its last value, likewise
    bool awaited = false;
    [[nodiscard]] bool reaches(int phase) const;
  };
  [[nodiscard]] double counted(const Member& member, std::size_t phase) const;
  template <class Read>
  [[nodiscard]] std::vector<double> collect(int phase, const Read& read) const;

  const History* history_;
  std::vector<Member> members_;
  int length_ = 0;
  int furthest_ = 0;
};

}  // namespace hone
