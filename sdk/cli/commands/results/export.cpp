// export: the reports of a sweep for other programs, or the whole sweep for another server.
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/look/columns.hpp"
#include "sdk/cli/commands/look/further.hpp"
#include "sdk/cli/commands/results/curve_export.hpp"
#include "sdk/cli/commands/results/curve_metric.hpp"
#include "sdk/cli/commands/results/html_report.hpp"
#include "sdk/cli/commands/results/tensorboard.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/input.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"
#include "sdk/cpp/client.hpp"
#include "server/upkeep/optuna.hpp"

namespace hone::cli {
namespace {

struct ExportOptions {
  std::string sweep;
  std::string file;
  std::string optuna;
  std::string tensorboard;
  bool html = false;
  bool metrics = false;
  bool force = false;
  bool bands = false;
};

// One item for each report instead of one for each run. Phases count from 1, as on every screen.
std::vector<Json> reports_of(const Json& run) {
  std::vector<Json> reports;
  for (const auto& point : member(run, "/curve")) {
    Json report;
    for (const char* name : {"run", "trial", "seed", "state", "reason", "params"})
      report[name] = member(run, "/" + std::string(name));
    report.update(point);
    report["phase"] = int_at(point, "/phase") + 1;
    reports.push_back(std::move(report));
  }
  return reports;
}

// Adds to each report the last value of the metric up to its step.
void join_metric(std::vector<Json>& reports, const std::string& name,
                 const std::vector<Json>& points) {
  std::size_t next = 0;
  for (Json& report : reports) {
    while (next < points.size() && int_at(points[next], "/step") <= int_at(report, "/step")) ++next;
    if (next > 0) report["metrics"][name] = points[next - 1].at("value");
  }
}

Status join_metrics(Session& session, const std::string& run, std::vector<Json>& reports) {
  const auto names = metric_names(session, run);
  if (!names) return names.error();
  for (const auto& name : *names) {
    const auto points = metric_points(session, run, name);
    if (!points) return points.error();
    join_metric(reports, name, *points);
  }
  return Done{};
}

Result<Exit> export_reports(Session& session, SweepId sweep, bool with_metrics) {
  const std::string path = "/v1/sweeps/" + text(sweep);
  const auto curves = session.list(path + "/curves?limit=1000");
  if (!curves) return curves.error();
  const auto runs = session.list(path + "/runs?limit=1000");
  if (!runs) return runs.error();
  const auto whole = session.get(path);
  if (!whole) return whole.error();
  const auto metrics = further_metrics(member(*whole, "/spec"));
  std::map<std::string, Json> seeds;
  for (const Json& run : *runs) seeds[text_at(run, "/id")] = member(run, "/seed");
  std::vector<Json> items;
  for (Json run : *curves) {
    const auto named = id_of_row<RunId>(run, "/run");
    if (!named) return named.error();
    const std::string id = text(*named);
    run["seed"] = seeds[id];
    auto reports = reports_of(run);
    if (with_metrics)
      if (auto joined = join_metrics(session, id, reports); !joined) return joined.error();
    for (Json& report : reports) {
      name_further(report, metrics);
      items.push_back(std::move(report));
    }
  }
  return print_list(session, exported_report_columns(), items,
                    text(sweep) + " has no reports yet; follow it with: hone watch " + text(sweep));
}

Result<Exit> write_table(Session& session, const CurveExport& table, const ExportOptions& options) {
  const std::filesystem::path csv = options.file;
  auto card = csv;
  card.replace_extension(".json");
  if (card == csv)
    return refuse(Code::invalid,
                  "--out names the CSV file; " + options.file + " is the name of its card");
  for (const auto& file : {csv, card})
    if (std::error_code ignored; !options.force && std::filesystem::exists(file, ignored))
      return refuse(Code::conflict,
                    file.string() + " exists; add --force to replace it, or give another name");
  Status written = write_file(csv, table.csv);
  if (written) written = write_file(card, table.card);
  if (!written) return refuse(Code::internal, written.error().detail);
  session.print(csv.string() + "\n" + card.string() + "\n");
  return Exit::ok;
}

Result<Exit> export_table(Session& session, const SweepId& sweep, const ExportOptions& options,
                          const std::vector<Json>& runs) {
  const auto spec = session.get("/v1/sweeps/" + text(sweep));
  if (!spec) return spec.error();
  const auto table = export_curves(*spec, runs);
  if (!table) return table.error();
  if (!table->left_out.empty())
    session.note("left out, because they did not complete: " + table->left_out + " (of " +
                 std::to_string(runs.size()) + " runs)");
  std::string further;
  for (const std::string& metric : further_metrics(member(*spec, "/spec")))
    further += (further.empty() ? "" : ", ") + metric;
  if (!further.empty())
    session.note("left out, because a curve table has one objective: " + further +
                 "; hone export --format csv has them");
  if (!options.file.empty()) return write_table(session, *table, options);
  session.print(table->csv);
  return Exit::ok;
}

// The sweep with all its events, for `hone import hone` on another server.
Result<Exit> export_events(Session& session, SweepId sweep) {
  auto client = session.client();
  if (!client) return client.error();
  const auto document = (*client)->get_text("/v1/sweeps/" + text(sweep) + "/export");
  if (!document) return document.error();
  session.print_json(*document + "\n");
  return Exit::ok;
}

Result<Exit> export_study(Session& session, SweepId sweep, const ExportOptions& options) {
  if (std::error_code ignored; std::filesystem::exists(options.optuna, ignored)) {
    if (!options.force)
      return refuse(Code::conflict,
                    options.optuna + " exists; add --force to replace it, or give another name");
    std::filesystem::remove(options.optuna, ignored);
  }
  const std::string path = "/v1/sweeps/" + text(sweep);
  const auto document = session.get(path);
  if (!document) return document.error();
  const auto trials = session.list(path + "/trials?sort=value&limit=1000");
  if (!trials) return trials.error();
  const auto runs = session.list(path + "/curves?limit=1000");
  if (!runs) return runs.error();
  if (auto written = upkeep::write_optuna(options.optuna, *document, *trials, *runs); !written)
    return written.error();
  session.print(options.optuna + "\n");
  session.note("open it with: optuna-dashboard sqlite:///" + options.optuna);
  return Exit::ok;
}

Result<Exit> export_html(Session& session, SweepId sweep, const ExportOptions& options) {
  std::error_code ignored;
  if (!options.file.empty() && !options.force && std::filesystem::exists(options.file, ignored))
    return refuse(Code::conflict,
                  options.file + " exists; add --force to replace it, or give another name");
  const auto document = html_report(session, sweep);
  if (!document) return document.error();
  if (options.file.empty()) {
    session.print(*document);
    return Exit::ok;
  }
  if (auto written = write_file(options.file, *document); !written)
    return refuse(Code::internal, written.error().detail);
  session.print(options.file + "\n");
  session.note("open it in a browser; it needs no server and no network");
  return Exit::ok;
}

// The curve of every trial over its seeds, one item for each phase.
Result<Exit> export_bands(Session& session, SweepId sweep) {
  const auto trials = session.list("/v1/sweeps/" + text(sweep) + "/trials?limit=1000");
  if (!trials) return trials.error();
  std::vector<Json> points;
  for (const Json& trial : *trials) {
    const auto id = id_of_row<TrialId>(trial);
    if (!id) return id.error();
    const auto curve = session.list("/v1/trials/" + text(*id) + "/curve");
    if (!curve) return curve.error();
    for (Json point : *curve) {
      point["trial"] = text(*id);
      point["params"] = member(trial, "/params");
      points.push_back(std::move(point));
    }
  }
  return print_list(session, exported_band_columns(), points, text(sweep) + " has no reports yet");
}

Result<Exit> export_sweep(Session& session, const ExportOptions& options) {
  const bool as_table = session.options().format == Format::curves;
  const int forms = int(as_table) + int(!options.optuna.empty()) +
                    int(!options.tensorboard.empty()) + int(options.html);
  if (forms > 1)
    return refuse(Code::invalid,
                  "--html, --optuna, --tensorboard and --format curves each write another form; "
                  "give one of them");
  const bool in_files = !options.optuna.empty() || !options.tensorboard.empty() || options.html;
  if (options.bands && (as_table || in_files))
    return refuse(Code::invalid, "--bands needs --format table, json, jsonl, csv or value");
  if (options.metrics && (as_table || in_files || options.bands))
    return refuse(Code::invalid, "--metrics needs --format table, jsonl, csv or value");
  if (!options.file.empty() && !as_table && !options.html)
    return refuse(Code::invalid,
                  "--out needs --format curves or --html; redirect the other formats");
  const auto sweep = resolve_sweep(session, options.sweep);
  if (!sweep) return sweep.error();
  if (options.html) return export_html(session, *sweep, options);
  if (!options.optuna.empty()) return export_study(session, *sweep, options);
  if (!options.tensorboard.empty())
    return export_tensorboard(session, *sweep, options.tensorboard, options.force);
  if (options.bands) return export_bands(session, *sweep);
  if (session.options().format == Format::json) return export_events(session, *sweep);
  if (!as_table) return export_reports(session, *sweep, options.metrics);
  const auto runs = session.list("/v1/sweeps/" + text(*sweep) + "/curves?limit=1000");
  return runs ? export_table(session, *sweep, options, *runs) : Result<Exit>(runs.error());
}

}  // namespace

CommandAction declare_export(Flags& flags) {
  return with_options(export_sweep, [&](ExportOptions& options) {
    flags.optional_argument("SWEEP", options.sweep,
                            "id of the sweep, or of anything in it (the newest)");
    flags.text("-o,--out FILE", options.file,
               "with --html: write this file; with --format curves: NAME.csv, and its card "
               "NAME.json");
    flags.flag("--html", options.html,
               "write the pages of the dashboard and their data as one HTML file (stdout)");
    flags.flag("--bands", options.bands,
               "export the curve of each trial over its seeds: n, iqm and its 95 % band");
    flags.text("--optuna FILE.db", options.optuna, "write a study for Optuna and its dashboard");
    flags.text("--tensorboard DIR", options.tensorboard,
               "write event files for TensorBoard, a folder for each run");
    flags.flag("--metrics", options.metrics,
               "add the last value of every metric up to each report");
    flags.flag("--force", options.force, "replace existing files");
  });
}

}  // namespace hone::cli
