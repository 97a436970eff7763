// simulate: the coordinator's own rules on recorded learning curves, under a virtual clock.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/text.hpp"
#include "schemas/codec/body.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/start/contenders.hpp"
#include "sdk/cli/local/ticker.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/render/table.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cpp/sweep_file.hpp"
#include "server/simulate/summary.hpp"

namespace hone::cli {
namespace {

struct Wish {
  std::string file;
  std::vector<std::string> tables, against, assignments;
  int workers = 4, repetitions = 200;
  double deadline = 2, target = 0.05;
  std::int64_t seed = 1;
};

Result<std::string> read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) return refuse(Code::invalid, "cannot read " + path.string());
  return text.str();
}

Error in_file(const std::filesystem::path& path, const Error& error) {
  return refuse(Code::invalid,
                path.string() + ": " + (error.at.empty() ? "" : error.at + ": ") + error.detail);
}

Result<simulate::CurveTable> read_table(const std::string& file) {
  const std::filesystem::path csv = file;
  std::filesystem::path card = csv;
  card.replace_extension(".json");
  const auto rows = read_text(csv);
  if (!rows) return rows.error();
  const auto about = read_text(card);
  if (!about)
    return refuse(Code::invalid,
                  "a curve table NAME.csv needs NAME.json beside it, with goal and "
                  "parameters: " +
                      about.error().detail);
  auto table = simulate::CurveTable::parse(csv.stem().string(), *rows, *about);
  if (!table) return in_file(csv, table.error());
  return table;
}

Result<SweepSpec> read_spec(const Wish& wish) {
  auto file = read_sweep_file(wish.file);
  if (!file) return refuse(Code::invalid, file.error().detail);
  for (const auto& assignment : wish.assignments)
    if (const auto set = set_path(file->document, assignment); !set)
      return refuse(Code::invalid, "--set " + assignment + ": " + set.error().detail);
  auto spec = decode_sweep_spec(file->document);
  if (!spec)
    return refuse(Code::invalid, file->place(spec.error().at) + ": " + spec.error().at + ": " +
                                     spec.error().detail);
  return spec;
}

struct Column {  // one method on one table
  std::string table;
  Contender contender;
  simulate::Tally tally;
};

Json estimate_json(const simulate::Estimate& estimate) {
  return {{"mean", estimate.mean}, {"se", estimate.standard_error}};
}

Json result_json(const Wish& wish, const Column& column) {
  const simulate::Summary summary = column.tally.summary();
  Json json = {{"table", column.table},
               {"method", column.contender.name},
               {"workers", wish.workers},
               {"deadline", wish.deadline},
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
               {"target", wish.target},
               {"found", summary.found},
               {"to_target", estimate_json(summary.to_target)}};
  json["anytime"] = Json::array();
  for (std::size_t i = 0; i < summary.named.size(); ++i)
    json["anytime"].push_back(
        {{"time", wish.deadline * static_cast<double>(i + 1) / simulate::anytime_points},
         {"regret", estimate_json(summary.named[i])},
         {"regret_of_best_report", estimate_json(summary.single[i])}});
  return json;
}

