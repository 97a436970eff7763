#include "sdk/cli/commands/start/study_curves.hpp"

#include <utility>

namespace hone::cli {
namespace {

using upkeep::OptunaState;
using upkeep::OptunaTrial;

constexpr std::size_t curve_steps_max = 1000;  // longer curves stay metrics: an event a step
constexpr std::size_t reports_max = 200'000;   // of all trials: an import is one request
constexpr std::int64_t last_step_max = 1'000'000'000'000;  // sums of steps stay exact

std::vector<std::int64_t> steps_of(const OptunaTrial& trial) {
  std::vector<std::int64_t> steps;
  for (const auto& [step, value] : trial.intermediate) steps.push_back(step);
  return steps;
}

bool is_complete(const OptunaTrial& trial) {
  return trial.state == OptunaState::complete && trial.values.size() == 1;
}

bool is_evenly_spaced(const std::vector<std::int64_t>& steps) {
  if (steps.empty() || steps.front() < 0 || steps.back() > last_step_max) return false;
  if (steps.size() > curve_steps_max) return false;
  for (std::size_t i = 2; i < steps.size(); ++i)
    if (steps[i] - steps[i - 1] != steps[1] - steps[0]) return false;
  return true;
}

}  // namespace

std::vector<std::optional<double>> StudyCurves::of(const OptunaTrial& trial) const {
  std::vector<std::optional<double>> values;
  if (has_curves)
    for (const auto& [step, value] : trial.intermediate) {
      if (step != first + static_cast<std::int64_t>(values.size()) * distance) break;
      if (std::cmp_equal(values.size(), phases - (ends_apart ? 1 : 0))) break;
      values.push_back(value);
    }
  const bool has_final = trial.state == OptunaState::complete && !trial.values.empty();
  if (has_final && (!has_curves || ends_apart)) values.push_back(trial.values[0]);
  return values;
}

StudyCurves curves_of(const upkeep::OptunaStudy& study) {
  std::vector<std::int64_t> common;
  bool ends_apart = false;
  std::size_t reports = 0;
  for (const OptunaTrial& trial : study.trials) {
    reports += trial.intermediate.size();
    if (!is_complete(trial)) continue;
    auto steps = steps_of(trial);
    if (!is_evenly_spaced(steps) || (!common.empty() && steps != common)) return {};
    common = std::move(steps);
    ends_apart = ends_apart || trial.values[0] != trial.intermediate.back().second;
  }
  if (common.empty() || study.maximize.size() > 1 || reports > reports_max) return {};
  StudyCurves curves;
  curves.first = common.front();
  curves.distance = common.size() > 1 ? common[1] - common[0] : 1;
  curves.phases = static_cast<int>(common.size()) + (ends_apart ? 1 : 0);
  curves.has_curves = true;
  curves.ends_apart = ends_apart;
  return curves;
}

}  // namespace hone::cli
