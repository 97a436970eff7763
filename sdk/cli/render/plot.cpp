#include "sdk/cli/render/plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/render/width.hpp"

namespace hone::cli {
namespace {

struct Range {
  double low = 0;
  double high = 0;
  // From 0 to 1.
  [[nodiscard]] double share(double value) const {
    if (!(high > low)) return 0.5;
    // The distance of the ends of all numbers is no number.
    if (!std::isfinite(high - low)) return (value / 2 - low / 2) / (high / 2 - low / 2);
    return (value - low) / (high - low);
  }
};

struct Dot {
  int x = 0;
  int y = 0;  // 0 is the top
};

// A grid of dots, several to a character: 2 x 4 in braille, 1 x 1 in ASCII.
class Canvas {
 public:
  Canvas(int columns, int rows, bool unicode)
      : columns_(columns),
        rows_(rows),
        unicode_(unicode),
        marks_(static_cast<std::size_t>(columns * rows), 0) {}

  [[nodiscard]] int dots_across() const { return columns_ * (unicode_ ? 2 : 1); }
  [[nodiscard]] int dots_down() const { return rows_ * (unicode_ ? 4 : 1); }

  void mark(Dot dot) {
    const int column = unicode_ ? dot.x / 2 : dot.x;
    const int row = unicode_ ? dot.y / 4 : dot.y;
    unsigned& marks = marks_[static_cast<std::size_t>(row * columns_ + column)];
    marks = unicode_ ? marks | bit(dot) : static_cast<unsigned char>(letter_);
  }

  // Sets the letter of the marks that follow on a screen without braille.
  void use_letter(char letter) { letter_ = letter; }

  void join(Dot from, Dot to) {
    const int steps = std::max({std::abs(to.x - from.x), std::abs(to.y - from.y), 1});
    for (int i = 0; i <= steps; ++i) {
      const double t = static_cast<double>(i) / steps;
      mark({static_cast<int>(std::lround(from.x + t * (to.x - from.x))),
            static_cast<int>(std::lround(from.y + t * (to.y - from.y)))});
    }
  }

  [[nodiscard]] std::string line(int row) const {
    std::string text;
    for (int column = 0; column < columns_; ++column)
      text += glyph(marks_[static_cast<std::size_t>(row * columns_ + column)]);
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

 private:
  // The bit of a dot of the 2 x 4 cell in U+2800 + bits.
  static unsigned bit(Dot dot) {
    static constexpr unsigned left[4] = {0x01, 0x02, 0x04, 0x40};
    static constexpr unsigned right[4] = {0x08, 0x10, 0x20, 0x80};
    return dot.x % 2 == 0 ? left[dot.y % 4] : right[dot.y % 4];
  }

  [[nodiscard]] std::string glyph(unsigned marks) const {
    if (marks == 0) return " ";
    if (!unicode_) return {static_cast<char>(marks)};
    const unsigned code = 0x2800U + marks;
    return {static_cast<char>(0xE0U | (code >> 12U)),
            static_cast<char>(0x80U | ((code >> 6U) & 0x3FU)),
            static_cast<char>(0x80U | (code & 0x3FU))};
  }

  int columns_;
  int rows_;
  bool unicode_;
  char letter_ = '*';
  std::vector<unsigned> marks_;
};

template <class Get>
Range range_of(const std::vector<PlotPoint>& points, Get get) {
  Range range{get(points.front()), get(points.front())};
  for (const auto& point : points) {
    range.low = std::min(range.low, get(point));
    range.high = std::max(range.high, get(point));
  }
  return range;
}

void draw(Canvas& canvas, const std::vector<PlotPoint>& points, Range xs, Range ys) {
  const auto place = [&](const PlotPoint& p) {
    return Dot{static_cast<int>(std::lround(xs.share(p.x) * (canvas.dots_across() - 1))),
               static_cast<int>(std::lround((1 - ys.share(p.y)) * (canvas.dots_down() - 1)))};
  };
  canvas.mark(place(points.front()));
  for (std::size_t i = 1; i < points.size(); ++i)
    canvas.join(place(points[i - 1]), place(points[i]));
}

std::string y_label(int row, int rows, Range ys) {
  if (ys.high <= ys.low) return row == rows / 2 ? number_text(ys.low) : "";
  if (row == 0) return number_text(ys.high);
  if (row == rows - 1) return number_text(ys.low);
  return row == rows / 2 ? number_text(ys.high / 2 + ys.low / 2) : "";
}

std::string x_axis(Range xs, int margin, int columns, bool unicode) {
  const std::string blank(static_cast<std::size_t>(margin), ' ');
  std::string rule = blank + (unicode ? " └" : " +");
  for (int i = 0; i < columns; ++i) rule += unicode ? "─" : "-";
  const std::string low = count_text(static_cast<std::int64_t>(xs.low));
  const std::string high = count_text(static_cast<std::int64_t>(xs.high));
  std::string labels = blank + "  " + low;
  if (xs.high > xs.low) labels += padded_left(high, columns - display_width(low));
  return rule + "\n" + labels + "\n";
}

// The ranges of both axes, and the room for the labels.
struct Axes {
  Axes(const std::vector<PlotPoint>& points, const PlotFrame& frame)
      : xs(range_of(points, [](const PlotPoint& p) { return p.x; })),
        ys(range_of(points, [](const PlotPoint& p) { return p.y; })) {
    for (int row = 0; row < frame.rows; ++row)
      margin = std::max(margin, display_width(y_label(row, frame.rows, ys)));
    columns = std::max(10, frame.columns - margin - 2);
  }
  Range xs;
  Range ys;
  int margin = 0;
  int columns = 0;
};

std::string framed(const Canvas& canvas, const Axes& axes, const PlotFrame& frame) {
  std::string out;
  for (int row = 0; row < frame.rows; ++row) {
    const std::string label = y_label(row, frame.rows, axes.ys);
    const char* axis = frame.unicode ? (label.empty() ? " │" : " ┤") : " |";
    out += padded_left(label, axes.margin) + axis + canvas.line(row) + "\n";
  }
  return out + x_axis(axes.xs, axes.margin, axes.columns, frame.unicode);
}

}  // namespace

std::string plot(const std::vector<PlotPoint>& points, const PlotFrame& frame,
                 const std::vector<PlotPoint>& band) {
  if (points.empty()) return {};
  std::vector<PlotPoint> all = points;
  all.insert(all.end(), band.begin(), band.end());
  const Axes axes(all, frame);
  Canvas canvas(axes.columns, frame.rows, frame.unicode);
  draw(canvas, points, axes.xs, axes.ys);
  for (const PlotPoint& dot : band) draw(canvas, {dot}, axes.xs, axes.ys);
  return framed(canvas, axes, frame);
}

std::string plot_series(const std::vector<PlotSeries>& series, const PlotFrame& frame) {
  std::vector<PlotPoint> all;
  for (const auto& one : series) all.insert(all.end(), one.points.begin(), one.points.end());
  if (all.empty()) return {};
  const Axes axes(all, frame);
  Canvas canvas(axes.columns, frame.rows, false);
  std::string names;
  char letter = 'a';
  for (const auto& one : series) {
    names += (names.empty() ? "" : " ") + std::string(1, letter) + "=" + one.name;
    canvas.use_letter(letter++);
    if (!one.points.empty()) draw(canvas, one.points, axes.xs, axes.ys);
  }
  const std::string indent(static_cast<std::size_t>(axes.margin) + 2, ' ');
  return framed(canvas, axes, frame) + wrapped(names, frame.columns, indent) + "\n";
}

}  // namespace hone::cli
