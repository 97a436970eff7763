// The threshold rule: a run must have reported `value` or better within its first `phases` phases,
// or it is stopped there. `value` is in the objective's own units.
#include <array>

#include "server/search/terminators/rows.hpp"

namespace hone {
namespace {

class Threshold final : public Terminator {
 public:
  Threshold(double value, int phases, const Plan& plan)
      : value_(value), phases_(phases), plan_(plan) {}

  Verdict judge(const History& history, std::size_t run, int phase, Score score) const override {
    if (phase + 1 < phases_)
      return {
          Action::go_on, VerdictReason::collecting, {{"phases", static_cast<double>(phase + 1)}}};
    const double best = best_so_far(history, run, score);
    std::vector<VerdictInput> inputs{{"maximize", history.goal() == Goal::maximize ? 1.0 : 0.0},
                                     {"best", value_of(best, history.goal())},
                                     {"value", value_}};
    const Action action = recompute(inputs);
    return {action, action == Action::stop ? VerdictReason::evicted : VerdictReason::good_enough,
            std::move(inputs)};
  }

  Action recompute(const std::vector<VerdictInput>& inputs) const override {
    if (!find_input(inputs, "best")) return Action::go_on;
    return worse(input(inputs, "best"), input(inputs, "value"), input(inputs, "maximize") != 0)
               ? Action::stop
               : Action::go_on;
  }

  std::string explain(const Verdict& verdict) const override {
    if (verdict.reason == VerdictReason::collecting)
      return "the threshold rule judged nobody yet: a run has " + counted(phases_, "phase") +
             " to reach " + number_text(value_) + ", and this was phase " +
             number_text(input(verdict.inputs, "phases"));
    const bool stopped = verdict.action == Action::stop;
    return std::string("the threshold rule ") + (stopped ? "stopped" : "kept") +
           " it: its best so far, " + number_text(input(verdict.inputs, "best")) + ", " +
           (stopped ? "has not reached " : "has reached ") +
           number_text(input(verdict.inputs, "value"));
  }

  // How many runs reach the value is not known: what those that do need is a bound.
  double expected_phases() const override { return plan_.phases; }

 private:
  double value_;
  int phases_;
  Plan plan_;
};

}  // namespace

Result<std::unique_ptr<Terminator>> make_threshold(const TerminatorSpec& spec, const Plan& plan) {
  static constexpr std::array<std::string_view, 2> known{"value", "phases"};
  if (auto fits = only_settings(spec, known); !fits) return fits.error();
  const auto value = setting(spec, "value");
  if (!value)
    return refuse(Code::invalid, "terminator 'threshold' needs a value that runs must reach",
                  "/terminator/value");
  if (!setting(spec, "phases"))
    return refuse(Code::invalid,
                  "terminator 'threshold' needs the number of phases a run has to reach its value",
                  "/terminator/phases");
  const auto phases = count_setting(spec, "phases", 1, {1, plan.phases});
  if (!phases) return phases.error();
  return std::unique_ptr<Terminator>(std::make_unique<Threshold>(*value, *phases, plan));
}

}  // namespace hone
