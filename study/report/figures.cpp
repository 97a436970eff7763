#include "study/report/figures.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "study/report/svg.hpp"

namespace hone::study {
namespace {

std::string legend(const Study& study, const std::vector<std::size_t>& order, double x, double y) {
  std::string out;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double row = y + 18 * static_cast<double>(i);
    out += svg_line(x, row, x + 18, row, colour_of(order[i]), 3) +
           svg_label(x + 24, row + 4, study.methods[order[i]].name);
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
  frame.x_axis.low = std::log10(findings.spent.front()), frame.x_axis.high = 0;
  frame.y_axis.high = highest_of(findings);
  std::vector<double> xs;
  for (const double share : findings.spent) xs.push_back(std::log10(share));
  std::string body;
  for (std::size_t i = 0; i < findings.methods.size(); ++i) {
    Curve curve{study.methods[i].name, xs, {}};
    for (const Band& band : findings.methods[i].anytime) {
      curve.ys.push_back(band.value);
      curve.low.push_back(band.interval.low);
      curve.high.push_back(band.interval.high);
    }
    body += svg_curve(frame, curve, i);
  }
  for (const double share : {0.01, 0.03, 0.1, 0.3, 1.0})
    body += svg_label(frame.x(std::log10(share)), frame.top + frame.height + 16,
                      short_number_text(100 * share) + " %", "middle");
  body += frame.axes("share of the cost of a repetition", "score of the best report so far");
  return svg_document(760, 310, body + legend(study, findings.order, 590, 24));
}

std::string profiles(const Study& study, const Findings& findings) {
  const Frame frame;
  std::string body = frame.axes("score", "share of repetitions that are at least as good");
  for (std::size_t i = 0; i < findings.methods.size(); ++i)
    body += svg_curve(frame,
                      {study.methods[i].name, findings.thresholds, findings.methods[i].profile}, i);
  for (const double score : {0.0, 0.25, 0.5, 0.75, 1.0})
    body += svg_label(frame.x(score), frame.top + frame.height + 16, short_number_text(score),
                      "middle");
  return svg_document(760, 310, body + legend(study, findings.order, 590, 24));
}

// Demsar's diagram: methods on an axis of mean ranks, bars over those that cannot be told apart.
std::string critical(const Study& study, const Findings& findings) {
  std::vector<std::size_t> order(findings.methods.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return findings.methods[a].mean_rank < findings.methods[b].mean_rank;
  });
  Frame frame;
  frame.left = 150, frame.width = 420, frame.x_axis.low = 1;
  frame.x_axis.high = static_cast<double>(order.size());
  std::vector<double> ranks;
  for (const std::size_t method : order) ranks.push_back(findings.methods[method].mean_rank);
  const auto groups = groups_within(ranks, findings.critical_difference);
  const double axis = 40, first_name = axis + 18 + 10 * static_cast<double>(groups.size());
  std::string body = svg_line(frame.x(1), axis, frame.x(frame.x_axis.high), axis);
  for (std::size_t rank = 1; rank <= order.size(); ++rank) {
    const double x = frame.x(static_cast<double>(rank));
    body += svg_line(x, axis - 5, x, axis) + svg_label(x, axis - 9, std::to_string(rank), "middle");
  }
  for (std::size_t i = 0; i < groups.size(); ++i)
    body += svg_line(frame.x(ranks[groups[i].first]) - 3, axis + 9 + 10 * static_cast<double>(i),
                     frame.x(ranks[groups[i].last]) + 3, axis + 9 + 10 * static_cast<double>(i),
                     "#1d2430", 4);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_left = i < (order.size() + 1) / 2;
    const double row = first_name + 18 * static_cast<double>(is_left ? i : order.size() - 1 - i);
    const double x = frame.x(ranks[i]),
                 end = is_left ? frame.left - 12 : frame.left + frame.width + 12;
    body += svg_line(x, axis, x, row) + svg_line(x, row, end, row) +
            svg_label(is_left ? end - 4 : end + 4, row + 4, study.methods[order[i]].name,
                      is_left ? "end" : "start");
  }
  const double height = first_name + 18 * (static_cast<double>(order.size()) / 2 + 1);
  return svg_document(760, height, body);
}

std::string values(const Study& study, const Findings& findings, std::size_t problem) {
  Frame frame;
  frame.left = 130, frame.width = 440,
  frame.height = 22 * static_cast<double>(study.methods.size());
  frame.x_axis.low = study.problems[problem].worst,
  frame.x_axis.high = study.problems[problem].best;
  std::string body;
  std::size_t row = 0;
  for (const CellFindings& cell : findings.cells) {
    if (cell.problem != problem) continue;
    const double y = frame.top + 22 * (static_cast<double>(row++) + 0.5);
    const std::string colour = colour_of(cell.method);
    const auto x = [&](double value) {
      return std::clamp(frame.x(value), frame.left - 20, frame.left + frame.width + 40);
    };
    for (const double value : cell.fresh) body += svg_dot(x(value), y, 3, colour, 0.3);
    if (std::isfinite(cell.interval.low))
      body += svg_line(x(cell.interval.low), y, x(cell.interval.high), y, colour, 3);
    body += svg_dot(x(cell.value), y, 5, colour) +
            svg_label(frame.left - 28, y + 4, study.methods[cell.method].name, "end");
  }
  const double bottom = frame.top + frame.height + 6;
  body += svg_line(frame.left, bottom, frame.left + frame.width, bottom);
  for (const double share : {0.0, 0.5, 1.0}) {
    const double value = frame.x_axis.low + share * (frame.x_axis.high - frame.x_axis.low);
    body += svg_label(frame.x(value), bottom + 16, short_number_text(value), "middle");
  }
  return svg_document(760, bottom + 26, body);
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
