// ASHA, the stopping form (as in Ray Tune's AsyncHyperBandScheduler, one bracket).
//
// At a rung (first_rung * eta^k phases) a run is stopped when its report is below the 1 - 1/eta
// percentile of the earlier reports there (earlier.hpp); it is recorded either way, and the first
// report always passes. No run is paused.
#include <array>

#include "server/search/terminators/curve/earlier.hpp"
#include "server/search/terminators/halving/rungs.hpp"

namespace hone {
namespace {

class AshaStopping final : public Terminator {
 public:
  AshaStopping(const RungSettings& settings, const SweepShape& shape)
      : eta_(settings.eta), rungs_(rungs_of(settings, shape.phases)) {}

  Verdict judge(const History& history, std::size_t, int phase, Score score) const override {
    if (!rung_after(rungs_, phase)) return between_rungs(rungs_, phase);
    return judge_by_share(history, phase, score.merit(history.goal()), 1 - 1.0 / eta_);
  }

  Action recompute(const std::vector<VerdictInput>& inputs) const override {
    return find_input(inputs, "next_rung") ? Action::go_on : recompute_by_share(inputs);
  }

  std::string explain(const Verdict& verdict) const override {
    if (verdict.reason == VerdictReason::between_rungs)
      return explain_between_rungs("ASHA (stopping)", verdict);
    return explain_by_share("ASHA (stopping)", "its own", verdict);
  }

  double expected_phases() const override { return hone::expected_phases(rungs_, eta_); }

 private:
  int eta_;
  std::vector<int> rungs_;
};

}  // namespace

Result<std::unique_ptr<Terminator>> make_asha_stopping(const TerminatorSpec& spec,
                                                       const SweepShape& shape) {
  static constexpr std::array<std::string_view, 2> known{"eta", "first_rung"};
  if (auto fits = only_settings(spec, known); !fits) return fits.error();
  const auto settings = rung_settings(spec, shape);
  if (!settings) return settings.error();
  return std::unique_ptr<Terminator>(std::make_unique<AshaStopping>(*settings, shape));
}

}  // namespace hone
