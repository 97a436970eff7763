// curve: draws the reports of a run, or of a trial over its seeds.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/look/columns.hpp"
#include "sdk/cli/commands/look/further.hpp"
#include "sdk/cli/commands/results/curve_metric.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/plot.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"

namespace hone::cli {
namespace {

std::vector<PlotPoint> points_of(const std::vector<Json>& reports) {
  std::vector<PlotPoint> points;
  for (const auto& report : reports) {
    const Json& value = member(report, "/value");
    if (value.is_number())
      points.push_back({static_cast<double>(int_at(report, "/step")), value.get<double>()});
  }
  return points;
}

std::string chart(const Json& run, const std::vector<Json>& reports, const Screen& screen) {
  const int rows = 12;
  const auto points = points_of(reports);
  std::string head = text_at(run, "/id") + "  " + text_at(run, "/state");
  if (!text_at(run, "/reason").empty()) head += " (" + text_at(run, "/reason") + ")";
  return paint(screen, Ink::bold, head) + "\n" +
         plot(points, {std::min(screen.columns, 100), rows, screen.unicode}) + "\n";
}

std::vector<PlotPoint> points_at(const std::vector<Json>& items, const char* member_name) {
  std::vector<PlotPoint> points;
  for (const auto& item : items)
    if (const Json& value = member(item, member_name); value.is_number())
      points.push_back({static_cast<double>(int_at(item, "/step")), value.get<double>()});
  return points;
}

// The interquartile mean over the seeds of a trial, with its 95 % interval.
Result<Exit> show_band(Session& session, TrialId trial) {
  const auto reply = session.get("/v1/trials/" + text(trial) + "/curve");
  if (!reply) return reply.error();
  const std::vector<Json> items = items_at(*reply, "/items");
  if (session.options().format == Format::table && !items.empty()) {
    auto edges = points_at(items, "/low");
    for (const PlotPoint& high : points_at(items, "/high")) edges.push_back(high);
    const Screen& screen = session.screen();
    std::int64_t n = 0;
    for (const Json& item : items) n = std::max(n, int_at(item, "/n"));
    session.print(
        paint(screen, Ink::bold,
              text(trial) + "  interquartile mean, n = " + std::to_string(n) +
                  (n > 1 ? " seeds, dots: 95 % band" : " seed: no band")) +
        "\n" +
        plot(points_at(items, "/iqm"), {std::min(screen.columns, 100), 12, screen.unicode}, edges) +
        "\n");
  }
  return print_list(session, band_columns(), items,
                    text(trial) + " has no reports yet; it reports at the end of each phase");
}

// The trial to draw for a sweep.
Result<TrialId> best_trial(Session& session, SweepId sweep) {
  const auto reply = session.get("/v1/sweeps/" + text(sweep) + "/best?limit=1");
  if (!reply) return reply.error();
  const std::string best = text_at(*reply, "/items/0/id");
  if (best.empty())
    return refuse(Code::not_found,
                  text(sweep) + " has no reports yet; " + next_look(session, sweep));
  return resolve_trial(best);
}

Result<Exit> show_curve(Session& session, const std::string& word) {
  const auto object = parse_object(word);
  if (!object) return object.error();
  if (std::holds_alternative<TrialId>(*object))
    return show_band(session, std::get<TrialId>(*object));
  if (std::holds_alternative<SweepId>(*object)) {
    const auto trial = best_trial(session, std::get<SweepId>(*object));
    return trial ? show_band(session, *trial) : Result<Exit>(trial.error());
  }
  const auto id = resolve_run(session, word);
  if (!id) return id.error();
  auto reports = session.list("/v1/runs/" + text(*id) + "/curve");
  if (!reports) return reports.error();
  const auto run = session.get("/v1/runs/" + text(*id));
  if (!run) return run.error();
  for (Json& report : *reports) report["sweep"] = member(*run, "/sweep");
  if (auto named = name_further(session, *reports); !named) return named.error();
  for (Json& report : *reports) report.erase("sweep");
  if (session.options().format == Format::table && !reports->empty()) {
    session.print(chart(*run, *reports, session.screen()));
  }
  return print_list(session, report_columns(), *reports,
                    text(*id) + " has no reports yet; it reports at the end of each phase");
}

struct CurveOptions {
  std::string id;
  std::vector<std::string> others;
  std::string metric;
};

Result<Exit> curve(Session& session, const CurveOptions& options) {
  if (options.others.empty() && options.metric.empty()) return show_curve(session, options.id);
  std::vector<std::string> ids{options.id};
  ids.insert(ids.end(), options.others.begin(), options.others.end());
  return show_curves(session, ids, options.metric);
}

}  // namespace

CommandAction declare_curve(Flags& flags) {
  return with_options(curve, [&](CurveOptions& options) {
    flags.argument("ID", options.id,
                   "id of a run, of a trial (over its seeds) or of a sweep (its best trial)");
    flags.arguments("OTHER", options.others, "draw these in the same chart, a line for each run");
    flags.text("--metric NAME", options.metric, "a metric that the runs log (the objective)");
  });
}

}  // namespace hone::cli
