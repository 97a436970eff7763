// Draws in SVG text, for the figures of studies and of sweeps: no scripts, no references to files.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hone::study {

inline constexpr std::string_view ink = "#1d2430", faint_ink = "#5a6472";

// Okabe and Ito's colours, which people with colour blindness can tell; dashes tell further ones.
std::string colour_of(std::size_t i);
std::string dash_of(std::size_t i);

// A coordinate, to a tenth.
std::string pixels(double value);

// Escapes the text.
std::string svg_label(double x, double y, std::string_view text, std::string_view anchor = "start",
                      std::string_view colour = ink);
std::string svg_line(double x1, double y1, double x2, double y2,
                     std::string_view colour = faint_ink, double width = 1);
std::string svg_dot(double x, double y, double radius, std::string_view colour, double opacity = 1);
// `body` on white.
std::string svg_document(double width, double height, const std::string& body);

// The numbers along one edge. Precondition: low < high; of a logarithmic one, 0 < low.
struct Axis {
  double low = 0, high = 1;
  bool log = false;
  bool whole = false;  // counts, as of trials: no tick lies between two of them

  // 0 at low, 1 at high.
  [[nodiscard]] double share(double value) const;
  // Round numbers within the ends, at most `most` + 1: spaced by 1, 2 or 5 times a power of ten; of
  // a logarithmic axis powers of ten, or the ends where it has fewer than two.
  [[nodiscard]] std::vector<double> ticks(int most = 5) const;
};

// Covers the values, which are finite and, of a logarithmic axis, above 0.
Axis axis_over(const std::vector<double>& values, bool log = false);

// A rectangle with axes; y grows upwards.
struct Frame {
  double left = 52, top = 18, width = 520, height = 250;
  Axis x_axis{}, y_axis{};

  [[nodiscard]] double x(double value) const;
  [[nodiscard]] double y(double value) const;  // within the frame
  // The points in their order, as data of a path.
  [[nodiscard]] std::string path(const std::vector<double>& xs,
                                 const std::vector<double>& ys) const;
  [[nodiscard]] std::string axes(std::string_view x_title, std::string_view y_title) const;
  [[nodiscard]] std::string x_ticks() const;
};

// A line through the points (xs, ys), with its band where low and high are given and finite.
struct Curve {
  std::string name;
  std::vector<double> xs, ys, low{}, high{};
};
std::string svg_curve(const Frame& frame, const Curve& curve, std::size_t colour);

}  // namespace hone::study
