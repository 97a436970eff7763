// The errors with which the transitions of one environment enter a replay memory: by the values
// that the actor's network had when it played. A transition over n steps is complete when the value
// of the state after them is known, or when its episode ends.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

namespace hone::q {

class FirstErrors {
 public:
  FirstErrors(std::size_t steps, double gamma) : steps_(steps), gamma_(gamma) {}

  // A state is played whose best action has this value: adds the error of the transition that ends
  // there, if one does, to `out`.
  void reach(double best_value, std::vector<double>& out) {
    if (pending_.size() == steps_) complete(best_value, out);
  }
  // Its action had this value and brought this reward.
  void step(double value, double reward) { pending_.push_back({value, reward}); }
  // The episode ended in a state of this value, 0 if it terminated: completes all transitions.
  void end(double last_value, std::vector<double>& out) {
    while (!pending_.empty()) complete(last_value, out);
  }
  void clear() { pending_.clear(); }

 private:
  struct Pending {
    double value = 0;
    double reward = 0;
  };

  // Of the oldest transition.
  void complete(double last_value, std::vector<double>& out) {
    double target = last_value;
    for (auto step = pending_.rbegin(); step != pending_.rend(); ++step)
      target = step->reward + gamma_ * target;
    out.push_back(target - pending_.front().value);
    pending_.pop_front();
  }

  std::size_t steps_;
  double gamma_;
  std::deque<Pending> pending_;
};

}  // namespace hone::q
