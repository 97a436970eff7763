// The makers that terminators/table.cpp lists, and what several rules need.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "server/search/terminators/terminator.hpp"

namespace hone {

Result<std::unique_ptr<Terminator>> make_none(const TerminatorSpec& spec, const Plan& plan);
Result<std::unique_ptr<Terminator>> make_hypertrick(const TerminatorSpec& spec, const Plan& plan);
Result<std::unique_ptr<Terminator>> make_asha(const TerminatorSpec& spec, const Plan& plan);
Result<std::unique_ptr<Terminator>> make_asha_stopping(const TerminatorSpec& spec,
                                                       const Plan& plan);
Result<std::unique_ptr<Terminator>> make_sha(const TerminatorSpec& spec, const Plan& plan);
Result<std::unique_ptr<Terminator>> make_hyperband(const TerminatorSpec& spec, const Plan& plan);
Result<std::unique_ptr<Terminator>> make_median(const TerminatorSpec& spec, const Plan& plan);
Result<std::unique_ptr<Terminator>> make_percentile(const TerminatorSpec& spec, const Plan& plan);
Result<std::unique_ptr<Terminator>> make_threshold(const TerminatorSpec& spec, const Plan& plan);
Result<std::unique_ptr<Terminator>> make_patience(const TerminatorSpec& spec, const Plan& plan);
// The rule of `row`, judging trials of several runs: terminators/joint.hpp.
Result<std::unique_ptr<Terminator>> make_joint(const TerminatorSpec& spec, const Plan& plan,
                                               const TerminatorRow& row);
Result<std::unique_ptr<Terminator>> make_hone_rule(const TerminatorSpec& spec, const Plan& plan);

// nullopt where the sweep file does not set it.
std::optional<double> setting(const TerminatorSpec& spec, std::string_view name);
// Refuses a setting that is not among `known`.
Status only_settings(const TerminatorSpec& spec, std::span<const std::string_view> known);
// The setting of that name, or what it is when the sweep file leaves it out. Refuses what is not a
// whole number from `low` to `high`.
struct Counts {
  int low = 0;
  int high = 1'000'000;
};
Result<int> count_setting(const TerminatorSpec& spec, std::string_view name, int otherwise,
                          Counts bounds);

// The recorded input of that name. Precondition of `input`: the rule records it.
double input(const std::vector<VerdictInput>& inputs, std::string_view name);
std::optional<double> find_input(const std::vector<VerdictInput>& inputs, std::string_view name);

// The user's own number of a merit, and whether one such number is worse than another. Verdicts
// record values in the user's direction, and `maximize` as 0 or 1.
double value_of(double merit, Goal goal);
bool worse(double value, double than, bool maximize);

// The best merit of the run's reports so far, `score` included.
double best_so_far(const History& history, std::size_t run, Score score);

}  // namespace hone
