// What several rules share: settings from a sweep file, recorded inputs of verdicts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "schemas/types/search_spec.hpp"
#include "server/search/terminators/terminator.hpp"

namespace hone {

// Returns the setting of that name, or nullopt if the sweep file does not set it.
std::optional<double> setting(const TerminatorSpec& spec, std::string_view name);
// Refuses a setting that is not among `known`.
Status only_settings(const TerminatorSpec& spec, std::span<const std::string_view> known);
// Returns the setting of that name, or `otherwise` if the sweep file does not set it. Refuses
// anything but a whole number from `low` to `high`.
struct CountBounds {
  int low = 0;
  int high = 1'000'000;
};
Result<int> count_setting(const TerminatorSpec& spec, std::string_view name, int otherwise,
                          CountBounds bounds);

// Returns the recorded input of that name. A verdict of an imported document may lack it: then
// `input` is NaN, which no comparison holds for.
double input(const std::vector<VerdictInput>& inputs, std::string_view name);
std::optional<double> find_input(const std::vector<VerdictInput>& inputs, std::string_view name);

// Returns the user's value of a merit, and whether one such value is worse than another. Verdicts
// record values in the user's direction, and `maximize` as 0 or 1.
double value_of(double merit, Goal goal);
bool worse(double value, double than, bool maximize);
// A user's value for people: of a time, "not reached" where there is none yet.
std::string value_text(double value, const SweepShape& shape);

// Returns the best merit of the run's reports so far, `score` included.
double best_so_far(const History& history, std::size_t run, Score score);

}  // namespace hone
