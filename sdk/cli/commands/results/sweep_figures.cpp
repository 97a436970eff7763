#include "sdk/cli/commands/results/sweep_figures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "sdk/cli/commands/look/objective_text.hpp"
#include "sdk/cli/commands/results/parallel_figure.hpp"
#include "sdk/cli/commands/results/slices_figure.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/width.hpp"
#include "sdk/cli/session/resolve.hpp"
#include "study/report/svg.hpp"

namespace hone::cli {
namespace {

using study::axis_over;
using study::colour_of;
using study::Curve;
using study::Frame;

constexpr std::string_view grey = "#a8b0ba";

std::string path_of(const Json& sweep) { return "/v1/sweeps/" + text_at(sweep, "/id"); }

Error nothing(const Json& sweep, const std::string& why) {
  return refuse(Code::conflict, text_at(sweep, "/id") + " " + why);
}

// The objective whose value a trial has.
const Json& objective_of(const Json& sweep) {
  const Json& several = member(sweep, "/spec/objectives/0");
  return several.is_object() ? several : member(sweep, "/spec/objective");
}

bool is_larger_better(const Json& sweep) {
  const Json& objective = objective_of(sweep);
  return member(objective, "/reach").is_null() && text_at(objective, "/goal") != "minimize";
}

std::string value_title(const Json& sweep) {
  const Json& objective = objective_of(sweep);
  return printable(member(objective, "/reach").is_null() ? text_at(objective, "/metric")
                                                         : objectives_text(member(sweep, "/spec")));
}

// A line of the legend at the right of a frame.
std::string legend_line(std::size_t row, const std::string& name, std::string_view colour) {
  const double y = 30 + 18 * static_cast<double>(row);
  return study::svg_line(590, y, 608, y, colour, 3) + study::svg_label(614, y + 4, name);
}

std::string legend_dot(std::size_t row, const std::string& name, std::string_view colour) {
  const double y = 30 + 18 * static_cast<double>(row);
  return study::svg_dot(599, y, 4, colour) + study::svg_label(614, y + 4, name);
}

constexpr double figure_width = 760, figure_height = 316;

// The value of each trial in the order of proposal, and the best so far.
Result<std::string> draw_history(Session& session, const Json& sweep) {
  const auto trials = session.list(path_of(sweep) + "/trials?limit=1000&sort=number");
  if (!trials) return trials.error();
  Curve best{"best so far", {}, {}};
  std::vector<double> numbers, values;
  for (const Json& trial : *trials) {
    const Json& value = member(trial, "/value");
    if (!value.is_number()) continue;
    numbers.push_back(static_cast<double>(int_at(trial, "/number") + 1));
    values.push_back(value.get<double>());
    const bool first = best.ys.empty();
    const double so_far = first ? values.back() : best.ys.back();
    if (!first) {  // a step: the best holds until the next trial
      best.xs.push_back(numbers.back());
      best.ys.push_back(so_far);
    }
    best.xs.push_back(numbers.back());
    best.ys.push_back(is_larger_better(sweep) ? std::max(so_far, values.back())
                                              : std::min(so_far, values.back()));
  }
  if (values.empty()) return nothing(sweep, "has no trial with a value yet");
  Frame frame;
  frame.x_axis = axis_over(numbers), frame.y_axis = axis_over(values);
  frame.x_axis.whole = true;
  std::string body = frame.axes("trial, in the order of proposal", value_title(sweep)) +
                     frame.x_ticks() + svg_curve(frame, best, 1);
  for (std::size_t i = 0; i < values.size(); ++i)
    body += study::svg_dot(frame.x(numbers[i]), frame.y(values[i]), 3, colour_of(0), 0.6);
  return study::svg_document(
      figure_width, figure_height,
      body + legend_dot(0, "trials", colour_of(0)) + legend_line(1, best.name, colour_of(1)));
}

// The curve of a trial over its seeds, with the 95 % band of its interquartile mean.
Result<Curve> curve_of_trial(Session& session, TrialId trial) {
  const auto points = session.list("/v1/trials/" + text(trial) + "/curve");
  if (!points) return points.error();
  Curve curve;
  for (const Json& point : *points) {
    const Json& middle = member(point, "/iqm");
    if (!middle.is_number()) continue;
    curve.xs.push_back(number_at(point, "/step"));
    curve.ys.push_back(middle.get<double>());
    for (auto [edge, values] : {std::pair("/low", &curve.low), std::pair("/high", &curve.high)}) {
      const Json& value = member(point, edge);
      values->push_back(value.is_number() ? value.get<double>() : middle.get<double>());
    }
  }
  return curve;
}

Curve curve_of_run(const Json& run) {
  Curve curve;
  for (const Json& point : member(run, "/curve"))
    if (const Json& value = member(point, "/value"); value.is_number()) {
      curve.xs.push_back(number_at(point, "/step"));
      curve.ys.push_back(value.get<double>());
    }
  return curve;
}

// The ends of both axes.
Frame frame_around(const std::vector<Curve>& curves) {
  std::vector<double> xs, ys;
  for (const Curve& curve : curves) {
    xs.insert(xs.end(), curve.xs.begin(), curve.xs.end());
    for (const auto* values : {&curve.ys, &curve.low, &curve.high})
      ys.insert(ys.end(), values->begin(), values->end());
  }
  Frame frame;
  frame.x_axis = axis_over(xs), frame.y_axis = axis_over(ys);
  return frame;
}

// The leaders of the sweep in colours, further runs in grey.
Result<std::string> draw_curves(Session& session, const Json& sweep) {
  constexpr std::size_t runs_max = 300;  // more lines hide each other
  const auto best = session.get(path_of(sweep) + "/best?limit=5");
  if (!best) return best.error();
  const auto runs = session.list(path_of(sweep) + "/curves?limit=300", runs_max);
  if (!runs) return runs.error();
  std::vector<Curve> leaders, all;
  for (const Json& item : member(*best, "/items")) {
    const auto trial = id_of_row<TrialId>(item);
    if (!trial) return trial.error();
    auto curve = curve_of_trial(session, *trial);
    if (!curve) return curve.error();
    curve->name = value_text(member(item, "/rank")) + ". " + text(*trial);
    if (!curve->xs.empty()) leaders.push_back(*std::move(curve));
  }
  for (const Json& run : *runs) all.push_back(curve_of_run(run));
  if (leaders.empty()) return nothing(sweep, "has no reports yet");
  const std::size_t others = all.size();
  all.insert(all.end(), leaders.begin(), leaders.end());
  const Frame frame = frame_around(all);
  std::string body;
  for (std::size_t i = 0; i < others; ++i)
    body += "<path d=\"" + frame.path(all[i].xs, all[i].ys) + "\" fill=\"none\" stroke=\"" +
            std::string(grey) + "\" stroke-opacity=\"0.5\"/>";
  for (std::size_t i = leaders.size(); i-- > 0;)  // the first on top
    body += svg_curve(frame, leaders[i], i) + legend_line(i, leaders[i].name, colour_of(i));
  body += legend_line(leaders.size(), others == runs_max ? "the first 300 runs" : "all runs", grey);
  body += frame.axes(text_at(sweep, "/spec/budget/unit"), value_title(sweep)) + frame.x_ticks();
  return study::svg_document(figure_width, figure_height, body);
}

// The share of the variance that each parameter, and each pair, explains.
Result<std::string> draw_importance(Session& session, const Json& sweep) {
  const auto reply = session.get(path_of(sweep) + "/importance");
  if (!reply) return reply.error();
  constexpr double least_of_pair = 0.005;
  constexpr std::size_t rows_max = 30;
  std::vector<Json> rows;
  for (const Json& item : member(*reply, "/items"))
    if (rows.size() < rows_max &&
        (member(item, "/parameters").size() == 1 || number_at(item, "/share") >= least_of_pair))
      rows.push_back(item);
  if (rows.empty()) return nothing(sweep, "has no parameter that varies");
  Frame frame;
  frame.left = 240, frame.width = 420, frame.height = 22 * static_cast<double>(rows.size());
  std::vector<double> ends{0};
  for (const Json& row : rows)
    ends.push_back(100 * (number_at(row, "/share") + number_at(row, "/deviation")));
  frame.x_axis = axis_over(ends);
  std::string body;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double y = frame.top + 22 * (static_cast<double>(i) + 0.5);
    const double share = 100 * number_at(rows[i], "/share");
    const double deviation = 100 * number_at(rows[i], "/deviation");
    std::string names;
    for (const Json& name : member(rows[i], "/parameters"))
      names += (names.empty() ? "" : " with ") + value_text(name);
    body += study::svg_line(frame.x(0), y, frame.x(share), y, colour_of(0), 12) +
            study::svg_line(frame.x(std::max(0.0, share - deviation)), y,
                            frame.x(share + deviation), y, study::ink) +
            study::svg_label(frame.left - 8, y + 4, truncated(names, 32, true), "end");
  }
  body += study::svg_line(frame.left, frame.top, frame.left, frame.top + frame.height) +
          frame.x_ticks() +
          study::svg_label(
              frame.left + frame.width / 2, frame.top + frame.height + 34,
              "% of the variance of " + value_title(sweep) + ", with the deviation among trees",
              "middle");
  return study::svg_document(figure_width, frame.top + frame.height + 44, body);
}

struct Point {
  double x = 0, y = 0;
  bool on_front = false;
};

// The cells of a column of /columns, which names many integers at even distances by their first one
// and the distance.
std::vector<Json> cells_of(const Json& answer, const std::string& name) {
  constexpr std::int64_t rows_max = 200'000;
  const Json& column = member(answer, "/columns" + pointer_to(name));
  if (column.is_array()) return {column.begin(), column.end()};
  std::vector<Json> cells;
  const auto first = int_at(column, "/first"), by = int_at(column, "/by");
  if (member(column, "/first").is_number_integer() && std::abs(by) <= rows_max)
    for (std::int64_t i = 0; i < std::min(int_at(answer, "/rows"), rows_max); ++i)
      cells.emplace_back(first + i * by);
  return cells;
}

// The first two objectives of the trials that have both, from the columns of a sweep.
std::vector<Point> points_of(const Json& answer, const std::string& second,
                             const std::set<std::string, std::less<>>& front) {
  const std::vector<Json> ids = cells_of(answer, "trial"), xs = cells_of(answer, "value");
  const std::vector<Json> ys = cells_of(answer, "further." + second);
  std::vector<Point> points;
  for (std::size_t i = 0; i < std::min({ids.size(), xs.size(), ys.size()}); ++i)
    if (ids[i].is_number_integer() && xs[i].is_number() && ys[i].is_number())
      points.push_back(
          {xs[i].get<double>(), ys[i].get<double>(), front.contains("tr_" + to_text(ids[i]))});
  std::ranges::sort(points, {}, &Point::x);
  return points;
}

Result<std::string> draw_front(Session& session, const Json& sweep) {
  const Json& objectives = member(sweep, "/spec/objectives");
  if (objectives.size() < 2) return nothing(sweep, "has one objective: a front needs two");
  const auto reply = session.get(path_of(sweep) + "/pareto?limit=1000");
  if (!reply) return reply.error();
  const auto columns = session.get(path_of(sweep) + "/columns?fields=trial,value,further.*");
  if (!columns) return columns.error();
  std::set<std::string, std::less<>> front;
  for (const Json& item : member(*reply, "/items")) front.insert(text_at(item, "/id"));
  const std::string second = text_at(objectives, "/1/metric");
  const std::vector<Point> points = points_of(*columns, second, front);
  if (points.empty()) return nothing(sweep, "has no trial with both objectives yet");
  std::vector<double> xs, ys;
  Curve line{"front", {}, {}};
  for (const Point& point : points) {
    xs.push_back(point.x), ys.push_back(point.y);
    if (point.on_front) line.xs.push_back(point.x), line.ys.push_back(point.y);
  }
  Frame frame;
  frame.x_axis = axis_over(xs), frame.y_axis = axis_over(ys);
  std::string body = frame.axes(value_title(sweep), printable(second)) + frame.x_ticks();
  if (objectives.size() == 2 && line.xs.size() > 1) body += svg_curve(frame, line, 1);
  for (const Point& point : points)
    body += study::svg_dot(frame.x(point.x), frame.y(point.y), point.on_front ? 4 : 3,
                           point.on_front ? colour_of(1) : grey);
  return study::svg_document(
      figure_width, figure_height,
      body + legend_dot(0, "front", colour_of(1)) + legend_dot(1, "dominated", grey));
}

// Each confirmed trial: its interquartile mean on new seeds, the interval, and the tuned value.
Result<std::string> draw_confirmation(Session& session, const Json& sweep) {
  const auto reply = session.get(path_of(sweep) + "/confirm");
  if (!reply) return reply.error();
  std::vector<Json> rows;
  std::vector<double> values;
  for (const Json& item : member(*reply, "/items")) {
    if (!member(item, "/iqm").is_number()) continue;
    rows.push_back(item);
    for (const char* place : {"/iqm", "/interval/0", "/interval/1", "/tuned_value"})
      if (const Json& value = member(item, place); value.is_number())
        values.push_back(value.get<double>());
  }
  if (rows.empty()) return nothing(sweep, "has no confirmed trial yet");
  Frame frame;
  frame.left = 90, frame.width = 480, frame.height = 24 * static_cast<double>(rows.size());
  frame.x_axis = axis_over(values);
  std::string body;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double y = frame.top + 24 * (static_cast<double>(i) + 0.5);
    const Json& low = member(rows[i], "/interval/0");
    const Json& high = member(rows[i], "/interval/1");
    if (low.is_number() && high.is_number())
      body += study::svg_line(frame.x(low.get<double>()), y, frame.x(high.get<double>()), y,
                              colour_of(0), 3);
    if (const Json& tuned = member(rows[i], "/tuned_value"); tuned.is_number())
      body += study::svg_dot(frame.x(tuned.get<double>()), y - 8, 4, colour_of(1));
    body += study::svg_dot(frame.x(number_at(rows[i], "/iqm")), y, 5, colour_of(0)) +
            study::svg_label(frame.left - 12, y + 4, text_at(rows[i], "/of"), "end");
  }
  body += study::svg_line(frame.left, frame.top + frame.height, frame.left + frame.width,
                          frame.top + frame.height) +
          frame.x_ticks() +
          study::svg_label(frame.left + frame.width / 2, frame.top + frame.height + 34,
                           value_title(sweep), "middle");
  return study::svg_document(
      figure_width, std::max(frame.top + frame.height + 44, 76.0),
      body + legend_dot(0, "confirmed, 95 %", colour_of(0)) + legend_dot(1, "tuned", colour_of(1)));
}

