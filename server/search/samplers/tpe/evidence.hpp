// What TPE has to go on: the trials of which something is known, best first, and how good each is.
//
// One objective: the history's own order. Several: trials that finished are ordered by fronts of
// non-dominated sorting (Deb et al., 2002), within a front by their share of the hypervolume for
// two objectives (MOTPE: Ozaki et al., 2022), else by crowding distance; and how good a trial is,
// is the augmented Tchebycheff value of its normalized objectives under weights drawn anew for
// every proposal (ParEGO: Knowles, 2006).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.hpp"
#include "server/search/history/history.hpp"

namespace hone {

class Evidence {
 public:
  // With several objectives no more than `sorted` trials are put in order; the others follow by
  // their first objective. Draws from rng only then.
  Evidence(const History& history, std::size_t sorted, Rng& rng);

  [[nodiscard]] const History& history() const { return history_; }
  // Trials, best first.
  [[nodiscard]] std::span<const std::uint32_t> order() const {
    return own_order_.empty() ? history_.ranked() : own_order_;
  }
  [[nodiscard]] std::span<const double> point(std::size_t place) const {
    return history_.point(order()[place]);
  }
  // Smaller is better; NaN for a trial that did not finish.
  [[nodiscard]] double loss(std::uint32_t trial) const;

 private:
  void scalarize(Rng& rng);

  const History& history_;
  std::vector<std::uint32_t> own_order_;  // several objectives only
  std::vector<double> own_losses_;        // likewise, by trial
};

// Places of the rows (one merit an objective, larger is better) that are best by the rule above:
// at least `wanted` of them, or all, front by front.
std::vector<std::size_t> pareto_order(std::span<const std::vector<double>> rows,
                                      std::size_t wanted);

}  // namespace hone
