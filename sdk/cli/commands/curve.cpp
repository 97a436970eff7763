// curve: a run's reports, drawn.
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/flags.hpp"
#include "sdk/cli/output.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/plot.hpp"
#include "sdk/cli/targets.hpp"

namespace hone::cli {
namespace {

Fields report_fields() {
  return {{"phase", "/phase", Manner::phase},
          {"step", "/step", Manner::count},
          {"value", "/value", Manner::score},
          {"further", "/further", Manner::text, Where::everywhere, true},
          {"verdict", "/verdict"},
          {"reason", "/reason"},
          {"at", "/at", Manner::ago},
          {"inputs", "/inputs", Manner::params, Where::table_only, true}};
}

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

Result<Exit> show_curve(Session& session, const std::string& word) {
  const auto id = run_of(session, word);
  if (!id) return id.error();
  const auto reports = session.list("/v1/runs/" + text(*id) + "/curve");
  if (!reports) return reports.error();
  if (session.options().format == Format::table && !reports->empty()) {
    const auto run = session.get("/v1/runs/" + text(*id));
    if (!run) return run.error();
    session.print(chart(*run, *reports, session.screen()));
  }
  return print_list(session, report_fields(), *reports,
                    text(*id) + " has no reports yet; it reports at the end of each phase");
}

}  // namespace

Work declare_curve(Flags& flags) {
  auto id = std::make_shared<std::string>();
  flags.argument("RUN", *id, "the run, or a trial with a single run");
  return [id](Session& session) { return show_curve(session, *id); };
}

}  // namespace hone::cli
