#include "study/report/svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "base/markup.hpp"
#include "base/text.hpp"

namespace hone::study {
namespace {

constexpr std::array colours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                             "#E69F00", "#56B4E9", "#000000", "#8C6D31"};

bool all_finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

// Every so many powers that at most `most` remain; the ends where there are fewer than two.
std::vector<double> powers_of_ten(double low, double high, int most) {
  constexpr double slack = 1e-9;
  const double first = std::ceil(std::log10(low) - slack);
  const double last = std::floor(std::log10(high) + slack);
  if (last - first < 1) return {low, high};
  const double step = std::max(1.0, std::ceil((last - first + 1) / most));
  std::vector<double> out;
  for (double power = first; power <= last; power += step) out.push_back(std::pow(10.0, power));
  return out;
}

// Neighbours on an axis whose ends are close to each other need more digits than four.
std::string tick_text(double value, const Axis& axis) {
  std::string text = short_number_text(value);
  if (axis.log ||
      std::abs(std::strtod(text.c_str(), nullptr) - value) < 1e-3 * (axis.high - axis.low))
    return text;
  std::array<char, 32> more{};
  std::snprintf(more.data(), more.size(), "%.10g", value);
  return more.data();
}

}  // namespace

std::string colour_of(std::size_t i) { return colours[i % colours.size()]; }

std::string dash_of(std::size_t i) {
  return i < colours.size()
             ? ""
             : " stroke-dasharray=\"" + std::to_string(2 + 2 * (i / colours.size())) + " 3\"";
}

std::string pixels(double value) {
  const double near = std::round(value * 10) / 10;
  return plain_number_text(near == 0 ? 0 : near);  // not -0
}

std::string svg_label(double x, double y, std::string_view text, std::string_view anchor,
                      std::string_view colour) {
  return "<text x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\" text-anchor=\"" +
         std::string(anchor) + "\" fill=\"" + std::string(colour) + "\">" + for_html(text) +
         "</text>";
}

std::string svg_line(double x1, double y1, double x2, double y2, std::string_view colour,
                     double width) {
  return "<line x1=\"" + pixels(x1) + "\" y1=\"" + pixels(y1) + "\" x2=\"" + pixels(x2) +
         "\" y2=\"" + pixels(y2) + "\" stroke=\"" + std::string(colour) + "\" stroke-width=\"" +
         pixels(width) + "\"/>";
}

std::string svg_dot(double x, double y, double radius, std::string_view colour, double opacity) {
  return "<circle cx=\"" + pixels(x) + "\" cy=\"" + pixels(y) + "\" r=\"" + pixels(radius) +
         "\" fill=\"" + std::string(colour) + "\"" +
         (opacity < 1 ? " fill-opacity=\"" + pixels(opacity) + "\"" : "") + "/>";
}

std::string svg_document(double width, double height, const std::string& body) {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + pixels(width) + " " +
         pixels(height) + "\" width=\"" + pixels(width) + "\" height=\"" + pixels(height) +
         "\" font-family=\"system-ui,sans-serif\" font-size=\"12\" role=\"img\">"
         "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>" +
         body + "</svg>\n";
}

double Axis::share(double value) const {
  // The quotients themselves may overflow.
  if (log) return (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
  return (value - low) / (high - low);
}

std::vector<double> Axis::ticks(int most) const {
  if (log) return powers_of_ten(low, high, most);
  const double least = (high - low) / most;
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  double step = 10 * power;
  for (const double times : {5.0, 2.0, 1.0})
    if (times * power >= least) step = times * power;
  if (whole) step = std::max(step, 1.0);
  constexpr double slack = 1e-9;
  const double first = std::ceil(low / step - slack);
  std::vector<double> out;
  for (int i = 0; i <= most && (first + i) * step <= high + slack * step; ++i)
    out.push_back((first + i) * step);
  return out;
}

Axis axis_over(const std::vector<double>& values, bool log) {
  if (values.empty()) return {};
  constexpr double end = 8e307;  // the difference of two ends is finite
  const auto [least, most] = std::ranges::minmax(values);
  const double low = std::clamp(least, -end, end);
  const double high = std::clamp(most, -end, end);
  if (low < high) return {low, high, log};
  // One value lies in the middle.
  if (log) return {std::max(low / 2, std::numeric_limits<double>::denorm_min()), high * 2, log};
  const double half = std::max(0.5, std::abs(low) / 10);
  return {low - half, high + half, log};
}

double Frame::x(double value) const { return left + width * x_axis.share(value); }

double Frame::y(double value) const {
  return top + height * (1 - std::clamp(y_axis.share(value), 0.0, 1.0));
}

std::string Frame::path(const std::vector<double>& xs, const std::vector<double>& ys) const {
  std::string points;
  for (std::size_t i = 0; i < xs.size(); ++i)
    points += (i == 0 ? "M" : "L") + pixels(x(xs[i])) + " " + pixels(y(ys[i]));
  return points;
}

std::string Frame::axes(std::string_view x_title, std::string_view y_title) const {
  std::string out = svg_line(left, top + height, left + width, top + height) +
                    svg_line(left, top, left, top + height);
  for (const double value : y_axis.ticks())
    out += svg_line(left - 4, y(value), left, y(value)) +
           svg_label(left - 7, y(value) + 4, tick_text(value, y_axis), "end");
  return out + svg_label(left + width / 2, top + height + 34, x_title, "middle") +
         svg_label(8, top - 6, y_title, "start", faint_ink);
}

std::string Frame::x_ticks() const {
  std::string out;
  for (const double value : x_axis.ticks())
    out += svg_line(x(value), top + height, x(value), top + height + 4) +
           svg_label(x(value), top + height + 16, tick_text(value, x_axis), "middle");
  return out;
}

std::string svg_curve(const Frame& frame, const Curve& curve, std::size_t colour) {
  std::string out;
  if (!curve.low.empty() && all_finite(curve.low) && all_finite(curve.high)) {
    std::vector<double> xs = curve.xs, edge = curve.high;
    xs.insert(xs.end(), curve.xs.rbegin(), curve.xs.rend());
    edge.insert(edge.end(), curve.low.rbegin(), curve.low.rend());
    out += "<path d=\"" + frame.path(xs, edge) + "Z\" fill=\"" + colour_of(colour) +
           "\" fill-opacity=\"0.13\"/>";
  }
  return out + "<path d=\"" + frame.path(curve.xs, curve.ys) +
         "\" fill=\"none\" stroke-width=\"2\" stroke=\"" + colour_of(colour) + "\"" +
         dash_of(colour) + "/>";
}

}  // namespace hone::study
