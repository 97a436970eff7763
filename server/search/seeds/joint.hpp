// Any rule, made to judge trials of several runs as what they are: one parameter set each.
//
// The rule sees one curve a trial: at every phase that all its first runs came through, the
// aggregate of their values. So a lucky run saves no trial, and an unlucky one kills none.
//   report   of a run that is ahead of its siblings: it goes on where its rule would let it, and
//            else waits (awaits_seeds) until the others came as far
//   report   that completes a phase: the rule judges the trial; a stop ends all its runs
//   racing   a contender gets further seeds while it is not settled who is best; they catch up with
//            the trial and then count in its aggregate. A trial that is significantly worse than
//            the leader at the same phase, by the noise of all trials, is stopped
//   waiting  ends when the run that was waited for ends, however it does
#pragma once

#include "server/search/seeds/race.hpp"
#include "server/search/terminators/rows.hpp"

namespace hone {

class Joint final : public Terminator {
 public:
  // `inner` was made with a plan of one run a trial. `closes`: it may give a paused trial up before
  // the sweep ends; asking it costs a view of all trials each time.
  Joint(std::unique_ptr<Terminator> inner, const Plan& plan, bool closes);

  Verdict judge(const History& history, std::size_t run, int phase, Score score) const override;
  Move next(const History& history, bool proposals_left) const override;
  bool promotable(const History& history, std::size_t run) const override;
  std::optional<std::size_t> incumbent(const History& history) const override;
  Action recompute(const std::vector<VerdictInput>& inputs) const override;
  std::string explain(const Verdict& verdict) const override;
  double expected_phases() const override { return inner_->expected_phases(); }
  bool pauses() const override { return true; }

 private:
  [[nodiscard]] Verdict judge_seen(const History& history, std::size_t run, int phase,
                                   Score score) const;
  [[nodiscard]] Verdict judge_whole(const History& history, std::size_t run, int phase,
                                    const Panel& panel) const;
  [[nodiscard]] Verdict judge_further(const History& history, std::size_t run, int phase) const;
  [[nodiscard]] std::optional<Verdict> judge_race(const History& history, std::size_t trial,
                                                  int phase, const Panel& panel) const;
  [[nodiscard]] bool owed(const History& history, std::size_t run, const Panel& panel) const;
  [[nodiscard]] std::optional<std::size_t> resumable(const History& history) const;
  [[nodiscard]] std::optional<std::size_t> contender(const History& history, bool idle) const;

  std::unique_ptr<Terminator> inner_;
  Plan plan_;
  bool closes_;
};

}  // namespace hone