std::string fixed(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

Fields result_fields() {
  return {{"table", "/table"},
          {"method", "/method"},
          {"regret", "/shown/regret"},
          {"best report", "/shown/single"},
          {"25%", "/shown/quarter"},
          {"50%", "/shown/half"},
          {"75%", "/shown/three"},
          {"trials", "/shown/trials"},
          {"work/run", "/shown/work"},
          {"busy", "/shown/busy"},
          {"found", "/shown/found"},
          {"time to it", "/shown/time"},
          {"confirmed", "/shown/confirmed", Manner::text, Where::everywhere, true},
          {"gap", "/shown/gap", Manner::text, Where::everywhere, true},
          {"expected gap", "/shown/expected_gap", Manner::text, Where::everywhere, true},
          {"confirmed gap", "/shown/confirmed_gap", Manner::text, Where::everywhere, true},
          {"lost best", "/shown/lost", Manner::text, Where::everywhere, true},
          {"full runs", "/shown/phases", Manner::text, Where::everywhere, true}};
}

// The numbers as people read them: mean ± standard error.
Json with_shown(Json json) {
  const auto pm = [&](const Json& estimate, int digits) {
    return fixed(estimate["mean"].get<double>(), digits) + " ± " +
           fixed(estimate["se"].get<double>(), digits);
  };
  const Json& anytime = json["anytime"];
  const auto at = [&](std::size_t quarter) {
    return fixed(anytime[quarter * anytime.size() / 4 - 1]["regret"]["mean"].get<double>(), 3);
  };
  const double found = json["found"].get<double>();
  Json shown = {{"regret", pm(json["regret"], 3)},
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
      out += csv_line({one["table"], one["method"], to_text(one["workers"]),
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
    case Format::table: {
      std::vector<Json> rows;
      for (const Json& one : results) rows.push_back(with_shown(one));
      session.print(table_text(result_fields(), rows, session.screen()));
      return Exit::ok;
    }
    case Format::json:
    case Format::jsonl:
    case Format::value:
    case Format::curves:
      break;
  }
  return print_list(session, result_fields(), results, "nothing was simulated");
}

Status run_repetition(const Wish& wish, const simulate::CurveTable& table, Column& column,
                      int repetition) {
  simulate::Setting setting;
  setting.workers = wish.workers;
  setting.deadline = wish.deadline;
  setting.target = wish.target;
  setting.seed = static_cast<std::uint64_t>(wish.seed) + static_cast<std::uint64_t>(repetition);
  const auto outcome = simulate::simulate(column.contender.spec, table, setting);
  if (!outcome)
    return refuse(Code::invalid, column.contender.name + " on " + table.name() + ": " +
                                     (outcome.error().at.empty() ? "" : outcome.error().at + ": ") +
                                     outcome.error().detail);
  column.tally.add(*outcome);
  return Done{};
}

Result<Exit> simulate_sweeps(Session& session, const Wish& wish) {
  const auto spec = read_spec(wish);
  if (!spec) return spec.error();
  const auto contenders = read_contenders(*spec, wish.against);
  if (!contenders) return contenders.error();
  std::vector<simulate::CurveTable> tables;
  for (const std::string& file : wish.tables) {
    auto table = read_table(file);
    if (!table) return table.error();
    tables.push_back(*std::move(table));
  }
  if (tables.empty()) return refuse(Code::invalid, "give at least one --table CURVES.csv");

  Ticker ticker(session,
                static_cast<std::int64_t>(tables.size() * contenders->size()) * wish.repetitions,
                "sweeps");
  std::vector<Json> results;
  for (const simulate::CurveTable& table : tables)
    for (const Contender& contender : *contenders) {
      Column column{table.name(), contender, {}};
      for (int i = 0; i < wish.repetitions; ++i) {
        if (auto done = run_repetition(wish, table, column, i); !done) return done.error();
        ticker.step();
      }
      results.push_back(result_json(wish, column));
    }
  ticker.done();
  return print_results(session, results);
}

}  // namespace

Work declare_simulate(Flags& flags) {
  auto wish = std::make_shared<Wish>();
  flags.argument("FILE", wish->file, "the sweep file; what it trains is replaced by the curves");
  flags.texts("--table CSV", wish->tables,
              "a table of learning curves, its card NAME.json beside it; repeatable");
  flags.texts("--against [METHOD/]RULE[:NAME=VALUE,...]", wish->against,
              "a rival, as asha, hypertrick:eviction_rate=0.1, tpe/none; repeatable");
  flags.integer("--workers N", wish->workers, {1, 4096}, "runs at a time");
  flags.real("--deadline T", wish->deadline, {0.01, 1e6}, "when to look, in times of a full run");
  flags.integer("--reps N", wish->repetitions, {1, 1'000'000}, "repetitions, each with its seeds");
  flags.real("--target R", wish->target, {0, 1e6}, "normalized regret that counts as found");
  flags.integer("--seed N", wish->seed, {0, 1e15}, "of the first repetition");
  flags.texts("--set PATH=VALUE", wish->assignments, "change a field of the file");
  return [wish](Session& session) { return simulate_sweeps(session, *wish); };
}

}  // namespace hone::cli
