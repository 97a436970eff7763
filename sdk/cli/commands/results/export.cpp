// export: the reports of a sweep for other programs, or the whole sweep for another server.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/look/columns.hpp"
#include "sdk/cli/commands/results/curve_export.hpp"
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
  bool force = false;
  bool bands = false;
};

// One item for each report instead of one for each run.
std::vector<Json> reports_of(const std::vector<Json>& runs) {
  std::vector<Json> reports;
  for (const auto& run : runs)
    for (const auto& point : member(run, "/curve")) {
      Json report;
      for (const char* name : {"run", "trial", "state", "reason", "params"})
        report[name] = run.at(name);
      report.update(point);
      reports.push_back(std::move(report));
    }
  return reports;
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
  session.print(*document + "\n");
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
  const auto runs = session.list(path + "/curves?limit=1000");
  if (!runs) return runs.error();
  if (auto written = upkeep::write_optuna(options.optuna, *document, *runs); !written)
    return written.error();
  session.print(options.optuna + "\n");
  session.note("open it with: optuna-dashboard sqlite:///" + options.optuna);
  return Exit::ok;
}

// The curve of every trial over its seeds, one item for each phase.
Result<Exit> export_bands(Session& session, SweepId sweep) {
  const auto trials = session.list("/v1/sweeps/" + text(sweep) + "/trials?limit=1000");
  if (!trials) return trials.error();
  std::vector<Json> points;
  for (const Json& trial : *trials) {
    const auto curve = session.list("/v1/trials/" + text_at(trial, "/id") + "/curve");
    if (!curve) return curve.error();
    for (Json point : *curve) {
      point["trial"] = trial.at("id");
      point["params"] = trial.at("params");
      points.push_back(std::move(point));
    }
  }
  return print_list(session, exported_band_columns(), points, text(sweep) + " has no reports yet");
}

Result<Exit> export_sweep(Session& session, const ExportOptions& options) {
  const bool as_table = session.options().format == Format::curves;
  if (options.bands && (as_table || !options.optuna.empty()))
    return refuse(Code::invalid, "--bands needs --format table, json, jsonl, csv or value");
  if (!options.file.empty() && !as_table)
    return refuse(Code::invalid, "--out needs --format curves; redirect the other formats");
  const auto sweep = resolve_sweep(session, options.sweep);
  if (!sweep) return sweep.error();
  if (!options.optuna.empty()) return export_study(session, *sweep, options);
  if (options.bands) return export_bands(session, *sweep);
  if (session.options().format == Format::json) return export_events(session, *sweep);
  const auto runs = session.list("/v1/sweeps/" + text(*sweep) + "/curves?limit=1000");
  if (!runs) return runs.error();
  if (as_table) return export_table(session, *sweep, options, *runs);
  return print_list(
      session, exported_report_columns(), reports_of(*runs),
      text(*sweep) + " has no reports yet; follow it with: hone watch " + text(*sweep));
}

}  // namespace

CommandAction declare_export(Flags& flags) {
  return with_options(export_sweep, [&](ExportOptions& options) {
    flags.optional_argument("SWEEP", options.sweep,
                            "id of the sweep, or of anything in it (the newest)");
    flags.text("--out NAME.csv", options.file,
               "with --format curves: write this file, and its card NAME.json");
    flags.flag("--bands", options.bands,
               "export the curve of each trial over its seeds: n, iqm and its 95 % band");
    flags.text("--optuna FILE.db", options.optuna, "write a study for Optuna and its dashboard");
    flags.flag("--force", options.force, "replace existing files");
  });
}

}  // namespace hone::cli
