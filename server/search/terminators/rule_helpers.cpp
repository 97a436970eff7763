#include "server/search/terminators/rule_helpers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/nearest.hpp"
#include "schemas/types/reach.hpp"

namespace hone {

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
                          CountBounds bounds) {
  const double value = setting(spec, name).value_or(otherwise);
  if (value == std::floor(value) && value >= bounds.low && value <= bounds.high)
    return static_cast<int>(value);
  return refuse(Code::invalid,
                std::string(name) + " is a whole number from " + std::to_string(bounds.low) +
                    " to " + std::to_string(bounds.high),
                "/terminator/" + std::string(name));
}

double input(const std::vector<VerdictInput>& inputs, std::string_view name) {
  return find_input(inputs, name).value_or(std::numeric_limits<double>::quiet_NaN());
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

std::string value_text(double value, const SweepShape& shape) {
  const bool missed = shape.until_bar && std::abs(value) >= some_not_reached_from;
  return missed ? "not reached" : number_text(value);
}

double best_so_far(const History& history, std::size_t run, Score score) {
  double best = score.merit(history.goal());
  for (const double merit : history.runs()[run].merits) best = std::max(best, merit);
  return best;
}

}  // namespace hone
