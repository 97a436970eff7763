// A sweep whose runs save checkpoints, and forks of them.
#pragma once

#include <functional>

#include "server/sweep/forks/forks.hpp"
#include "tests/unit/sweep/given.hpp"

namespace hone {

inline SweepSpec forkable_spec(std::int64_t trials, int phases) {
  SweepSpec spec = small_spec(trials, phases);
  spec.trainer = CommandTrainer{.argv = {"train", "${x}"}, .may_change = {"x"}};
  spec.parameters = {{"x", FloatDomain{0, 1, Scale::linear, {}}, ""},
                     {"width", IntDomain{1, 64, Scale::log, 1}, ""}};
  return spec;
}

class Forks : public Given {
 public:
  explicit Forks(const SweepSpec& spec, int workers = 1) : sweep_id(submit(spec)) {
    for (int i = 0; i < workers; ++i) at.push_back(join("join-" + std::to_string(i)));
  }
  LeaseGrant grant(int worker = 0) {
    const auto found =
        acquire(at[static_cast<std::size_t>(worker)], "a" + std::to_string(++asked_));
    EXPECT_TRUE(found.has_value());
    return found.value_or(LeaseGrant{});
  }
  // A checkpoint at the end of the phase, then the report of it.
  Events trained(const LeaseGrant& to, int phase, double value, bool saves = true) {
    if (saves) {
      const std::string digest = std::to_string(1000 * to.lease.value + phase);
      when(SaveModel{to.lease,
                     {std::string(64 - digest.size(), 'a') + digest, 10, 10 * (phase + 1), phase}});
    }
    return when(Report{to.lease, {phase, 10 * (phase + 1), Score::of(value)}});
  }
  void enqueue(const ForkRequest& fork, const Params& params) {
    when(Enqueue{sweep_id, {"fork-" + std::to_string(++asked_), params, std::nullopt, fork}});
  }
  [[nodiscard]] const Trial& trial_of(const LeaseGrant& of) const {
    return *find_trial(book, of.attempt.run.trial);
  }
  [[nodiscard]] bool over() const { return is_end(sweep(sweep_id).state); }

  SweepId sweep_id;
  std::vector<WorkerId> at;

 private:
  int asked_ = 0;
};

// Trains the population with as many workers until it ends. Every value follows from the
// parameters and the phase. `look` is called before every step of a worker.
inline void train_to_the_end(
    Forks& given, int workers, const std::function<void()>& look = [] {}) {
  std::vector<std::optional<LeaseGrant>> busy(static_cast<std::size_t>(workers));
  std::vector<int> phase(busy.size(), 0);
  for (int step = 0; step < 1000 && !given.over(); ++step) {
    for (std::size_t i = 0; i < busy.size(); ++i) {
      if (given.over()) return;
      look();
      if (!busy[i]) {
        busy[i] = given.acquire(given.at[i], "w" + std::to_string(step) + "/" + std::to_string(i));
        if (busy[i]) phase[i] = busy[i]->next_phase;
        continue;
      }
      const double x = std::get<double>(*find(busy[i]->params, "x"));
      given.trained(*busy[i], phase[i], x * (phase[i] + 1));
      ++phase[i];
      if (!given.run(busy[i]->attempt.run).lease) busy[i].reset();
    }
  }
}

}  // namespace hone
