#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "base/expect.hpp"
#include "base/nearest.hpp"
#include "server/search/terminators/rows.hpp"

namespace hone {
namespace {

constexpr std::array table{
    TerminatorRow{"hone", "our own: promotes the most promising runs a phase at a time",
                  make_hone_rule},
    TerminatorRow{"none", "every run trains to the end of its budget", make_none},
    TerminatorRow{"hypertrick", "evicts the poorest of each phase without waiting for the others",
                  make_hypertrick},
    TerminatorRow{"asha", "pauses runs at rungs and promotes the best of each, without waiting",
                  make_asha},
    TerminatorRow{"asha_stopping", "stops runs that are not among the best of their rung so far",
                  make_asha_stopping},
    TerminatorRow{"sha", "brackets of trials: a whole rung reports before its best go on",
                  make_sha},
    TerminatorRow{"hyperband", "asha in brackets that start with short, longer and full runs",
                  make_hyperband},
    TerminatorRow{"median", "stops runs whose best is below the median of the others' means",
                  make_median},
    TerminatorRow{"percentile", "stops runs whose best is below a percentile of the phase",
                  make_percentile},
    TerminatorRow{"threshold", "stops runs that did not reach a value within so many phases",
                  make_threshold},
    TerminatorRow{"patience", "stops runs that no longer improve on themselves", make_patience},
};

}  // namespace

std::span<const TerminatorRow> terminator_table() { return table; }

Plan plan_of(const SweepSpec& spec) {
  return {spec.search.trials, first_runs(spec), spec.budget.phases,
          spec.limits.duration.has_value(), replication_of(spec)};
}

Result<std::unique_ptr<Terminator>> make_terminator(const TerminatorSpec& spec, const Plan& plan) {
  for (const TerminatorRow& row : table)
    if (row.rule == spec.rule)
      return plan.replication.joint() ? make_joint(spec, plan, row) : row.make(spec, plan);
  return refuse(Code::invalid, "no terminator '" + spec.rule + "'", "/terminator/rule");
}

Move Terminator::next(const History&, bool) const { return {Move::Kind::propose, 0}; }

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

std::optional<double> setting(const TerminatorSpec& spec, std::string_view name) {
  for (const auto& [key, value] : spec.settings)
    if (key == name) return value;
  return std::nullopt;
}

Status only_settings(const TerminatorSpec& spec, std::span<const std::string_view> known) {
  for (const auto& [key, value] : spec.settings) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    std::string detail =
        "terminator '" + spec.rule + "' has no setting '" + key + "'" + did_you_mean(key, known);
    for (const auto& one : known)
      detail += (&one == &known.front() ? "; it has " : ", ") + std::string(one);
    return refuse(Code::invalid, detail, "/terminator/" + key);
  }
  return Done{};
}

Result<int> count_setting(const TerminatorSpec& spec, std::string_view name, int otherwise,
                          Counts bounds) {
  const double value = setting(spec, name).value_or(otherwise);
  if (value == std::floor(value) && value >= bounds.low && value <= bounds.high)
    return static_cast<int>(value);
  return refuse(Code::invalid,
                std::string(name) + " is a whole number from " + std::to_string(bounds.low) +
                    " to " + std::to_string(bounds.high),
                "/terminator/" + std::string(name));
}

double input(const std::vector<VerdictInput>& inputs, std::string_view name) {
  const auto found = find_input(inputs, name);
  expect(found.has_value(), "a verdict holds the inputs of its own rule");
  return *found;
}

std::optional<double> find_input(const std::vector<VerdictInput>& inputs, std::string_view name) {
  for (const VerdictInput& one : inputs)
    if (one.name == name) return one.value;
  return std::nullopt;
}

double value_of(double merit, Goal goal) { return goal == Goal::maximize ? merit : -merit; }

bool worse(double value, double than, bool maximize) {
  return maximize ? value < than : value > than;
}

double best_so_far(const History& history, std::size_t run, Score score) {
  double best = score.merit(history.goal());
  for (const double merit : history.runs()[run].merits) best = std::max(best, merit);
  return best;
}

}  // namespace hone
