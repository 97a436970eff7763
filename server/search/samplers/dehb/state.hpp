// DEHB's subpopulations as the results so far leave them. Steps count in the order of the plan, so
// that neither arrival order nor the number of workers changes what follows from the same results.
#pragma once

#include <optional>
#include <vector>

#include "server/search/history/history.hpp"
#include "server/search/samplers/dehb/plan.hpp"

namespace hone {

// A member of a subpopulation: the best evaluation of its place so far.
struct DehbMember {
  std::size_t trial = 0;  // index of the history
  double merit = 0;
};

class DehbState {
 public:
  // The state after the first `steps` of the plan. `all_proposed`: no trial follows those in the
  // history.
  DehbState(const DehbPlan& plan, const History& history, std::size_t steps, bool all_proposed);

  // The members of a level, best first; ties go to the lower trial.
  [[nodiscard]] std::vector<DehbMember> ranked(std::size_t level) const;
  // The member that a step competes with; nullopt: no evaluation of its place has a result.
  [[nodiscard]] std::optional<DehbMember> member(std::size_t level, std::size_t slot) const;

  struct Promotion {
    std::size_t trial = 0;
    std::size_t level = 0;  // that it continues to
  };
  // Those that are decided, in the order of the plan.
  [[nodiscard]] const std::vector<Promotion>& promotions() const { return promotions_; }
  // Whether a rung of the first iteration has yet to choose among the members of a level, those of
  // the step included.
  [[nodiscard]] bool chooses_later(std::size_t level, std::size_t step) const;

 private:
  // Whether the result of a step can still come, and the merit if it has one.
  struct Result {
    bool open = false;
    std::optional<double> merit;
  };
  [[nodiscard]] Result result_of(std::size_t trial, std::size_t level) const;
  void evaluate(const DehbStep& step, std::size_t trial);
  std::size_t promote(std::size_t first);

  const DehbPlan& plan_;
  const History& history_;
  bool all_proposed_;
  std::vector<std::vector<std::optional<DehbMember>>> members_;  // by level and slot
  std::vector<bool> open_;                                       // by level: a result is missing
  std::vector<Promotion> promotions_;
  std::vector<std::size_t> undecided_;  // first steps of rungs that have yet to choose
};

}  // namespace hone
