#include "sdk/cli/commands/results/curve_metric.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/nearest.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/plot.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"
#include "sdk/cpp/transport.hpp"

namespace hone::cli {
namespace {

struct RunCurve {
  std::string run;
  std::vector<Json> points;
};

Status add_runs_of(Session& session, TrialId trial, std::vector<std::string>& runs) {
  const auto items = session.list("/v1/trials/" + text(trial) + "/runs");
  if (!items) return items.error();
  for (const Json& item : *items) {
    const auto id = id_of_row<RunId>(item);
    if (!id) return id.error();
    runs.push_back(text(*id));
  }
  return Done{};
}

Status add_runs(Session& session, const std::string& word, std::vector<std::string>& runs) {
  const auto id = parse_object(word);
  if (!id) return id.error();
  if (const auto* trial = std::get_if<TrialId>(&*id)) return add_runs_of(session, *trial, runs);
  if (const auto* sweep = std::get_if<SweepId>(&*id)) {
    const auto best = session.get("/v1/sweeps/" + text(*sweep) + "/best?limit=1");
    if (!best) return best.error();
    const auto trial = parse_id<TrialId>(text_at(*best, "/items/0/id"));
    if (!trial) return refuse(Code::not_found, text(*sweep) + " has no reports yet");
    return add_runs_of(session, *trial, runs);
  }
  const auto run = resolve_run(session, word);
  if (!run) return run.error();
  runs.push_back(text(*run));
  return Done{};
}

// The name of the objective of the run's sweep.
Result<std::string> objective_of(Session& session, const std::string& run) {
  const auto found = session.get("/v1/runs/" + run);
  if (!found) return found.error();
  const auto sweep = session.get("/v1/sweeps/" + text_at(*found, "/sweep"));
  if (!sweep) return sweep.error();
  return text_at(*sweep, "/objective/metric");
}

Json point_of(const std::string& run, const std::string& metric, const Json& item) {
  Json point;
  point["run"] = run;
  point["metric"] = metric;
  for (const char* name : {"step", "value", "at"})
    point[name] = member(item, "/" + std::string(name));
  return point;
}

Result<std::vector<Json>> report_points(Session& session, const std::string& run,
                                        const std::string& metric) {
  const auto reports = session.list("/v1/runs/" + run + "/curve");
  if (!reports) return reports.error();
  std::vector<Json> points;
  for (const Json& report : *reports) points.push_back(point_of(run, metric, report));
  return points;
}

Error no_such_metric(const std::string& metric, const std::set<std::string>& names,
                     const std::string& objective) {
  std::string known = objective + " (the objective)";
  std::vector<std::string_view> views{objective};
  for (const auto& name : names) {
    views.push_back(name);
    if (name != objective) known += ", " + name;
  }
  return refuse(Code::not_found, "there is no metric '" + metric + "'" +
                                     did_you_mean(metric, views) + "; there are " + known);
}

// A metric that a run logged under the objective's name is preferred to the reports.
Result<std::vector<RunCurve>> read_curves(Session& session, const std::vector<std::string>& runs,
                                          const std::string& metric) {
  std::vector<RunCurve> curves;
  std::set<std::string> names;
  const auto objective = objective_of(session, runs.front());
  if (!objective) return objective.error();
  const std::string wanted = metric.empty() ? *objective : metric;
  bool found = metric.empty();
  for (const auto& run : runs) {
    const auto known = metric_names(session, run);
    if (!known) return known.error();
    names.insert(known->begin(), known->end());
    const bool logged = !metric.empty() && std::ranges::find(*known, metric) != known->end();
    found = found || logged || wanted == *objective;
    auto points = logged || wanted != *objective ? metric_points(session, run, wanted)
                                                 : report_points(session, run, wanted);
    if (!points) return points.error();
    curves.push_back({run, *std::move(points)});
  }
  if (!found) return no_such_metric(metric, names, *objective);
  return curves;
}

PlotSeries series_of(const RunCurve& curve) {
  PlotSeries series{curve.run, {}};
  for (const Json& point : curve.points)
    if (const Json& value = member(point, "/value"); value.is_number())
      series.points.push_back({static_cast<double>(int_at(point, "/step")), value.get<double>()});
  return series;
}

std::string metric_chart(const std::vector<RunCurve>& curves, const Screen& screen) {
  const PlotFrame frame{std::min(screen.columns, 100), 12, screen.unicode};
  std::vector<PlotSeries> series;
  for (const auto& curve : curves) series.push_back(series_of(curve));
  return series.size() == 1 ? plot(series.front().points, frame) : plot_series(series, frame);
}

// One row for each run.
Json run_summary(const RunCurve& curve) {
  const PlotSeries series = series_of(curve);
  Json row;
  row["run"] = curve.run;
  row["points"] = curve.points.size();
  if (series.points.empty()) return row;
  const auto [low, high] = std::ranges::minmax_element(
      series.points, {}, [](const PlotPoint& point) { return point.y; });
  row["step"] = static_cast<std::int64_t>(series.points.back().x);
  row["last"] = series.points.back().y;
  row["min"] = low->y;
  row["max"] = high->y;
  return row;
}

const Fields& summary_fields() {
  static const Fields fields{{"run", "/run"},
                             {"points", "/points", CellType::number},
                             {"step", "/step", CellType::count},
                             {"last", "/last", CellType::score},
                             {"min", "/min", CellType::score},
                             {"max", "/max", CellType::score}};
  return fields;
}

const Fields& point_fields() {
  static const Fields fields{{"run", "/run"},
                             {"metric", "/metric"},
                             {"step", "/step", CellType::number},
                             {"value", "/value", CellType::score},
                             {"at", "/at", CellType::ago}};
  return fields;
}

}  // namespace

Result<std::vector<std::string>> metric_names(Session& session, const std::string& run) {
  const auto items = session.list("/v1/runs/" + run + "/metrics?fields=names");
  if (!items) return items.error();
  std::vector<std::string> names;
  for (const Json& item : *items) names.push_back(text_at(item, "/name"));
  return names;
}

Result<std::vector<Json>> metric_points(Session& session, const std::string& run,
                                        const std::string& metric) {
  const auto items =
      session.list("/v1/runs/" + run + "/metrics?limit=1000&name=" + escape_path(metric));
  if (!items) return items.error();
  std::vector<Json> points;
  for (const Json& item : *items) points.push_back(point_of(run, metric, item));
  return points;
}

Result<Exit> show_curves(Session& session, const std::vector<std::string>& ids,
                         const std::string& metric) {
  std::vector<std::string> runs;
  for (const auto& id : ids)
    if (auto added = add_runs(session, id, runs); !added) return added.error();
  if (runs.empty()) return refuse(Code::not_found, "there are no runs yet");
  const bool as_table = session.options().format == Format::table;
  if (as_table && runs.size() > plot_series_max)
    return refuse(Code::invalid, "one chart has at most " + std::to_string(plot_series_max) +
                                     " runs, not " + std::to_string(runs.size()) +
                                     "; name fewer, or use --format csv");
  const auto curves = read_curves(session, runs, metric);
  if (!curves) return curves.error();
  std::vector<Json> items;
  for (const auto& curve : *curves)
    if (as_table)
      items.push_back(run_summary(curve));
    else
      items.insert(items.end(), curve.points.begin(), curve.points.end());
  if (as_table) {
    const std::string name = metric.empty() ? "the objective" : metric;
    session.print(paint(session.screen(), Ink::bold, name) + "\n" +
                  metric_chart(*curves, session.screen()) + "\n");
  }
  return print_list(session, as_table ? summary_fields() : point_fields(), items, "no points yet");
}

}  // namespace hone::cli
