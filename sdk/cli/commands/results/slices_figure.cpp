#include "sdk/cli/commands/results/slices_figure.hpp"

#include <nlohmann/json.hpp>

#include "sdk/cli/commands/results/coordinates.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/width.hpp"

namespace hone::cli {
namespace {

constexpr std::size_t charts_max = 40;
constexpr double chart_width = 370, chart_height = 230;

study::Frame frame_at(std::size_t place) {
  study::Frame frame;
  frame.left = 60 + chart_width * static_cast<double>(place % 2);
  frame.top = 18 + chart_height * static_cast<double>(place / 2);
  frame.width = chart_width - 80, frame.height = chart_height - 64;
  return frame;
}

std::string chart(study::Frame frame, const Coordinate& parameter, const std::vector<Json>& trials,
                  const std::string& value_title) {
  frame.x_axis = {0, 1};  // shares
  std::string out = frame.axes(truncated(printable(parameter.name), 40, true), value_title);
  for (const auto& tick : parameter.ticks()) {
    const double x = frame.x(tick.share), bottom = frame.top + frame.height;
    out += study::svg_line(x, bottom, x, bottom + 4) +
           study::svg_label(x, bottom + 16, tick.text, "middle", study::faint_ink);
  }
  for (const Json& trial : trials) {
    const Json* value = value_of(trial, parameter.name);
    const auto share = value == nullptr ? std::nullopt : parameter.share(*value);
    if (share)
      out += study::svg_dot(frame.x(*share), frame.y(number_at(trial, "/value")), 3,
                            study::colour_of(0), 0.6);
  }
  return out;
}

}  // namespace

Result<std::string> slices_figure(const Json& sweep, const std::vector<Json>& trials,
                                  const std::string& value_title) {
  std::vector<Json> shown;
  std::vector<double> values;
  for (const Json& trial : trials) {
    if (!member(trial, "/value").is_number()) continue;
    shown.push_back(trial);
    values.push_back(number_at(trial, "/value"));
  }
  const std::string id = text_at(sweep, "/id");
  if (shown.empty()) return refuse(Code::conflict, id + " has no trial with a value yet");
  const std::vector<Coordinate> parameters = coordinates_of(sweep, shown, charts_max);
  if (parameters.empty()) return refuse(Code::conflict, id + " has no parameter that varies");
  std::string body;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    study::Frame frame = frame_at(i);
    frame.y_axis = study::axis_over(values);
    body += chart(frame, parameters[i], shown, value_title);
  }
  const auto rows = static_cast<double>((parameters.size() + 1) / 2);
  return study::svg_document(chart_width * (parameters.size() > 1 ? 2 : 1), chart_height * rows,
                             body);
}

}  // namespace hone::cli
