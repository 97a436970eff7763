#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "schemas/types/methods.hpp"
#include "schemas/types/search_spec.hpp"
#include "server/search/terminators/setting_rows.hpp"
#include "server/search/terminators/terminator.hpp"

namespace hone {

// Each of these is defined in the file of its rule: a new rule adds that file, a name here and a
// row below.
TerminatorMaker make_hone_rule, make_none, make_hypertrick, make_asha, make_asha_stopping, make_sha,
    make_hyperband, make_median, make_percentile, make_threshold, make_patience, make_dehb_rule,
    make_pbt_rule;
TerminatorCheck check_dehb_brackets;

namespace {

constexpr std::array terminators{
    TerminatorRow{.rule = "hone",
                  .summary = "our own: promotes the most promising runs a phase at a time",
                  .make = make_hone_rule,
                  .settings = rule_settings::hone_rule,
                  .without_pauses = "hypertrick",
                  .proposing = {1.03, 0.00, 1.55, 0.54, 1.67},
                  .finishing = {0.00, 0.33, 1.00, 0.41, 2.55}},
    TerminatorRow{.rule = rule_none,
                  .summary = "every run trains to the end of its budget",
                  .make = make_none,
                  .proposing = {0.97, 0.00, 1.13, 0.82, 1.18},
                  .finishing = {0.00, 1.00, 0.21, 0.45, 2.59}},
    TerminatorRow{.rule = "hypertrick",
                  .summary = "evicts the poorest of each phase without waiting for the others",
                  .make = make_hypertrick,
                  .settings = rule_settings::hypertrick,
                  .proposing = {0.30, 0.75, 0.06, 0.44, 1.75},
                  .finishing = {0.00, 0.00, 0.73, 0.35, 2.52}},
    TerminatorRow{.rule = "asha",
                  .summary = "pauses runs at rungs and promotes the best of each, without waiting",
                  .make = make_asha,
                  .settings = rule_settings::rungs,
                  .closes_early = true,
                  .without_pauses = "asha_stopping",
                  .proposing = {0.97, 0.00, 0.71, 0.54, 1.57},
                  .finishing = {0.00, 0.65, 0.65, 0.26, 2.60}},
    TerminatorRow{.rule = "asha_stopping",
                  .summary = "stops runs that are not among the best of their rung so far",
                  .make = make_asha_stopping,
                  .settings = rule_settings::rungs,
                  .proposing = {0.63, 0.00, 0.63, 0.39, 1.67},
                  .finishing = {0.00, 0.32, 0.67, 0.29, 2.36}},
    TerminatorRow{.rule = "sha",
                  .summary = "brackets of trials: a whole rung reports before its best continue",
                  .make = make_sha,
                  .settings = rule_settings::sha,
                  .closes_early = true,
                  .without_pauses = "asha_stopping",
                  .proposing = {1.37, 0.00, 0.69, 0.40, 1.95},
                  .finishing = {0.00, 1.32, 0.73, 0.25, 2.12}},
    TerminatorRow{.rule = "hyperband",
                  .summary = "asha in brackets that start with short, longer and full runs",
                  .make = make_hyperband,
                  .settings = rule_settings::eta_alone,
                  .closes_early = true,
                  .without_pauses = "asha_stopping",
                  .proposing = {1.03, 0.00, 0.94, 0.71, 1.37},
                  .finishing = {0.00, 0.73, 0.52, 0.41, 2.20}},
    TerminatorRow{.rule = "median",
                  .summary = "stops runs whose best is below the median of the others' means",
                  .make = make_median,
                  .settings = rule_settings::median,
                  .judges_whole_curves = true,
                  .proposing = {0.63, 0.52, 0.59, 0.54, 1.48},
                  .finishing = {0.00, 0.30, 0.80, 0.41, 2.09}},
    TerminatorRow{.rule = "percentile",
                  .summary = "stops runs whose best is below a percentile of the phase",
                  .make = make_percentile,
                  .settings = rule_settings::percentile,
                  .judges_whole_curves = true,
                  .proposing = {0.73, 0.18, 0.83, 0.63, 1.34},
                  .finishing = {0.00, 0.12, 1.00, 0.46, 2.04}},
    TerminatorRow{.rule = "threshold",
                  .summary = "stops runs that did not reach a value within so many phases",
                  .make = make_threshold,
                  .settings = rule_settings::threshold,
                  .judges_values = true},
    TerminatorRow{.rule = "patience",
                  .summary = "stops runs that no longer improve on themselves",
                  .make = make_patience,
                  .settings = rule_settings::patience,
                  .judges_values = true,
                  .least_gain = "min_delta",
                  .proposing = {0.94, 0.49, 0.17, 0.68, 1.37},
                  .finishing = {0.00, 0.57, 0.46, 0.37, 2.88}},
    TerminatorRow{.rule = "dehb",
                  .summary = "trains each trial as long as the brackets of the method dehb plan",
                  .make = make_dehb_rule,
                  .settings = rule_settings::eta_alone,
                  .check = check_dehb_brackets,
                  .closes_early = true,
                  .without_pauses = "asha_stopping"},
    TerminatorRow{.rule = "pbt",
                  .summary = "poor members of a population continue from a better one's checkpoint",
                  .make = make_pbt_rule,
                  .without_pauses = rule_none},
};

}  // namespace

std::span<const TerminatorRow> terminator_table() { return terminators; }

std::optional<TerminatorSpec> without_pauses(const TerminatorSpec& spec) {
  static constexpr std::array<std::string_view, 2> shared{"eta", "first_rung"};
  for (const TerminatorRow& row : terminators) {
    if (row.rule != spec.rule || row.without_pauses.empty()) continue;
    TerminatorSpec other{std::string(row.without_pauses), {}};
    for (const auto& [name, value] : spec.settings)
      if (std::find(shared.begin(), shared.end(), name) != shared.end())
        other.settings.emplace_back(name, value);
    return other;
  }
  return std::nullopt;
}

Result<std::unique_ptr<Terminator>> make_terminator(const TerminatorSpec& spec,
                                                    const SweepShape& shape) {
  for (const TerminatorRow& row : terminators)
    if (row.rule == spec.rule)
      return shape.replication.multi_seed() ? make_multi_seed(spec, shape, row)
                                            : row.make(spec, shape);
  return refuse(Code::invalid, "no terminator '" + spec.rule + "'", "/terminator/rule");
}

NextAction Terminator::next(const History&, bool) const { return {NextAction::Kind::propose, 0}; }

std::optional<std::size_t> Terminator::donor(const History&, std::size_t, int,
                                             const Verdict&) const {
  return std::nullopt;
}

bool Terminator::promotable(const History&, std::size_t) const { return true; }

std::optional<std::size_t> Terminator::incumbent(const History& history) const {
  std::optional<std::size_t> best;
  double best_merit = -std::numeric_limits<double>::infinity();
  for (const RunRecord& run : history.runs())
    for (const double merit : run.merits)
      if (merit > best_merit || (merit == best_merit && best && run.trial < *best))
        best = run.trial, best_merit = merit;
  return best;
}

}  // namespace hone
