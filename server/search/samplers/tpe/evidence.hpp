// The trials that TPE learns from, best first, and their losses.
//
// One objective: the history's own order. Several: finished trials are ordered by fronts of
// non-dominated sorting (Deb et al., 2002), within a front by their share of the hypervolume for
// two objectives (MOTPE: Ozaki et al., 2022), else by crowding distance. A trial's loss is then the
// augmented Tchebycheff value of its normalized objectives, under weights drawn for each proposal
// (ParEGO: Knowles, 2006).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.hpp"
#include "server/search/history/history.hpp"

namespace hone {

class Evidence {
 public:
  // With several objectives, orders only `sorted` trials; the others follow by their first
  // objective. Draws from rng only in that case.
  Evidence(const History& history, std::size_t sorted, Rng& rng);

  [[nodiscard]] const History& history() const { return history_; }
  // Trials, best first.
  [[nodiscard]] std::span<const std::uint32_t> order() const {
    return own_order_.empty() ? history_.ranked() : own_order_;
  }
  [[nodiscard]] std::span<const double> point(std::size_t place) const {
    return history_.point(order()[place]);
  }
  // The loss of a trial, smaller is better; NaN if the trial did not finish.
  [[nodiscard]] double loss(std::uint32_t trial) const;

 private:
  void scalarize(Rng& rng);

  const History& history_;
  std::vector<std::uint32_t> own_order_;  // several objectives only
  std::vector<double> own_losses_;        // several objectives only; by trial
};

// Returns the indexes of the best rows by the rule above, front by front: at least `wanted` of
// them, or all. A row holds one merit for each objective; larger is better.
std::vector<std::size_t> pareto_order(std::span<const std::vector<double>> rows,
                                      std::size_t wanted);

}  // namespace hone
