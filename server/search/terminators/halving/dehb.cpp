// The rule of DEHB (samplers/dehb/plan.hpp). A trial of the first iteration pauses at each rung of
// its bracket until the rung has chosen which trials continue; a later trial trains as long as its
// level and is closed.
#include <algorithm>
#include <array>
#include <ranges>

#include "server/search/samplers/dehb/state.hpp"
#include "server/search/statistics/brackets.hpp"
#include "server/search/terminators/halving/rungs.hpp"

namespace hone {
namespace {

class DehbRule final : public Terminator {
 public:
  DehbRule(const SweepShape& shape, int eta)
      : shape_(shape), plan_(shape.phases, eta, shape.trials) {}

  Verdict judge(const History& history, std::size_t run, int phase, Score) const override {
    const DehbStep& step = step_of(history, run);
    const auto rungs = rungs_of(step);
    const auto rung = std::ranges::find(rungs, phase + 1);
    if (rung == rungs.end() && phase + 1 < rungs.back()) return between_rungs(rungs, phase);
    return {Action::pause,
            VerdictReason::awaits_promotion,
            {{"phases", static_cast<double>(phase + 1)},
             {"bracket", static_cast<double>(step.bracket + 1)},
             {"chooses", step.first_iteration ? 1.0 : 0.0}}};
  }

  NextAction next(const History& history, bool proposals_left) const override {
    const DehbState state(plan_, history, plan_.first_iteration(), !proposals_left);
    for (const auto& [trial, level] : state.promotions())
      for (const std::size_t run : history.trials()[trial].runs)
        if (waits(history, run) && length_of(history, run) < plan_.length(level))
          return {NextAction::Kind::promote, run};
    return {NextAction::Kind::propose, 0};
  }

  bool promotable(const History& history, std::size_t run) const override {
    const std::size_t trial = history.runs()[run].trial;
    if (!step_of(history, run).first_iteration) return false;
    if (own_rung_open(history, run)) return true;
    const DehbState state(plan_, history, plan_.first_iteration(), false);
    for (const auto& promotion : state.promotions())
      if (promotion.trial == trial && length_of(history, run) < plan_.length(promotion.level))
        return true;
    const std::size_t own = plan_.step_of(number_of(history, run));
    for (std::size_t level = 0; level < plan_.levels(); ++level)
      if (plan_.length(level) == length_of(history, run)) return state.chooses_later(level, own);
    return true;
  }

  bool pauses() const override { return true; }

  Action recompute(const std::vector<VerdictInput>& inputs) const override {
    return find_input(inputs, "next_rung") ? Action::go_on : Action::pause;
  }

  std::string explain(const Verdict& verdict) const override {
    if (verdict.reason == VerdictReason::between_rungs)
      return explain_between_rungs("DEHB", verdict);
    const std::string trained = counted(input(verdict.inputs, "phases"), "phase");
    if (input(verdict.inputs, "chooses") == 0)
      return "DEHB ended it: its trial was to train for " + trained +
             ", and competes there with a member of that subpopulation";
    return "DEHB paused it: it has trained for " + trained + ", a rung of bracket " +
           number_text(input(verdict.inputs, "bracket")) +
           "; its best continue once all of the rung have reported";
  }

  // If every rung of the first iteration promotes as many as planned.
  double expected_phases() const override {
    double phases = 0;
    for (const DehbStep& step : plan_.steps())
      phases += plan_.length(step.level) -
                (step.kind == DehbStep::Kind::promote ? plan_.length(step.below) : 0);
    const auto trials = static_cast<double>(std::max<std::int64_t>(1, shape_.trials));
    return std::clamp(phases / trials, 1.0, static_cast<double>(shape_.phases));
  }

 private:
  // A trial beyond the plan has none: the sweep was extended, and the rule is made again.
  [[nodiscard]] std::int64_t number_of(const History& history, std::size_t run) const {
    const auto number = static_cast<std::int64_t>(history.runs()[run].trial - history.foreign());
    return std::min(number, shape_.trials - 1);
  }
  [[nodiscard]] const DehbStep& step_of(const History& history, std::size_t run) const {
    return plan_.steps()[plan_.step_of(number_of(history, run))];
  }
  [[nodiscard]] std::vector<int> rungs_of(const DehbStep& step) const {
    std::vector<int> rungs;
    const std::size_t end = step.first_iteration ? plan_.levels() : step.level + 1;
    for (std::size_t level = step.level; level < end; ++level) rungs.push_back(plan_.length(level));
    return rungs;
  }
  // Whether the run waits at the lowest rung of its bracket, which has yet to choose since one of
  // its trials can still report. It spares the state for each of many paused runs.
  [[nodiscard]] bool own_rung_open(const History& history, std::size_t run) const {
    const DehbStep& own = step_of(history, run);
    const int length = plan_.length(own.level);
    if (own.level + 1 >= plan_.levels() || length_of(history, run) != length) return false;
    const auto in_rung = [&](std::int64_t number) {
      const DehbStep& step = plan_.steps()[plan_.step_of(number)];
      return step.first_iteration && step.bracket == own.bracket;
    };
    const auto later = std::views::iota(number_of(history, run), shape_.trials);
    const auto end = *std::ranges::partition_point(later, in_rung);
    const auto proposed = static_cast<std::int64_t>(history.trials().size() - history.foreign());
    if (proposed < end) return true;
    for (std::int64_t number = end - 1; number >= 0 && in_rung(number); --number) {
      const std::size_t trial = history.foreign() + static_cast<std::size_t>(number);
      for (const std::size_t other : history.trials()[trial].runs)
        if (length_of(history, other) < length &&
            history.runs()[other].state != RunRecord::State::ended)
          return true;
    }
    return false;
  }
  static bool waits(const History& history, std::size_t run) {
    return history.runs()[run].state == RunRecord::State::paused;
  }
  static int length_of(const History& history, std::size_t run) {
    return static_cast<int>(history.runs()[run].merits.size());
  }

  SweepShape shape_;
  DehbPlan plan_;
};

}  // namespace

// Each trial of the first iteration is looked at for each of them, while its rungs have not chosen.
Status check_dehb_brackets(const TerminatorSpec& spec, const SweepShape& shape) {
  constexpr std::int64_t first_iteration_max = 5'000;
  const auto eta = count_setting(spec, "eta", 3, {2, 1000});
  if (!eta) return eta.error();
  if (shape.phases < *eta)
    return refuse(Code::invalid,
                  "dehb needs at least two rungs, and its shortest trial is " +
                      std::to_string(*eta) +
                      " times shorter than a complete run: make budget.phases at least " +
                      std::to_string(*eta),
                  "/budget/phases");
  std::int64_t trials = 0;
  for (const BracketShape& one : hyperband_shapes(shape.phases, *eta)) trials += one.trials;
  if (trials <= first_iteration_max) return Done{};
  return refuse(Code::invalid,
                "the first iteration of dehb would have " + std::to_string(trials) +
                    " trials, more than " + std::to_string(first_iteration_max) +
                    ": make budget.phases smaller",
                "/budget/phases");
}

Result<std::unique_ptr<Terminator>> make_dehb_rule(const TerminatorSpec& spec,
                                                   const SweepShape& shape) {
  static constexpr std::array<std::string_view, 1> known{"eta"};
  if (auto fits = only_settings(spec, known); !fits) return fits.error();
  const auto eta = count_setting(spec, "eta", 3, {2, 1000});
  if (!eta) return eta.error();
  return std::unique_ptr<Terminator>(std::make_unique<DehbRule>(shape, *eta));
}

}  // namespace hone
