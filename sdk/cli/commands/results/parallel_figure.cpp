#include "sdk/cli/commands/results/parallel_figure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/width.hpp"
#include "study/report/svg.hpp"

namespace hone::cli {
namespace {

constexpr std::size_t axes_max = 40;
constexpr double top = 40, height = 230, spacing = 110, left = 90;

// Numbers by their scale; of words their places in the list of choices.
struct Coordinate {
  std::string name, pointer;
  study::Axis axis{};
  std::vector<Json> choices{};  // empty: numbers

  [[nodiscard]] std::optional<double> share(const Json& trial) const {
    const Json& value = member(trial, pointer);
    if (choices.empty()) return number_share(value);
    const auto place = std::ranges::find(choices, value);
    if (place == choices.end()) return std::nullopt;
    if (choices.size() == 1) return 0.5;
    return static_cast<double>(place - choices.begin()) / static_cast<double>(choices.size() - 1);
  }

 private:
  [[nodiscard]] std::optional<double> number_share(const Json& value) const {
    if (!value.is_number() || (axis.log && value.get<double>() <= 0)) return std::nullopt;
    return axis.share(value.get<double>());
  }
};

// The values that occur, in the order of the trials: of parameters without a list of choices.
std::vector<Json> values_in(const std::vector<Json>& trials, const std::string& pointer) {
  std::vector<Json> values;
  for (const Json& trial : trials)
    if (const Json& value = member(trial, pointer);
        !value.is_null() && std::ranges::find(values, value) == values.end())
      values.push_back(value);
  return values;
}

Coordinate coordinate_of(const std::string& name, const Json& domain,
                         const std::vector<Json>& trials) {
  Coordinate made{name, "/params" + pointer_to(name)};
  const Json& values = member(domain, "/values");
  if (values.is_array()) {
    made.choices.assign(values.begin(), values.end());
    return made;
  }
  std::vector<double> numbers;
  bool others = false, positive = true;
  for (const Json& value : values_in(trials, made.pointer)) {
    others = others || !value.is_number();
    if (value.is_number()) numbers.push_back(value.get<double>());
  }
  for (const double number : numbers) positive = positive && number > 0;
  if (others || numbers.empty())
    made.choices = values_in(trials, made.pointer);
  else
    made.axis = study::axis_over(numbers, positive && text_at(domain, "/scale") == "log");
  return made;
}

// The parameters with more than one value among the trials, then the value.
std::vector<Coordinate> coordinates_of(const Json& sweep, const std::vector<Json>& trials,
                                       const std::string& value_title) {
  std::vector<Coordinate> made;
  for (const auto& [name, domain] : member(sweep, "/spec/parameters").items())
    if (made.size() + 1 < axes_max && values_in(trials, "/params" + pointer_to(name)).size() > 1)
      made.push_back(coordinate_of(name, domain, trials));
  if (made.empty()) return made;
  std::vector<double> values;
  for (const Json& trial : trials) values.push_back(number_at(trial, "/value"));
  made.push_back({value_title, "/value", study::axis_over(values)});
  return made;
}

double x_of(std::size_t axis) { return left + spacing * static_cast<double>(axis); }
double y_of(double share) { return top + height * (1 - std::clamp(share, 0.0, 1.0)); }

// From light grey, the worst, to dark blue, the best: also in print without colours.
std::string shade(double good) {
  const auto mixed = [&](int from, int to) {
    return static_cast<unsigned>(std::lround(from + (to - from) * std::clamp(good, 0.0, 1.0)));
  };
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "#%02x%02x%02x", mixed(0xd8, 0x00), mixed(0xdd, 0x50),
                mixed(0xe5, 0x90));
  return text.data();
}

// Ends at an axis on which the trial has no value: the parameter's condition was not met.
std::string line_of(const Json& trial, const std::vector<Coordinate>& coordinates, double good) {
  std::string points;
  bool open = false;
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const auto share = coordinates[i].share(trial);
    if (share)
      points += (open ? "L" : "M") + study::pixels(x_of(i)) + " " + study::pixels(y_of(*share));
    open = share.has_value();
  }
  return "<path d=\"" + points + "\" fill=\"none\" stroke=\"" + shade(good) +
         "\" stroke-width=\"1.4\"/>";
}

std::string axis_text(const Coordinate& coordinate, std::size_t place) {
  constexpr std::size_t labels_max = 12;
  const double x = x_of(place);
  const std::string name = truncated(printable(coordinate.name), 17, true);
  std::string out = study::svg_line(x, top, x, top + height) +
                    study::svg_label(x, top - 16, name, "middle", study::ink);
  const auto label = [&](double share, const std::string& text) {
    out += study::svg_line(x - 3, y_of(share), x, y_of(share)) +
           study::svg_label(x - 6, y_of(share) + 4, text, "end", study::faint_ink);
  };
  if (coordinate.choices.empty()) {
    for (const double tick : coordinate.axis.ticks())
      label(coordinate.axis.share(tick), value_text(Json(tick)));
    return out;
  }
  const std::size_t count = coordinate.choices.size();
  for (std::size_t i = 0; i < count; i += (count - 1) / labels_max + 1)
    label(count == 1 ? 0.5 : static_cast<double>(i) / static_cast<double>(count - 1),
          truncated(value_text(coordinate.choices[i]), 14, true));
  return out;
}

}  // namespace

Result<std::string> parallel_figure(const Json& sweep, const std::vector<Json>& trials,
                                    const std::string& value_title, bool is_larger_better) {
  std::vector<Json> shown;
  for (const Json& trial : trials)
    if (member(trial, "/value").is_number()) shown.push_back(trial);
  const std::string id = text_at(sweep, "/id");
  if (shown.empty()) return refuse(Code::conflict, id + " has no trial with a value yet");
  const std::vector<Coordinate> coordinates = coordinates_of(sweep, shown, value_title);
  if (coordinates.empty()) return refuse(Code::conflict, id + " has no parameter that varies");
  std::string body;
  for (std::size_t i = shown.size(); i-- > 0;) {  // the best on top
    const double share = coordinates.back().share(shown[i]).value_or(0);
    body += line_of(shown[i], coordinates, is_larger_better ? share : 1 - share);
  }
  body += "<g stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\">";  // texts above lines
  for (std::size_t i = 0; i < coordinates.size(); ++i) body += axis_text(coordinates[i], i);
  body += "</g>";
  return study::svg_document(x_of(coordinates.size() - 1) + 60, top + height + 20, body);
}

}  // namespace hone::cli
