// simulate: runs the coordinator's rules on recorded learning curves, under a virtual clock; and,
// as `simulate cluster`, scheduling policies.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>

#include "base/shown.hpp"
#include "base/text.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/default_methods.hpp"
#include "schemas/types/methods.hpp"
#include "schemas/types/spec.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/start/methods.hpp"
#include "sdk/cli/commands/start/simulate_cluster.hpp"
#include "sdk/cli/local/ticker.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/render/table.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/input.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cpp/sweep_file.hpp"
#include "server/simulate/summary.hpp"

namespace hone::cli {
namespace {

struct SimulateOptions {
  std::string file;
  std::string after;    // the method of an earlier sweep; empty: there is none
  std::string cluster;  // of `simulate cluster FILE`: its file
  std::vector<std::string> tables, against, assignments;
  // Options for sweeps. 0, or -1 where 0 is a value: not given.
  int workers = 0, repetitions = 0;
  double deadline = 0, target = -1;
  int seeds = -1;  // of a cluster; -1: not given
  std::int64_t seed = 1;
};

Error in_file(const std::filesystem::path& path, const Error& error) {
  return refuse(Code::invalid,
                path.string() + ": " + (error.at.empty() ? "" : error.at + ": ") + error.detail);
}

Result<simulate::CurveTable> read_table(const std::string& file) {
  const std::filesystem::path csv = file;
  std::filesystem::path card = csv;
  card.replace_extension(".json");
  const auto rows = read_file(csv);
  if (!rows) return rows.error();
  const auto about = read_file(card);
  if (!about)
    return refuse(Code::invalid,
                  "a curve table NAME.csv needs its card NAME.json with goal and parameters: " +
                      about.error().detail);
  auto table = simulate::CurveTable::parse(csv.stem().string(), *rows, *about);
  if (!table) return in_file(csv, table.error());
  return table;
}

Result<SweepSpec> read_spec(const SimulateOptions& options) {
  auto file = read_sweep_file(options.file);
  if (!file) return refuse(Code::invalid, file.error().detail);
  for (const auto& assignment : options.assignments)
    if (const auto set = set_path(file->document, assignment); !set)
      return refuse(Code::invalid, "--set " + assignment + ": " + set.error().detail);
  auto spec = decode_request<SweepSpec>(file->document);
  if (!spec)
    return refuse(Code::invalid, file->place(spec.error().at) + ": " + spec.error().at + ": " +
                                     spec.error().detail);
  choose_version(*spec);
  return spec;
}

// The results of one method on one curve table.
struct MethodResults {
  std::string table;
  Method method;
  simulate::Tally tally;
};

Json estimate_json(const simulate::Estimate& estimate) {
  return {{"mean", estimate.mean}, {"se", estimate.standard_error}};
}

Json result_json(const SimulateOptions& options, const MethodResults& results) {
  const simulate::Summary summary = results.tally.summary();
  Json json = {{"table", results.table},
               {"method", results.method.name},
               {"workers", options.workers},
               {"deadline", options.deadline},
               {"repetitions", summary.repetitions},
               {"regret", estimate_json(summary.named.back())},
               {"regret_of_best_report", estimate_json(summary.single.back())},
               {"true_value", estimate_json(summary.true_value)},
               {"trials", estimate_json(summary.trials)},
               {"runs", estimate_json(summary.runs)},
               {"work_per_run", estimate_json(summary.work_per_run)},
               {"busy", estimate_json(summary.busy)},
               {"phases", estimate_json(summary.phases)},
               {"gap", estimate_json(summary.gap)},
               {"expected_gap", estimate_json(summary.expected_gap)},
               {"confirmed", estimate_json(summary.confirmed)},
               {"confirmed_gap", estimate_json(summary.confirmed_gap)},
               {"lost_best", summary.lost_best},
               {"diverged", summary.diverged},
               {"target", options.target},
               {"found", summary.found},
               {"to_target", estimate_json(summary.to_target)}};
  json["anytime"] = Json::array();
  for (std::size_t i = 0; i < summary.named.size(); ++i)
    json["anytime"].push_back(
        {{"time", options.deadline * static_cast<double>(i + 1) / simulate::anytime_points},
         {"regret", estimate_json(summary.named[i])},
         {"regret_of_best_report", estimate_json(summary.single[i])}});
  return json;
}

std::string fixed(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

Fields simulation_columns() {
  return {{"table", "/table"},
          {"method", "/method"},
          {"regret", "/shown/regret"},
          {"rank", "/rank"},
          {"of none", "/shown/of_none"},
          {"best report", "/shown/single"},
          {"25%", "/shown/quarter"},
          {"50%", "/shown/half"},
          {"75%", "/shown/three"},
          {"trials", "/shown/trials"},
          {"work/run", "/shown/work"},
          {"busy", "/shown/busy"},
          {"found", "/shown/found"},
          {"time to it", "/shown/time"},
          {"confirmed", "/shown/confirmed", CellType::text, Where::everywhere, true},
          {"gap", "/shown/gap", CellType::text, Where::everywhere, true},
          {"expected gap", "/shown/expected_gap", CellType::text, Where::everywhere, true},
          {"confirmed gap", "/shown/confirmed_gap", CellType::text, Where::everywhere, true},
          {"lost best", "/shown/lost", CellType::text, Where::everywhere, true},
          {"diverged", "/shown/diverged", CellType::text, Where::everywhere, true},
          {"full runs", "/shown/phases", CellType::text, Where::everywhere, true}};
}

// Adds the cells of the table: mean ± standard error.
Json with_estimates(Json json) {
  const auto pm = [&](const Json& estimate, int digits) {
    return fixed(estimate["mean"].get<double>(), digits) + " ± " +
           fixed(estimate["se"].get<double>(), digits);
  };
  const Json& anytime = json["anytime"];
  const auto at = [&](std::size_t quarter) {
    return fixed(anytime[quarter * anytime.size() / 4 - 1]["regret"]["mean"].get<double>(), 3);
  };
  const double found = json["found"].get<double>();
  Json shown = {
      {"regret", pm(json["regret"], 3)},
      {"single", pm(json["regret_of_best_report"], 3)},
      {"quarter", at(1)},
      {"half", at(2)},
      {"three", at(3)},
      {"trials", fixed(json["trials"]["mean"].get<double>(), 1)},
      {"work", fixed(json["work_per_run"]["mean"].get<double>(), 2)},
      {"busy", fixed(100 * json["busy"]["mean"].get<double>(), 0) + "%"},
      {"found", fixed(100 * found, 0) + "%"},
      {"confirmed", pm(json["confirmed"], 3)},
      {"gap", pm(json["gap"], 3)},
      {"expected_gap", pm(json["expected_gap"], 3)},
      {"confirmed_gap", pm(json["confirmed_gap"], 3)},
      {"of_none",
       json.contains("relative_to_none") ? fixed(json["relative_to_none"].get<double>(), 2) : "-"},
      {"diverged", fixed(100 * json["diverged"].get<double>(), 0) + "%"},
      {"lost", fixed(100 * json["lost_best"].get<double>(), 0) + "%"},
      {"phases", fixed(json["phases"]["mean"].get<double>(), 1)},
      {"time", found > 0 ? fixed(json["to_target"]["mean"].get<double>(), 2) : "-"}};
  json["shown"] = std::move(shown);
  return json;
}

std::string flat_csv(const std::vector<Json>& results) {
  std::string out =
      csv_line({"table", "method", "workers", "deadline", "repetitions", "time", "regret",
                "regret_se", "regret_of_best_report", "regret_of_best_report_se"});
  for (const Json& one : results)
    for (const Json& look : one["anytime"])
      out += csv_line({spreadsheet_cell(text_at(one, "/table")),
                       spreadsheet_cell(text_at(one, "/method")), to_text(one["workers"]),
                       to_text(one["deadline"]), to_text(one["repetitions"]), to_text(look["time"]),
                       to_text(look["regret"]["mean"]), to_text(look["regret"]["se"]),
                       to_text(look["regret_of_best_report"]["mean"]),
                       to_text(look["regret_of_best_report"]["se"])});
  return out;
}

Result<Exit> print_results(Session& session, const std::vector<Json>& results) {
  switch (session.options().format) {
    case Format::csv:
      session.print(flat_csv(results));
      return Exit::ok;
    case Format::md:
    case Format::latex:
    case Format::table: {
      std::vector<Json> rows;
      for (const Json& one : results) rows.push_back(with_estimates(one));
      session.print(list_text(session, simulation_columns(), rows));
      return Exit::ok;
    }
    case Format::json:
    case Format::jsonl:
    case Format::value:
    case Format::curves:
      break;
  }
  return print_list(session, simulation_columns(), results, "nothing was simulated");
}

Status run_repetition(const SimulateOptions& options, const SweepSpec* before,
                      const simulate::CurveTable& table, MethodResults& results, int repetition) {
  simulate::Setting setting;
  setting.workers = options.workers;
  setting.deadline = options.deadline;
  setting.target = options.target;
  setting.before = before;
  setting.seed = static_cast<std::uint64_t>(options.seed) + static_cast<std::uint64_t>(repetition);
  const auto outcome = simulate::simulate(results.method.spec, table, setting);
  if (!outcome)
    return refuse(Code::invalid, results.method.name + " on " + table.name() + ": " +
                                     (outcome.error().at.empty() ? "" : outcome.error().at + ": ") +
                                     outcome.error().detail);
  results.tally.add(*outcome);
  return Done{};
}

// Adds the rank of each method on its table, 1 for the lowest mean regret, and its regret divided
// by that of complete runs, where these are among the methods.
void compare(std::span<Json> of_table) {
  const auto regret = [](const Json& one) { return one["regret"]["mean"].get<double>(); };
  const auto complete = std::find_if(of_table.begin(), of_table.end(),
                                     [](const Json& one) { return one["method"] == rule_none; });
  for (Json& one : of_table) {
    one["rank"] = 1 + std::count_if(of_table.begin(), of_table.end(),
                                    [&](const Json& other) { return regret(other) < regret(one); });
    if (complete != of_table.end() && regret(*complete) > 0)
      one["relative_to_none"] = regret(one) / regret(*complete);
  }
}

Result<Exit> simulate_sweeps(Session& session, const SimulateOptions& options) {
  const auto spec = read_spec(options);
  if (!spec) return spec.error();
  auto methods = read_methods(*spec, options.against);
  if (!methods) return methods.error();
  const auto earlier = read_methods(
      *spec, options.after.empty() ? std::vector<std::string>{} : std::vector{options.after});
  if (!earlier) return earlier.error();
  if (!options.after.empty())
    for (const std::string& remark : leave_out_without_warm_start(*methods)) session.note(remark);
  std::vector<simulate::CurveTable> tables;
  for (const std::string& file : options.tables) {
    auto table = read_table(file);
    if (!table) return table.error();
    if (const auto& reach = spec->objective.reach) table->rate_by(*reach, spec->budget.per_run);
    tables.push_back(*std::move(table));
  }
  if (tables.empty())
    return refuse(Code::invalid, "no curves given; pass at least one --table CURVES.csv");

  const SweepSpec* before = options.after.empty() ? nullptr : &earlier->back().spec;

  Ticker ticker(session,
                static_cast<std::int64_t>(tables.size() * methods->size()) * options.repetitions,
                "sweeps");
  std::vector<Json> results;
  for (const simulate::CurveTable& table : tables) {
    for (const Method& method : *methods) {
      MethodResults of_method{table.name(), method, {}};
      for (int i = 0; i < options.repetitions; ++i) {
        if (auto done = run_repetition(options, before, table, of_method, i); !done)
          return done.error();
        ticker.step();
      }
      results.push_back(result_json(options, of_method));
    }
    compare(std::span(results).last(methods->size()));
  }
  ticker.done();
  return print_results(session, results);
}

SimulateOptions with_defaults(SimulateOptions options) {
  if (options.workers == 0) options.workers = 4;
  if (options.repetitions == 0) options.repetitions = 200;
  if (options.deadline == 0) options.deadline = 2;
  if (options.target < 0) options.target = 0.05;
  return options;
}

// An option of sweeps that is given for a cluster; empty: none.
std::string_view option_of_sweeps(const SimulateOptions& options) {
  if (options.workers != 0) return "--workers";
  if (!options.after.empty()) return "--after";
  if (options.repetitions != 0) return "--reps";
  if (options.deadline != 0) return "--deadline";
  return options.target < 0 ? "" : "--target";
}

Result<Exit> simulate_either(Session& session, const SimulateOptions& options) {
  const bool of_cluster = options.file == "cluster";
  if (of_cluster && options.cluster.empty())
    return refuse(Code::invalid,
                  "no cluster file given; write: hone simulate cluster FILE "
                  "(examples: sdk/examples/cluster)");
  if (!of_cluster && !options.cluster.empty())
    return refuse(Code::invalid, "unexpected argument '" + options.cluster +
                                     "'; a cluster is simulated by: hone simulate cluster FILE");
  if (!of_cluster && options.seeds >= 0)
    return refuse(Code::invalid,
                  "--seeds belongs to simulate cluster; a sweep is repeated --reps times");
  if (!of_cluster) return simulate_sweeps(session, with_defaults(options));
  if (!options.tables.empty())
    return refuse(Code::invalid, "--table belongs to sweeps; a cluster file may name a trace");
  if (const auto other = option_of_sweeps(options); !other.empty())
    return refuse(Code::invalid, std::string(other) +
                                     " belongs to the simulation of sweeps; simulate cluster has "
                                     "--seeds, --seed, --against and --set");
  return simulate_cluster(session, {options.cluster, options.against, options.assignments,
                                    std::max(0, options.seeds), options.seed});
}

}  // namespace

CommandAction declare_simulate(Flags& flags) {
  return with_options(simulate_either, [&](SimulateOptions& options) {
    flags.argument("FILE", options.file,
                   "the sweep file; the curves replace its trainer. Or the word cluster");
    flags.optional_argument("CLUSTER", options.cluster, "of simulate cluster: the cluster file");
    flags.texts("--table CSV", options.tables,
                "a table of learning curves with its card NAME.json; repeatable");
    flags.texts("--against [METHOD/]RULE[:NAME=VALUE,...]", options.against,
                "another method, as asha, hypertrick:eviction_rate=0.1, tpe/none; of a cluster: "
                "another policy; repeatable");
    flags.text("--after [METHOD/]RULE[:NAME=VALUE,...]", options.after,
               "every sweep learns from an earlier one by this method (search.warm_start)");
    flags.integer("--workers N", options.workers, {1, 4096}, "number of parallel runs");
    flags.real("--deadline T", options.deadline, {0.01, 1e6}, "when to stop, in full runs");
    flags.integer("--reps N", options.repetitions, {1, 1'000'000},
                  "number of repetitions, each with its own seeds");
    flags.real("--target R", options.target, {0, 1e6},
               "normalized regret at which the optimum counts as found");
    flags.integer("--seed N", options.seed, {0, 1e15}, "seed of the first repetition");
    flags.integer("--seeds N", options.seeds, {0, 100'000},
                  "of a cluster: number of seeds (0: 20, or 1 for a trace)");
    flags.texts("--set PATH=VALUE", options.assignments, "change a field of the file; repeatable");
  });
}

}  // namespace hone::cli
