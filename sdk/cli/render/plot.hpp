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

// Braille dots joined by lines, y axis with three labels, x axis with the ends' labels as counts.
// Empty without points. A single point, or all of one height, is drawn in the middle.
// `beside`: further lines within the same axes, drawn as single dots: the edges of a band.
std::string plot(const std::vector<PlotPoint>& points, const PlotFrame& frame,
                 const std::vector<PlotPoint>& beside = {});

}  // namespace hone::cli
