// The patience rule: a run is stopped when its last `phases` reports did not improve on the best of
// its reports before them by more than min_delta. Other runs have no influence.
#include <algorithm>
#include <array>
#include <cmath>

#include "server/search/terminators/rule_helpers.hpp"

namespace hone {
namespace {

class Patience final : public Terminator {
 public:
  Patience(int phases, double min_delta, const SweepShape& shape)
      : phases_(phases), min_delta_(min_delta), shape_(shape) {}

  Verdict judge(const History& history, std::size_t run, int phase, Score score) const override {
    if (phase < phases_)
      return {
          Action::go_on, VerdictReason::collecting, {{"phases", static_cast<double>(phase + 1)}}};
    const auto& merits = history.runs()[run].merits;
    const auto since = merits.begin() + (phase + 1 - phases_);
    const double before = *std::max_element(merits.begin(), since);
    double latest = score.merit(history.goal());
    for (auto merit = since; merit != merits.end(); ++merit) latest = std::max(latest, *merit);
    std::vector<VerdictInput> inputs{{"maximize", history.goal() == Goal::maximize ? 1.0 : 0.0},
                                     {"before", value_of(before, history.goal())},
                                     {"since", value_of(latest, history.goal())},
                                     {"min_delta", min_delta_}};
    const Action action = recompute(inputs);
    return {action, action == Action::stop ? VerdictReason::evicted : VerdictReason::good_enough,
            std::move(inputs)};
  }

  Action recompute(const std::vector<VerdictInput>& inputs) const override {
    if (!find_input(inputs, "before")) return Action::go_on;
    const double gain = input(inputs, "since") - input(inputs, "before");
    const double toward = input(inputs, "maximize") != 0 ? gain : -gain;
    return toward > input(inputs, "min_delta") ? Action::go_on : Action::stop;
  }

  std::string explain(const Verdict& verdict) const override {
    if (verdict.reason == VerdictReason::collecting)
      return "the patience rule did not judge it: it looks back on " + counted(phases_, "phase") +
             ", and this was phase " + number_text(input(verdict.inputs, "phases"));
    const bool stopped = verdict.action == Action::stop;
    return std::string("the patience rule ") + (stopped ? "stopped" : "kept") +
           " it: its best in the last " + counted(phases_, "phase") + " was " +
           value_text(input(verdict.inputs, "since"), shape_) + ", before them " +
           value_text(input(verdict.inputs, "before"), shape_) +
           ", and it must improve by more than " + number_text(input(verdict.inputs, "min_delta"));
  }

  // It is unknown where curves flatten; this is the upper bound.
  double expected_phases() const override { return shape_.phases; }

 private:
  int phases_;
  double min_delta_;
  SweepShape shape_;
};

}  // namespace

Result<std::unique_ptr<Terminator>> make_patience(const TerminatorSpec& spec,
                                                  const SweepShape& shape) {
  static constexpr std::array<std::string_view, 2> known{"phases", "min_delta"};
  if (auto fits = only_settings(spec, known); !fits) return fits.error();
  const auto phases = count_setting(spec, "phases", 3, {1});
  if (!phases) return phases.error();
  const double min_delta = setting(spec, "min_delta").value_or(0);
  if (!(min_delta >= 0) || std::isinf(min_delta))
    return refuse(Code::invalid, "min_delta, the least improvement that counts, must be 0 or more",
                  "/terminator/min_delta");
  return std::unique_ptr<Terminator>(std::make_unique<Patience>(*phases, min_delta, shape));
}

}  // namespace hone
