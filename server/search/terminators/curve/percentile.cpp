// The percentile rule (as Optuna's PercentilePruner): after the first `grace` phases, and once
// min_reports others reported the phase, a run is stopped when the best of its reports so far is
// among the worst share `evict` of the phase's earlier reports. See earlier.hpp.
#include <array>
#include <cmath>

#include "server/search/terminators/curve/earlier.hpp"

namespace hone {
namespace {

struct PercentileSettings {
  double evict = 0.25;
  int grace = 1;
  int min_reports = 3;
};

class Percentile final : public Terminator {
 public:
  Percentile(const PercentileSettings& settings, const SweepShape& shape)
      : settings_(settings), shape_(shape) {}

  Verdict judge(const History& history, std::size_t run, int phase, Score score) const override {
    const bool early = phase < settings_.grace;
    if (early || history.reports(phase) < settings_.min_reports)
      return {Action::go_on,
              VerdictReason::collecting,
              {{"phases", static_cast<double>(phase + 1)},
               {"earlier", static_cast<double>(history.reports(phase))}}};
    return judge_by_share(history, phase, best_so_far(history, run, score), settings_.evict);
  }

  Action recompute(const std::vector<VerdictInput>& inputs) const override {
    return find_input(inputs, "bar") ? recompute_by_share(inputs) : Action::go_on;
  }

  std::string explain(const Verdict& verdict) const override {
    if (verdict.reason == VerdictReason::collecting)
      return "the percentile rule did not judge it: it was phase " +
             number_text(input(verdict.inputs, "phases")) + ", which " +
             counted(input(verdict.inputs, "earlier"), "other run") +
             " had reported, and it judges after " + counted(settings_.grace, "phase") +
             ", by at least " + number_text(settings_.min_reports) + " others";
    return explain_by_share("the percentile rule", "its best so far", verdict);
  }

  double expected_phases() const override {
    const int free = std::min(settings_.grace + 1, shape_.phases);
    const double left = 1 - settings_.evict;
    return free + left * (1 - std::pow(left, shape_.phases - free)) / settings_.evict;
  }

 private:
  PercentileSettings settings_;
  SweepShape shape_;
};

}  // namespace

Result<std::unique_ptr<Terminator>> make_percentile(const TerminatorSpec& spec,
                                                    const SweepShape& shape) {
  static constexpr std::array<std::string_view, 3> known{"evict", "grace", "min_reports"};
  if (auto fits = only_settings(spec, known); !fits) return fits.error();
  PercentileSettings settings;
  settings.evict = setting(spec, "evict").value_or(settings.evict);
  if (!(settings.evict > 0 && settings.evict < 1))
    return refuse(Code::invalid, "evict, the share of reports that is too poor, must lie in (0, 1)",
                  "/terminator/evict");
  const auto grace = count_setting(spec, "grace", settings.grace, {});
  if (!grace) return grace.error();
  const auto reports = count_setting(spec, "min_reports", settings.min_reports, {1});
  if (!reports) return reports.error();
  settings.grace = *grace;
  settings.min_reports = *reports;
  return std::unique_ptr<Terminator>(std::make_unique<Percentile>(settings, shape));
}

}  // namespace hone
