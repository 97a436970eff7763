// Which trainer, on how many machines (agents, cores), reaches a target first or is best at a
// deadline, from runs of the past: Ernest's f(m) and Hemingway's g(i, m) (scaling.hpp) of each
// trainer, both scored on a size that was left out. No run is chosen by its outcome: both are
// fitted to the medians of all runs of a size, at each step.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schemas/types/score.hpp"

namespace hone::forecast {

struct AdvicePoint {
  double step = 0;     // units trained
  double seconds = 0;  // trained until then
  double value = 0;
};

struct AdviceRun {
  std::string trainer;
  int size = 1;
  std::vector<AdvicePoint> curve;  // by step
  // Ended or paused because of its values: the last one counts for later steps, too. Otherwise the
  // later medians would be those of the better runs.
  bool stopped = false;
};

struct AdviceQuestion {
  Goal goal = Goal::maximize;
  std::optional<double> target;  // else `within`
  double within = 0;             // seconds
};

struct Advice {
  std::string trainer;
  int runs = 0;            // with a report
  std::vector<int> sizes;  // of these, ascending
  int size = 0;            // the best one; 0: none, see `why`
  double seconds = 0;      // until the target, or the deadline
  double steps = 0;        // trained then
  double value = 0;        // predicted then
  int fastest =
      0;  // the size whose steps are fastest, which need not be the best; up to twice the largest
  // Errors on a size that was left out, absent with too few sizes: mean relative error of the time
  // of a step, and root mean square error of the logarithm of the distance to the best value (that
  // of the penalty with the least such error).
  std::optional<double> time_error, progress_error;
  double within_max = 0;  // the latest deadline with an answer
  std::string why;        // there is no answer
};

// Fewer runs of a trainer give no answer about it.
inline constexpr int advice_runs_min = 3;

// One row a trainer, the best answer first. The sizes considered are those of its runs and twice
// the largest; with runs of one size, that one alone. Steps are considered up to twice the longest
// run.
std::vector<Advice> advise(std::span<const AdviceRun> runs, const AdviceQuestion& question);

}  // namespace hone::forecast
