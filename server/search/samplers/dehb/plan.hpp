// The evaluations of DEHB in their order (Awad, Mallik and Hutter, IJCAI 2021, section 4).
//
// A level is a number of phases, and has a subpopulation as large as the most trials that one of
// Hyperband's brackets trains that long. The brackets of hyperband repeat. In the first iteration
// each is one of successive halving, whose lowest rung is drawn from the space (first bracket) or
// evolved (the others), and whose higher rungs continue the best of the level below. From the
// second iteration on every rung evolves: each of its trials is a new one, which trains as long as
// its level. The n-th evaluation of a level competes with member n of it, modulo its size.
#pragma once

#include <cstdint>
#include <vector>

namespace hone {

struct DehbStep {
  enum class Kind : std::uint8_t { sample, evolve, promote };
  Kind kind = Kind::sample;
  std::size_t bracket = 0;  // of its iteration
  std::size_t level = 0;    // where it is evaluated
  std::size_t below = 0;    // the level of its parents; that of the best, for a promotion
  std::size_t slot = 0;     // the member that it competes with
  std::size_t parents = 0;  // trials of its rung: so many of the best below take part
  std::int64_t trial = -1;  // its number, of a new one
  bool first_iteration = false;
};

class DehbPlan {
 public:
  // The evaluations of the first `trials` trials.
  DehbPlan(int phases, int eta, std::int64_t trials);

  [[nodiscard]] const std::vector<DehbStep>& steps() const { return steps_; }
  // How many of the steps are of the first iteration.
  [[nodiscard]] std::size_t first_iteration() const { return first_iteration_; }
  [[nodiscard]] std::size_t levels() const { return lengths_.size(); }
  [[nodiscard]] int length(std::size_t level) const { return lengths_[level]; }  // phases
  [[nodiscard]] std::size_t size(std::size_t level) const { return sizes_[level]; }
  // The index of the step that proposes a trial. Precondition: 0 <= trial < trials.
  [[nodiscard]] std::size_t step_of(std::int64_t trial) const {
    return step_of_trial_[static_cast<std::size_t>(trial)];
  }

 private:
  void add_bracket(std::size_t bracket, std::int64_t trials, bool first_iteration);
  void add_step(DehbStep step);

  int eta_;
  std::vector<std::int64_t> bracket_trials_;
  std::vector<int> lengths_;
  std::vector<std::size_t> sizes_;
  std::vector<std::size_t> used_;  // by level: evaluations so far
  std::vector<DehbStep> steps_;
  std::size_t first_iteration_ = 0;
  std::vector<std::size_t> step_of_trial_;
};

}  // namespace hone
