// A line chart in characters.
#pragma once

#include <string>
#include <vector>

namespace hone::cli {

struct PlotPoint {
  double x = 0;
  double y = 0;
};

struct PlotFrame {
  int columns = 80;  // of the whole chart, axis included
  int rows = 12;     // of the drawing area
  bool unicode = true;
};

// Draws braille dots joined by lines; three labels on the y axis, counts at the ends of the x axis.
// Empty without points. A single point, or points of one height, are drawn in the middle. `band`
// adds single dots within the same axes: the edges of a band.
std::string plot(const std::vector<PlotPoint>& points, const PlotFrame& frame,
                 const std::vector<PlotPoint>& band = {});

// The same for several lines within the same axes. Each is drawn with its letter, a for the first;
// the names of the letters follow the chart. Lines without points are named only.
struct PlotSeries {
  std::string name;
  std::vector<PlotPoint> points;
};
inline constexpr std::size_t plot_series_max = 26;
std::string plot_series(const std::vector<PlotSeries>& series, const PlotFrame& frame);

}  // namespace hone::cli
