#include "sdk/cli/commands/results/coordinates.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/width.hpp"

namespace hone::cli {
namespace {

double share_of(std::size_t place, std::size_t count) {
  return count == 1 ? 0.5 : static_cast<double>(place) / static_cast<double>(count - 1);
}

std::string text_of(const Json& choice) { return choice.is_null() ? "null" : value_text(choice); }

// The different values, in the order of the trials.
std::vector<Json> different_values(const std::vector<Json>& trials, const std::string& parameter) {
  std::vector<Json> values;
  for (const Json& trial : trials)
    if (const Json* value = value_of(trial, parameter);
        value != nullptr && std::ranges::find(values, *value) == values.end())
      values.push_back(*value);
  return values;
}

Coordinate coordinate_of(const std::string& name, const Json& domain, std::vector<Json> present) {
  Coordinate made{name};
  const Json& listed = member(domain, "/values");
  if (listed.is_array()) {
    made.choices.assign(listed.begin(), listed.end());
    return made;
  }
  if (!std::ranges::all_of(present, [](const Json& value) { return value.is_number(); })) {
    made.choices = std::move(present);
    return made;
  }
  std::vector<double> numbers;
  for (const Json& value : present) numbers.push_back(value.get<double>());
  const bool positive = std::ranges::all_of(numbers, [](double number) { return number > 0; });
  made.axis = study::axis_over(numbers, positive && text_at(domain, "/scale") == "log");
  return made;
}

}  // namespace

std::optional<double> Coordinate::share(const Json& value) const {
  if (choices.empty()) {
    if (!value.is_number() || (axis.log && value.get<double>() <= 0)) return std::nullopt;
    return axis.share(value.get<double>());
  }
  const auto place = std::ranges::find(choices, value);
  if (place == choices.end()) return std::nullopt;
  return share_of(static_cast<std::size_t>(place - choices.begin()), choices.size());
}

std::vector<Coordinate::Tick> Coordinate::ticks() const {
  constexpr std::size_t labels_max = 12, columns_max = 14;
  std::vector<Tick> made;
  if (choices.empty())
    for (const double tick : axis.ticks())
      made.push_back({axis.share(tick), value_text(Json(tick))});
  else
    for (std::size_t i = 0; i < choices.size(); i += (choices.size() - 1) / labels_max + 1)
      made.push_back(
          {share_of(i, choices.size()), truncated(text_of(choices[i]), columns_max, true)});
  return made;
}

const Json* value_of(const Json& trial, const std::string& parameter) {
  const Json& params = member(trial, "/params");
  const auto found = params.find(parameter);
  return found == params.end() ? nullptr : &*found;
}

std::vector<Coordinate> coordinates_of(const Json& sweep, const std::vector<Json>& trials,
                                       std::size_t most) {
  std::vector<Coordinate> made;
  for (const auto& [name, domain] : member(sweep, "/spec/parameters").items()) {
    auto present = different_values(trials, name);
    if (made.size() < most && present.size() > 1)
      made.push_back(coordinate_of(name, domain, std::move(present)));
  }
  return made;
}

}  // namespace hone::cli