// Best first; more marks hide each other.
Result<std::vector<Json>> best_trials(Session& session, const Json& sweep) {
  constexpr std::size_t trials_max = 1000;
  return session.list(path_of(sweep) + "/trials?limit=1000&sort=value", trials_max);
}

Result<std::string> draw_slices(Session& session, const Json& sweep) {
  const auto trials = best_trials(session, sweep);
  if (!trials) return trials.error();
  return slices_figure(sweep, *trials, value_title(sweep));
}

Result<std::string> draw_parallel(Session& session, const Json& sweep) {
  const auto trials = best_trials(session, sweep);
  if (!trials) return trials.error();
  return parallel_figure(sweep, *trials, value_title(sweep), is_larger_better(sweep));
}

constexpr FigureKind kinds[] = {
    {"history", "The value of each trial, and the best so far", draw_history},
    {"curves", "Learning curves of the best trials: interquartile means over seeds, 95 % bands",
     draw_curves},
    {"confirmation", "The leaders on seeds that tuning never used", draw_confirmation},
    {"importance", "The share of the variance that each parameter explains", draw_importance},
    {"slices", "The value of each trial over each parameter", draw_slices},
    {"parallel", "All trials in parallel coordinates; the better, the darker", draw_parallel},
    {"front", "The first two objectives of every trial", draw_front},
};

}  // namespace

std::span<const FigureKind> figure_kinds() { return kinds; }

std::string figure_names() {
  std::string names;
  for (const FigureKind& kind : kinds)
    names += (names.empty()                           ? ""
              : &kind == &kinds[std::size(kinds) - 1] ? " and "
                                                      : ", ") +
             std::string(kind.name);
  return names;
}

}  // namespace hone::cli
