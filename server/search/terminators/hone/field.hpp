// All runs of a sweep side by side, smoothed, as the rule `hone` compares them. Built anew for
// every question; a few microseconds for a hundred runs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "server/search/history/history.hpp"
#include "server/search/history/panel.hpp"

namespace hone {

class Field {
 public:
  // `first_runs`: how many runs of each trial the sweep file asked for; further ones are second
  // looks at a leader. `memory_phases`: how far back scores remember. With `report`, its run counts
  // as paused after it.
  Field(const History& history, int first_runs, double memory_phases, int phases,
        std::optional<NewReport> report = std::nullopt);

  struct Runner {
    std::size_t run = 0;
    std::size_t trial = 0;
    bool first = true;  // one of first_runs
    bool paused = false;
    bool ended = false;
    bool diverged = false;
    int reports = 0;             // a diverged one included
    std::vector<double> merits;  // of its finite reports
    std::vector<double> scores;  // smoothed, after as many reports
    [[nodiscard]] int length() const { return static_cast<int>(scores.size()); }
  };
  [[nodiscard]] std::span<const Runner> runners() const { return runners_; }

  // How much of what the best runs gained and lost from report to report they kept, in [0, 1]: near
  // 1 where curves climb smoothly and early ranks can be trusted, small where reports jump up and
  // down.
  [[nodiscard]] double efficiency() const;

  // The incumbent: argmax of (w * m + doubt * mu) / (w + doubt), where m is the mean score of a
  // trial's longest runs, w how many complete runs those are worth, and mu the median m of the
  // trials that came at least half as far as the longest. So one lucky seed counts for less than a
  // proven trial where reports are jumpy, and not where they are smooth. Ties: larger w, then lower
  // number. A trial with a diverged run is not eligible.
  struct Leader {
    std::size_t trial = 0;
    int length = 0;
    int runs = 0;
  };
  [[nodiscard]] std::optional<Leader> leader(double doubt) const;

  // Phases reported by all runs, and phases that second looks have used or may still use.
  [[nodiscard]] int reported() const;
  [[nodiscard]] int committed_to_second_looks() const;

 private:
  int phases_;
  std::vector<Runner> runners_;
};

}  // namespace hone
