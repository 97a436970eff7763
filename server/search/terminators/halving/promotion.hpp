// Asynchronous promotion in brackets: what asha (one bracket) and hyperband (several) have in
// common.
//
// Every bracket has rungs of its own. Of the n runs of a bracket that reported at a rung, this one
// included, the best floor(n / eta) may go on: a reporter among them goes on at once, any other is
// paused. A free worker goes on, from the top rung down, with the best paused run that is now among
// the best floor(n / eta); where there is none it starts a new trial.
// Ties: the run that trained further, then one that trains now, then the lower index. Closing what
// can no longer be promoted changes no later decision.
#pragma once

#include <vector>

#include "server/search/terminators/halving/rungs.hpp"

namespace hone {

// How trials are dealt to brackets: trial t belongs to bracket deal[t % deal.size()].
struct Brackets {
  int eta = 3;
  std::vector<std::vector<int>> rungs;  // of each bracket, ascending numbers of phases
  std::vector<std::size_t> deal;
};

class Promotion final : public Terminator {
 public:
  // `title` is the rule's name in sentences; `expected` its phases a run.
  Promotion(std::string title, double expected, Brackets brackets, const Plan& plan);

  Verdict judge(const History& history, std::size_t run, int phase, Score score) const override;
  Move next(const History& history, bool proposals_left) const override;
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
  struct Standing {
    std::int64_t reports = 0;
    std::int64_t ahead = 0;  // runs of the rung that come before the claim
  };
  [[nodiscard]] std::size_t bracket_of(const History& history, std::size_t run) const;
  [[nodiscard]] std::optional<Claim> claim_at(const History& history, std::size_t run,
                                              const Stage& stage) const;
  [[nodiscard]] Standing standing(const History& history, const Stage& stage,
                                  const Claim& claim) const;
  static bool before(const Claim& left, const Claim& right);

  std::string title_;
  double expected_;
  Brackets brackets_;
  std::vector<Stage> stages_;        // the longest first
  std::vector<std::int64_t> plans_;  // runs of each bracket, when every trial is proposed
};

}  // namespace hone
