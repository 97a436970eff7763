// A terminator's answer to a report, always with its reason and the numbers it followed from.
#pragma once

#include <string>
#include <vector>

namespace hone {

enum class Action { go_on, pause, stop };  // on the wire: continue, pause, stop

enum class VerdictReason {
  no_rule,           // the sweep has no terminator
  last_phase,        // the budget is reached: the run is complete
  diverged,          // the report was not a number; more training cannot help
  collecting,        // the rule still collects reports for this phase and judges no run
  good_enough,       // judged, and kept
  evicted,           // judged, and among the poorest
  between_rungs,     // the rule judges at other phases than this
  promoted,          // judged at a rung, and among the best: it continues
  awaits_promotion,  // judged at a rung: paused until the rule prefers it to the others
  awaits_seeds,      // paused until the other runs of its trial came as far: the trial is judged
  outraced,          // its trial is significantly worse than the leader
  no_checkpoint,     // its rule would pause it, but it could not be resumed: it continues
  finishes,          // its rule has nothing left to train, and it leads: it trains to its end
  replaced,          // among the poorest of its population: a fork of a better member follows it
  awaits_turn,       // paused until the members of its population that are behind have caught up
  step_follows,      // the budget is reached, but a later step of its pipeline has yet to run
  yields,            // its rule would continue it, but its slots go to another sweep for now
  reached,           // the objective is a time until a bar, and the run has reached it
  too_late,          // such a run has not reached it, and has trained longer than the first trial
};

struct VerdictInput {
  std::string name;  // "rank_below", "reports", "cutoff", ...: the rule's own row explains them
  double value = 0;
  friend bool operator==(const VerdictInput&, const VerdictInput&) = default;
};

struct Verdict {
  Action action = Action::go_on;
  VerdictReason reason = VerdictReason::no_rule;
  std::vector<VerdictInput> inputs;
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

}  // namespace hone
