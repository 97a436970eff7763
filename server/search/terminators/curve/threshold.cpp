// The threshold rule: a run that has not reported `value` or better within its first `phases`
// phases is stopped. `value` is in the units of the objective.
#include <array>

#include "server/search/terminators/rule_helpers.hpp"

namespace hone {
namespace {

class Threshold final : public Terminator {
 public:
  Threshold(double value, int phases, const SweepShape& shape)
      : value_(value), phases_(phases), shape_(shape) {}

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
      return "the threshold rule did not judge it: a run has " + counted(phases_, "phase") +
             " to reach " + number_text(value_) + ", and this was phase " +
             number_text(input(verdict.inputs, "phases"));
    const bool stopped = verdict.action == Action::stop;
    return std::string("the threshold rule ") + (stopped ? "stopped" : "kept") +
           " it: its best so far, " + value_text(input(verdict.inputs, "best"), shape_) + ", " +
           (stopped ? "has not reached " : "has reached ") +
           number_text(input(verdict.inputs, "value"));
  }

  // It is unknown how many runs reach the value; this is the upper bound.
  double expected_phases() const override { return shape_.phases; }

 private:
  double value_;
  int phases_;
  SweepShape shape_;
};

}  // namespace

Result<std::unique_ptr<Terminator>> make_threshold(const TerminatorSpec& spec,
                                                   const SweepShape& shape) {
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
  const auto phases = count_setting(spec, "phases", 1, {1, shape.phases});
  if (!phases) return phases.error();
  return std::unique_ptr<Terminator>(std::make_unique<Threshold>(*value, *phases, shape));
}

}  // namespace hone
