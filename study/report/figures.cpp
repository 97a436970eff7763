#include "study/report/figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.hpp"

namespace hone::study {
namespace {

// Okabe and Ito's colours, which people with colour blindness can tell; dashes tell further ones.
constexpr std::array colours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                             "#E69F00", "#56B4E9", "#000000", "#8C6D31"};

std::string colour_of(std::size_t i) { return colours[i % colours.size()]; }

std::string dash_of(std::size_t i) {
  return i < colours.size()
             ? ""
             : " stroke-dasharray=\"" + std::to_string(2 + 2 * (i / colours.size())) + " 3\"";
}

std::string at(double value) { return plain_number_text(std::round(value * 10) / 10); }

std::string label(double x, double y, const std::string& text, const char* anchor = "start",
                  const std::string& colour = "#1d2430") {
  return "<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" text-anchor=\"" + anchor + "\" fill=\"" +
         colour + "\">" + text + "</text>";
}

std::string line(double x1, double y1, double x2, double y2, const std::string& colour = "#5a6472",
                 double width = 1) {
  return "<line x1=\"" + at(x1) + "\" y1=\"" + at(y1) + "\" x2=\"" + at(x2) + "\" y2=\"" + at(y2) +
         "\" stroke=\"" + colour + "\" stroke-width=\"" + at(width) + "\"/>";
}

std::string svg(double width, double height, const std::string& body) {
  return "<svg viewBox=\"0 0 " + at(width) + " " + at(height) + "\" width=\"" + at(width) +
         "\" font-family=\"system-ui,sans-serif\" font-size=\"12\" role=\"img\">" + body + "</svg>";
}

// A frame with axes of given ends; y grows upwards.
struct Frame {
  double left = 52, top = 12, width = 520, height = 250;
  double x_low = 0, x_high = 1, y_low = 0, y_high = 1;

  [[nodiscard]] double x(double value) const {
    return left + width * (value - x_low) / (x_high - x_low);
  }
  [[nodiscard]] double y(double value) const {
    return top + height * (1 - (std::clamp(value, y_low, y_high) - y_low) / (y_high - y_low));
  }
  [[nodiscard]] std::string path(const std::vector<double>& xs,
                                 const std::vector<double>& ys) const {
    std::string points;
    for (std::size_t i = 0; i < xs.size(); ++i)
      points += (i == 0 ? "M" : "L") + at(x(xs[i])) + " " + at(y(ys[i]));
    return points;
  }
  [[nodiscard]] std::string axes(const std::string& x_title, const std::string& y_title) const {
    std::string out =
        line(left, top + height, left + width, top + height) + line(left, top, left, top + height);
    constexpr int ticks = 4;
    for (int i = 0; i <= ticks; ++i) {
      const double value = y_low + (y_high - y_low) * i / ticks;
      out +=
          line(left - 4, y(value), left, y(value)) +
          label(left - 7, y(value) + 4, short_number_text(std::round(value * 1000) / 1000), "end");
    }
    return out + label(left + width / 2, top + height + 34, x_title, "middle") +
           label(left, top - 2, y_title, "start", "#5a6472");
  }
};

std::string legend(const Study& study, const std::vector<std::size_t>& order, double x, double y) {
  std::string out;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double row = y + 18 * static_cast<double>(i);
    out += line(x, row, x + 18, row, colour_of(order[i]), 3) +
           label(x + 24, row + 4, study.methods[order[i]].name);
  }
  return out;
}

double highest_of(const Findings& findings) {
  double highest = 1;
  for (const MethodFindings& method : findings.methods)
    for (const Band& band : method.anytime) highest = std::max(highest, band.value);
  return highest;
}

std::string anytime(const Study& study, const Findings& findings) {
  Frame frame;
  frame.x_low = std::log10(findings.spent.front()), frame.x_high = 0;
  frame.y_high = highest_of(findings);
  std::vector<double> xs;
  for (const double share : findings.spent) xs.push_back(std::log10(share));
  std::string body;
  for (std::size_t i = 0; i < findings.methods.size(); ++i) {
    std::vector<double> middle, edge_x = xs, edge;
    for (const Band& band : findings.methods[i].anytime) middle.push_back(band.value);
    for (const Band& band : findings.methods[i].anytime) edge.push_back(band.interval.high);
    for (std::size_t k = xs.size(); k-- > 0;) {
      edge_x.push_back(xs[k]);
      edge.push_back(findings.methods[i].anytime[k].interval.low);
    }
    if (std::all_of(edge.begin(), edge.end(), [](double v) { return std::isfinite(v); }))
      body += "<path d=\"" + frame.path(edge_x, edge) + "Z\" fill=\"" + colour_of(i) +
              "\" fill-opacity=\"0.13\"/>";
    body += "<path d=\"" + frame.path(xs, middle) +
            "\" fill=\"none\" stroke-width=\"2\" stroke=\"" + colour_of(i) + "\"" + dash_of(i) +
            "/>";
  }
  for (const double share : {0.01, 0.03, 0.1, 0.3, 1.0})
    body += label(frame.x(std::log10(share)), frame.top + frame.height + 16,
                  short_number_text(100 * share) + " %", "middle");
  body += frame.axes("share of the cost of a repetition", "score of the best report so far");
  return svg(760, 310, body + legend(study, findings.order, 590, 24));
}

