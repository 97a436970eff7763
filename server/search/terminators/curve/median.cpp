// The median rule (Golovin et al., KDD 2017; in the form of Ray Tune's MedianStoppingRule).
//
// After the first `grace` phases, and once min_runs other runs reported the phase, a run is stopped
// when the best of its reports so far is strictly worse than the median over those others of their
// running means up to the phase. Means and bests leave the first `grace` phases out. The median of
// an even number of values is the mean of the two middle ones.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "server/search/terminators/rule_helpers.hpp"

namespace hone {
namespace {

struct MedianSettings {
  int grace = 1;
  int min_runs = 3;
};

double mean_between(const std::vector<double>& values, int from, int to) {
  return std::accumulate(values.begin() + from, values.begin() + to, 0.0) / (to - from);
}

// Sorts `values`. Precondition: not empty.
double sorted_median(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

class Median final : public Terminator {
 public:
  Median(const MedianSettings& settings, const SweepShape& shape)
      : settings_(settings), shape_(shape) {}

  Verdict judge(const History& history, std::size_t run, int phase, Score score) const override {
    std::vector<double> means;
    if (phase >= settings_.grace) means = means_of_others(history, run, phase);
    const auto others = static_cast<double>(means.size());
    if (phase < settings_.grace || others < settings_.min_runs)
      return {Action::go_on,
              VerdictReason::collecting,
              {{"phases", static_cast<double>(phase + 1)}, {"others", others}}};
    double best = score.merit(history.goal());
    const auto& merits = history.runs()[run].merits;
    for (std::size_t i = static_cast<std::size_t>(settings_.grace); i < merits.size(); ++i)
      best = std::max(best, merits[i]);
    const double bar = sorted_median(means);
    std::vector<VerdictInput> inputs{{"maximize", history.goal() == Goal::maximize ? 1.0 : 0.0},
                                     {"others", others},
                                     {"best", value_of(best, history.goal())}};
    // If half of the others diverged there is no median, and no run is worse.
    if (std::isfinite(bar)) inputs.push_back({"median", value_of(bar, history.goal())});
    const Action action = recompute(inputs);
    return {action, action == Action::stop ? VerdictReason::evicted : VerdictReason::good_enough,
            std::move(inputs)};
  }

  Action recompute(const std::vector<VerdictInput>& inputs) const override {
    const auto bar = find_input(inputs, "median");
    if (!bar) return Action::go_on;
    return worse(input(inputs, "best"), *bar, input(inputs, "maximize") != 0) ? Action::stop
                                                                              : Action::go_on;
  }

  std::string explain(const Verdict& verdict) const override {
    const std::string others = counted(input(verdict.inputs, "others"), "other run");
    if (verdict.reason == VerdictReason::collecting)
      return "the median rule did not judge it: it compared phase " +
             number_text(input(verdict.inputs, "phases")) + " with " + others +
             ", and it judges after " + counted(settings_.grace, "phase") + ", by at least " +
             number_text(settings_.min_runs) + " others";
    const auto bar = find_input(verdict.inputs, "median");
    if (!bar) return "the median rule kept it: half of " + others + " had diverged";
    return std::string("the median rule ") +
           (verdict.action == Action::stop ? "stopped it: its best so far, "
                                           : "kept it: its best so far, ") +
           value_text(input(verdict.inputs, "best"), shape_) +
           (verdict.action == Action::stop ? ", is worse than " : ", is no worse than ") +
           value_text(*bar, shape_) + ", the median of the means of " + others;
  }

  // There is no closed form; this is the upper bound.
  double expected_phases() const override { return shape_.phases; }

 private:
  [[nodiscard]] std::vector<double> means_of_others(const History& history, std::size_t run,
                                                    int phase) const {
    std::vector<double> means;
    for (std::size_t other = 0; other < history.runs().size(); ++other) {
      const auto& merits = history.runs()[other].merits;
      if (other == run || static_cast<int>(merits.size()) <= phase) continue;
      means.push_back(mean_between(merits, settings_.grace, phase + 1));
    }
    return means;
  }

  MedianSettings settings_;
  SweepShape shape_;
};

}  // namespace

Result<std::unique_ptr<Terminator>> make_median(const TerminatorSpec& spec,
                                                const SweepShape& shape) {
  static constexpr std::array<std::string_view, 2> known{"grace", "min_runs"};
  if (auto fits = only_settings(spec, known); !fits) return fits.error();
  MedianSettings settings;
  const auto grace = count_setting(spec, "grace", settings.grace, {});
  if (!grace) return grace.error();
  const auto runs = count_setting(spec, "min_runs", settings.min_runs, {1});
  if (!runs) return runs.error();
  settings.grace = *grace;
  settings.min_runs = *runs;
  return std::unique_ptr<Terminator>(std::make_unique<Median>(settings, shape));
}

}  // namespace hone
