// The smoothed curves of all runs of a sweep, as the rule `hone` compares them. Built for every
// decision; takes a few microseconds for a hundred runs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "schemas/types/rank_prior.hpp"
#include "server/search/history/history.hpp"
#include "server/search/history/seed_curves.hpp"

namespace hone {

// A tenth of a run, in phases.
int tenth_of(int phases);

// The middle of what learning curves of many kinds had.
constexpr double usual_efficiency = 0.6;

class SmoothedCurves {
 public:
  // `first_runs`: runs of each trial that the sweep file asks for; further runs are second looks at
  // a leader. `memory_phases`: time constant of the smoothing, in phases. `report` counts as the
  // next one of its run, and the run as paused after it. `times_apart`: merits are those of
  // Goal::soonest, and a time is neither averaged with nor subtracted from "not reached".
  SmoothedCurves(const History& history, int first_runs, double memory_phases, int phases,
                 std::optional<NewReport> report = std::nullopt, bool times_apart = false);

  struct Curve {
    std::size_t run = 0;
    std::size_t trial = 0;
    bool first = true;  // one of the first runs of its trial
    bool paused = false;
    bool ended = false;
    bool diverged = false;
    int reports = 0;             // a diverged one included
    int inherited = 0;           // of a fork: its first reports, which are those of another run
    std::vector<double> merits;  // of its finite reports
    std::vector<double> scores;  // smoothed merits, by report
    [[nodiscard]] int length() const { return static_cast<int>(scores.size()); }
  };
  [[nodiscard]] std::span<const Curve> curves() const { return curves_; }

  // Returns, for the best runs, net gain / (gains + losses) from report to report, in [0, 1]: near
  // 1 if curves climb smoothly and early ranks can be trusted, small if reports jump up and down.
  [[nodiscard]] double efficiency() const;

  // The incumbent: argmax of (w * m + doubt * mu) / (w + doubt), where m is the mean score of a
  // trial's longest runs, w their length in complete runs, summed, and mu the median m of the
  // trials that trained at least half as long as the longest. If reports are jumpy, one lucky seed
  // so counts less than a proven trial. Ties: larger w, then lower number. A trial with a diverged
  // run is not eligible. With `expect_decline`, change_after() of a trial's length is added to m: a
  // trial that paused before others collapsed is expected to collapse like them. With
  // `prior`, what such a trial lies above mu counts times the trust in ranks at its length. With
  // `times_apart`, a trial of which a run has not reached the bar counts by its runs that have not,
  // and is eligible only if no other trial has reached it.
  struct Leader {
    std::size_t trial = 0;
    int length = 0;
    int runs = 0;
  };
  [[nodiscard]] std::optional<Leader> leader(
      double doubt, bool expect_decline = false,
      const std::optional<RankPrior>& prior = std::nullopt) const;

  // Returns by how much scores are expected to change after `length` reports, at most 0: of the
  // runs that trained for a tenth of a run longer, the upper median change of the half that led
  // then and of one more that did not change.
  [[nodiscard]] double change_after(int length) const;

  // Phases reported by all runs, and phases that second looks have used or may use yet.
  [[nodiscard]] int reported() const;
  [[nodiscard]] int committed_to_second_looks() const;

 private:
  // Whether two merits may be averaged and subtracted.
  [[nodiscard]] bool alike(double left, double right) const;

  int phases_;
  bool times_apart_;
  std::vector<Curve> curves_;
};

}  // namespace hone