std::string profiles(const Study& study, const Findings& findings) {
  const Frame frame;
  std::string body = frame.axes("score", "share of repetitions that are at least as good");
  for (std::size_t i = 0; i < findings.methods.size(); ++i)
    body += "<path d=\"" + frame.path(findings.thresholds, findings.methods[i].profile) +
            "\" fill=\"none\" stroke-width=\"2\" stroke=\"" + colour_of(i) + "\"" + dash_of(i) +
            "/>";
  for (const double score : {0.0, 0.25, 0.5, 0.75, 1.0})
    body +=
        label(frame.x(score), frame.top + frame.height + 16, short_number_text(score), "middle");
  return svg(760, 310, body + legend(study, findings.order, 590, 24));
}

// Demsar's diagram: methods on an axis of mean ranks, bars over those that cannot be told apart.
std::string critical(const Study& study, const Findings& findings) {
  std::vector<std::size_t> order(findings.methods.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return findings.methods[a].mean_rank < findings.methods[b].mean_rank;
  });
  Frame frame;
  frame.left = 150, frame.width = 420, frame.x_low = 1;
  frame.x_high = static_cast<double>(order.size());
  std::vector<double> ranks;
  for (const std::size_t method : order) ranks.push_back(findings.methods[method].mean_rank);
  const auto groups = groups_within(ranks, findings.critical_difference);
  const double axis = 40, first_name = axis + 18 + 10 * static_cast<double>(groups.size());
  std::string body = line(frame.x(1), axis, frame.x(frame.x_high), axis);
  for (std::size_t rank = 1; rank <= order.size(); ++rank) {
    const double x = frame.x(static_cast<double>(rank));
    body += line(x, axis - 5, x, axis) + label(x, axis - 9, std::to_string(rank), "middle");
  }
  for (std::size_t i = 0; i < groups.size(); ++i)
    body += line(frame.x(ranks[groups[i].first]) - 3, axis + 9 + 10 * static_cast<double>(i),
                 frame.x(ranks[groups[i].last]) + 3, axis + 9 + 10 * static_cast<double>(i),
                 "#1d2430", 4);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_left = i < (order.size() + 1) / 2;
    const double row = first_name + 18 * static_cast<double>(is_left ? i : order.size() - 1 - i);
    const double x = frame.x(ranks[i]),
                 end = is_left ? frame.left - 12 : frame.left + frame.width + 12;
    body += line(x, axis, x, row) + line(x, row, end, row) +
            label(is_left ? end - 4 : end + 4, row + 4, study.methods[order[i]].name,
                  is_left ? "end" : "start");
  }
  const double height = first_name + 18 * (static_cast<double>(order.size()) / 2 + 1);
  return svg(760, height, body);
}

std::string values(const Study& study, const Findings& findings, std::size_t problem) {
  Frame frame;
  frame.left = 130, frame.width = 440,
  frame.height = 22 * static_cast<double>(study.methods.size());
  frame.x_low = study.problems[problem].worst, frame.x_high = study.problems[problem].best;
  std::string body;
  std::size_t row = 0;
  for (const CellFindings& cell : findings.cells) {
    if (cell.problem != problem) continue;
    const double y = frame.top + 22 * (static_cast<double>(row++) + 0.5);
    const std::string colour = colour_of(cell.method);
    const auto x = [&](double value) {
      return std::clamp(frame.x(value), frame.left - 20, frame.left + frame.width + 40);
    };
    for (const double value : cell.fresh)
      body += "<circle cx=\"" + at(x(value)) + "\" cy=\"" + at(y) + "\" r=\"3\" fill=\"" + colour +
              "\" fill-opacity=\"0.3\"/>";
    if (std::isfinite(cell.interval.low))
      body += line(x(cell.interval.low), y, x(cell.interval.high), y, colour, 3);
    body += "<circle cx=\"" + at(x(cell.value)) + "\" cy=\"" + at(y) + "\" r=\"5\" fill=\"" +
            colour + "\"/>" + label(frame.left - 28, y + 4, study.methods[cell.method].name, "end");
  }
  const double bottom = frame.top + frame.height + 6;
  body += line(frame.left, bottom, frame.left + frame.width, bottom);
  for (const double share : {0.0, 0.5, 1.0}) {
    const double value = frame.x_low + share * (frame.x_high - frame.x_low);
    body += label(frame.x(value), bottom + 16, short_number_text(value), "middle");
  }
  return svg(760, bottom + 26, body);
}

}  // namespace

std::vector<PageFigure> figures_of(const Study& study, const Findings& findings) {
  std::vector<PageFigure> figures{
      {"The best report so far, by cost: interquartile means with 95 % bands",
       anytime(study, findings)},
      {"Performance profiles of the named sets on new seeds", profiles(study, findings)}};
  if (study.methods.size() > 1)
    figures.push_back({"Mean ranks: methods under one bar cannot be told apart (Nemenyi, 5 %)",
                       critical(study, findings)});
  for (std::size_t problem = 0; problem < study.problems.size(); ++problem)
    figures.push_back({"Values on " + study.problems[problem].name +
                           ": each repetition, the interquartile mean and its interval",
                       values(study, findings, problem)});
  return figures;
}

}  // namespace hone::study
