#include "server/search/terminators/halving/rungs.hpp"

#include <algorithm>

namespace hone {

Result<RungSettings> rung_settings(const TerminatorSpec& spec, const SweepShape& shape) {
  RungSettings settings;
  const auto eta = count_setting(spec, "eta", settings.eta, {2, 1000});
  if (!eta) return eta.error();
  const auto first = count_setting(spec, "first_rung", settings.first_rung, {1, shape.phases});
  if (!first) return first.error();
  settings.eta = *eta;
  settings.first_rung = *first;
  return settings;
}

std::vector<int> rungs_of(const RungSettings& settings, int phases) {
  std::vector<int> rungs;
  std::int64_t length = settings.first_rung;
  for (; length < phases; length *= settings.eta) rungs.push_back(static_cast<int>(length));
  rungs.push_back(phases);
  return rungs;
}

std::optional<std::size_t> rung_after(const std::vector<int>& rungs, int phase) {
  const auto found = std::lower_bound(rungs.begin(), rungs.end(), phase + 1);
  if (found == rungs.end() || *found != phase + 1 || phase + 1 == rungs.back()) return std::nullopt;
  return static_cast<std::size_t>(found - rungs.begin());
}

Verdict between_rungs(const std::vector<int>& rungs, int phase) {
  const auto next = std::upper_bound(rungs.begin(), rungs.end(), phase + 1);
  const int length = next == rungs.end() ? rungs.back() : *next;
  return {Action::go_on,
          VerdictReason::between_rungs,
          {{"phases", static_cast<double>(phase + 1)}, {"next_rung", static_cast<double>(length)}}};
}

std::string explain_between_rungs(const std::string& rule, const Verdict& verdict) {
  return rule + " did not judge it: after " + counted(input(verdict.inputs, "phases"), "phase") +
         " there is no rung, and the next one, or the end, comes after " +
         counted(input(verdict.inputs, "next_rung"), "phase");
}

double expected_phases(const std::vector<int>& rungs, int eta) {
  double phases = 0, share = 1;
  int before = 0;
  for (const int length : rungs) {
    phases += share * (length - before);
    share /= eta;
    before = length;
  }
  return phases;
}

}  // namespace hone
