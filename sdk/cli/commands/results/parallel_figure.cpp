#include "sdk/cli/commands/results/parallel_figure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "sdk/cli/commands/results/coordinates.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/width.hpp"
#include "study/report/svg.hpp"

namespace hone::cli {
namespace {

constexpr std::size_t axes_max = 40;  // the last one is that of the value
constexpr double top = 40, height = 230, spacing = 110, left = 90;

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
std::string line_of(const std::vector<std::optional<double>>& shares, double good) {
  std::string points;
  bool open = false;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i])
      points += (open ? "L" : "M") + study::pixels(x_of(i)) + " " + study::pixels(y_of(*shares[i]));
    open = shares[i].has_value();
  }
  return "<path d=\"" + points + "\" fill=\"none\" stroke=\"" + shade(good) +
         "\" stroke-width=\"1.4\"/>";
}

std::vector<std::optional<double>> shares_of(const Json& trial,
                                             const std::vector<Coordinate>& parameters,
                                             const Coordinate& values) {
  std::vector<std::optional<double>> shares;
  for (const Coordinate& one : parameters) {
    const Json* value = value_of(trial, one.name);
    shares.push_back(value == nullptr ? std::nullopt : one.share(*value));
  }
  shares.push_back(values.share(member(trial, "/value")));
  return shares;
}

std::string axis_text(const Coordinate& coordinate, std::size_t place) {
  const double x = x_of(place);
  const std::string name = truncated(printable(coordinate.name), 17, true);
  std::string out = study::svg_line(x, top, x, top + height) +
                    study::svg_label(x, top - 16, name, "middle", study::ink);
  for (const auto& tick : coordinate.ticks())
    out += study::svg_line(x - 3, y_of(tick.share), x, y_of(tick.share)) +
           study::svg_label(x - 6, y_of(tick.share) + 4, tick.text, "end", study::faint_ink);
  return out;
}

Coordinate coordinate_of_values(const std::string& title, const std::vector<Json>& trials) {
  std::vector<double> values;
  for (const Json& trial : trials) values.push_back(number_at(trial, "/value"));
  return {title, study::axis_over(values)};
}

}  // namespace

Result<std::string> parallel_figure(const Json& sweep, const std::vector<Json>& trials,
                                    const std::string& value_title, bool is_larger_better) {
  std::vector<Json> shown;
  for (const Json& trial : trials)
    if (member(trial, "/value").is_number()) shown.push_back(trial);
  const std::string id = text_at(sweep, "/id");
  if (shown.empty()) return refuse(Code::conflict, id + " has no trial with a value yet");
  std::vector<Coordinate> axes = coordinates_of(sweep, shown, axes_max - 1);
  if (axes.empty()) return refuse(Code::conflict, id + " has no parameter that varies");
  const Coordinate values = coordinate_of_values(value_title, shown);
  std::string body;
  for (std::size_t i = shown.size(); i-- > 0;) {  // the best on top
    const auto shares = shares_of(shown[i], axes, values);
    const double share = shares.back().value_or(0);
    body += line_of(shares, is_larger_better ? share : 1 - share);
  }
  axes.push_back(values);
  body += "<g stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\">";  // texts above lines
  for (std::size_t i = 0; i < axes.size(); ++i) body += axis_text(axes[i], i);
  body += "</g>";
  return study::svg_document(x_of(axes.size() - 1) + 60, top + height + 20, body);
}

}  // namespace hone::cli
