// Asynchronous promotion in brackets, shared by asha (one bracket) and hyperband (several).
//
// Every bracket has its own rungs. Of the n runs of a bracket that reported at a rung, this one
// included, the best floor(n / eta) may continue: a reporting run among them continues at once, any
// other is paused. A free worker continues, from the top rung down, the best paused run that is now
// among the best floor(n / eta); if there is none, it starts a new trial.
// Ties: the run that trained further, then one that trains now, then the lower index. Closing runs
// that can no longer be promoted changes no later decision.
#pragma once

#include <vector>

#include "server/search/terminators/halving/rungs.hpp"

namespace hone {

// How trials are assigned to brackets: trial t belongs to bracket deal[t % deal.size()].
struct Brackets {
  int eta = 3;
  std::vector<std::vector<int>> rungs;  // of each bracket, ascending numbers of phases
  std::vector<std::size_t> deal;
};

class Promotion final : public Terminator {
 public:
  // `title` is the rule's name in sentences; `expected` the expected phases of a run.
  Promotion(std::string title, double expected, Brackets brackets, const SweepShape& shape);

  Verdict judge(const History& history, std::size_t run, int phase, Score score) const override;
  NextAction next(const History& history, bool proposals_left) const override;
  bool promotable(const History& history, std::size_t run) const override;
  Action recompute(const std::vector<VerdictInput>& inputs) const override;
  std::string explain(const Verdict& verdict) const override;
  bool pauses() const override { return true; }
  double expected_phases() const override { return expected_; }

 private:
  // A rung of a bracket, and a run's claim there.
  struct Stage {
    int length = 0;  // phases
    std::size_t bracket = 0;
  };
  struct Claim {
    double merit = 0;
    std::size_t length = 0;  // phases it trained for
    bool active = false;
    std::size_t run = 0;
  };
  struct RungRank {
    std::int64_t reports = 0;
    std::int64_t ahead = 0;  // runs of the rung that rank before the claim
  };
  [[nodiscard]] std::size_t bracket_of(const History& history, std::size_t run) const;
  [[nodiscard]] std::optional<Claim> claim_at(const History& history, std::size_t run,
                                              const Stage& stage) const;
  [[nodiscard]] RungRank rank_at(const History& history, const Stage& stage,
                                 const Claim& claim) const;
  static bool before(const Claim& left, const Claim& right);

  std::string title_;
  double expected_;
  Brackets brackets_;
  std::vector<Stage> stages_;               // the longest first
  std::vector<std::int64_t> bracket_runs_;  // runs of each bracket once every trial is proposed
};

}  // namespace hone
