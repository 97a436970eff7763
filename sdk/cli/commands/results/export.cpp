// export: everything that the runs of a sweep reported, for other programs; or, as json, the whole
// sweep for another server.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/results/curve_export.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/targets.hpp"
#include "sdk/cpp/client.hpp"
#include "server/upkeep/optuna.hpp"

namespace hone::cli {
namespace {

struct Wish {
  std::string sweep;
  std::string file;
  std::string optuna;
  bool force = false;
  bool bands = false;
};

Fields report_fields() {
  return {{"run", "/run"},
          {"state", "/state", Manner::state},
          {"phase", "/phase", Manner::phase},
          {"step", "/step", Manner::count},
          {"value", "/value", Manner::score},
          {"seconds", "/seconds", Manner::number},
          {"parameters", "/params", Manner::params}};
}

// One item for each report, in place of one for each run.
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

Status write_file(const std::filesystem::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text << std::flush;
  if (stream) return Done{};
  return refuse(Code::internal, "cannot write " + file.string() + ": " + std::strerror(errno));
}

Result<Exit> write_table(Session& session, const CurveExport& table, const Wish& wish) {
  const std::filesystem::path csv = wish.file;
  auto card = csv;
  card.replace_extension(".json");
  if (card == csv)
    return refuse(Code::invalid, "--out names the CSV file; " + wish.file +
                                     " is where the card beside it would go");
  for (const auto& file : {csv, card})
    if (std::error_code ignored; !wish.force && std::filesystem::exists(file, ignored))
      return refuse(Code::conflict,
                    file.string() + " exists; add --force to replace it, or give another name");
  if (const auto written = write_file(csv, table.csv); !written) return written.error();
  if (const auto written = write_file(card, table.card); !written) return written.error();
  session.print(csv.string() + "\n" + card.string() + "\n");
  return Exit::ok;
}

Result<Exit> export_table(Session& session, const SweepId& sweep, const Wish& wish,
                          const std::vector<Json>& runs) {
  const auto spec = session.get("/v1/sweeps/" + text(sweep));
  if (!spec) return spec.error();
  const auto table = export_curves(*spec, runs);
  if (!table) return table.error();
  if (!table->left_out.empty())
    session.note("left out, for they did not reach their end: " + table->left_out + " (of " +
                 std::to_string(runs.size()) + " runs)");
  if (!wish.file.empty()) return write_table(session, *table, wish);
  session.print(table->csv);
  return Exit::ok;
}

// The sweep with all that happened to it: what `hone import hone` takes in elsewhere.
Result<Exit> export_past(Session& session, SweepId sweep) {
  auto client = session.client();
  if (!client) return client.error();
  const auto past = (*client)->get_text("/v1/sweeps/" + text(sweep) + "/export");
  if (!past) return past.error();
  session.print(*past + "\n");
  return Exit::ok;
}

Result<Exit> export_study(Session& session, SweepId sweep, const Wish& wish) {
  if (std::error_code ignored; std::filesystem::exists(wish.optuna, ignored)) {
    if (!wish.force)
      return refuse(Code::conflict,
                    wish.optuna + " exists; add --force to replace it, or give another name");
    std::filesystem::remove(wish.optuna, ignored);
  }
  const std::string path = "/v1/sweeps/" + text(sweep);
  const auto document = session.get(path);
  if (!document) return document.error();
  const auto runs = session.list(path + "/curves?limit=1000");
  if (!runs) return runs.error();
  if (auto written = upkeep::write_optuna(wish.optuna, *document, *runs); !written)
    return written.error();
  session.print(wish.optuna + "\n");
  session.note("look at it with: optuna-dashboard sqlite:///" + wish.optuna);
  return Exit::ok;
}

Fields band_fields() {
  return {{"trial", "/trial"},
          {"phase", "/phase", Manner::phase},
          {"step", "/step", Manner::count},
          {"n", "/n", Manner::number},
          {"diverged", "/diverged", Manner::number},
          {"iqm", "/iqm", Manner::score},
          {"low", "/low", Manner::score},
          {"high", "/high", Manner::score},
          {"mean", "/mean", Manner::score},
          {"min", "/min", Manner::score},
          {"max", "/max", Manner::score},
          {"parameters", "/params", Manner::params}};
}

// The curve of every trial over its seeds: one item for each of its phases.
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
  return print_list(session, band_fields(), points, text(sweep) + " has no reports yet");
}

Result<Exit> export_sweep(Session& session, const Wish& wish) {
  const bool as_table = session.options().format == Format::curves;
  if (wish.bands && (as_table || !wish.optuna.empty()))
    return refuse(Code::invalid, "--bands goes with --format table, json, jsonl, csv or value");
  if (!wish.file.empty() && !as_table)
    return refuse(Code::invalid, "--out goes with --format curves; redirect the other formats");
  const auto sweep = sweep_of(session, wish.sweep);
  if (!sweep) return sweep.error();
  if (!wish.optuna.empty()) return export_study(session, *sweep, wish);
  if (wish.bands) return export_bands(session, *sweep);
  if (session.options().format == Format::json) return export_past(session, *sweep);
  const auto runs = session.list("/v1/sweeps/" + text(*sweep) + "/curves?limit=1000");
  if (!runs) return runs.error();
  if (as_table) return export_table(session, *sweep, wish, *runs);
  return print_list(
      session, report_fields(), reports_of(*runs),
      text(*sweep) + " has no reports yet; follow it with: hone watch " + text(*sweep));
}

}  // namespace

Work declare_export(Flags& flags) {
  auto wish = std::make_shared<Wish>();
  flags.optional_argument("SWEEP", wish->sweep,
                          "the sweep (or anything of it); default: the newest");
  flags.text("--out NAME.csv", wish->file,
             "with --format curves: the file to write; its card goes to NAME.json");
  flags.flag("--bands", wish->bands,
             "the curve of each trial over its seeds: n, iqm and its 95 % band");
  flags.text("--optuna FILE.db", wish->optuna, "write a study for Optuna and its dashboard");
  flags.flag("--force", wish->force, "replace the files if they exist");
  return [wish](Session& session) { return export_sweep(session, *wish); };
}

}  // namespace hone::cli
