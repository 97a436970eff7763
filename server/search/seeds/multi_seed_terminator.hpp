// Makes any rule judge trials of several runs: the rule sees one curve for each trial, the
// aggregate of its runs at every phase that all its first runs have reported. A single lucky run
// does not save a trial, and a single unlucky one does not stop it.
//
//   early report    a run that is ahead of its siblings continues if its rule continues it without
//                   a promotion; else it waits (awaits_seeds) until the others reach its phase
//   complete phase  the rule judges the trial; a stop ends all of its runs
//   racing          a contender gets further seeds while it is unsettled which trial is best. They
//                   catch up with the trial and then count in its aggregate. A trial that is
//                   significantly worse than the leader at the same phase is stopped; the noise is
//                   pooled over all trials
//   waiting         ends when the awaited run reports or ends
#pragma once

#include "server/search/seeds/race.hpp"
#include "server/search/terminators/rule_helpers.hpp"

namespace hone {

class MultiSeedTerminator final : public Terminator {
 public:
  // `inner` was made with a shape of one run for each trial. `closes_early` as in its
  // TerminatorRow: asking promotable() then costs a collapsed view of all trials each time.
  MultiSeedTerminator(std::unique_ptr<Terminator> inner, const SweepShape& shape,
                      bool closes_early);

  Verdict judge(const History& history, std::size_t run, int phase, Score score) const override;
  NextAction next(const History& history, bool proposals_left) const override;
  bool promotable(const History& history, std::size_t run) const override;
  std::optional<std::size_t> incumbent(const History& history) const override;
  Action recompute(const std::vector<VerdictInput>& inputs) const override;
  std::string explain(const Verdict& verdict) const override;
  double expected_phases() const override { return inner_->expected_phases(); }
  bool pauses() const override { return true; }

 private:
  [[nodiscard]] Verdict judge_ranked(const History& history, std::size_t run, int phase,
                                     Score score) const;
  [[nodiscard]] Verdict judge_trial(const History& history, std::size_t run, int phase,
                                    const SeedCurves& curves) const;
  [[nodiscard]] Verdict judge_further(const History& history, std::size_t run, int phase) const;
  [[nodiscard]] std::optional<Verdict> judge_race(const History& history, std::size_t trial,
                                                  int phase, const SeedCurves& curves) const;
  [[nodiscard]] bool must_continue(const History& history, std::size_t run,
                                   const SeedCurves& curves) const;
  [[nodiscard]] std::optional<std::size_t> resumable(const History& history) const;
  [[nodiscard]] std::optional<std::size_t> contender(const History& history, bool idle) const;

  std::unique_ptr<Terminator> inner_;
  SweepShape shape_;
  bool closes_early_;
};

}  // namespace hone
