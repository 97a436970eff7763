// advise: which trainer, on how many agents, from the runs of this ledger.
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/fields.hpp"
#include "schemas/types/methods.hpp"
#include "schemas/types/spec.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/results/advise_history.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/input.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cpp/sweep_file.hpp"

namespace hone::cli {
namespace {

constexpr double no_target = -1e308;

struct AdviseOptions {
  std::string file, within, experiment;
  double target = no_target;
};

Field shown(const char* name, const char* pointer) {
  return {name, pointer, CellType::text, Where::table_only};
}

Field data(const char* name, const char* pointer) {
  return {name, pointer, CellType::number, Where::data_only};
}

Fields advice_columns() {
  return {{"trainer", "/trainer"},
          {"runs", "/runs", CellType::count},
          shown("sizes", "/shown/sizes"),
          {"agents", "/agents", CellType::count},
          shown("time", "/shown/time"),
          {"value", "/value", CellType::number},
          {"fastest", "/fastest", CellType::count},
          shown("time error", "/shown/time_error"),
          shown("curve error", "/shown/curve_error"),
          data("seconds", "/seconds"),
          data("units", "/units"),
          data("time_error", "/time_error"),
          data("curve_error", "/curve_error"),
          {"why", "/why", CellType::text, Where::data_only}};
}

std::string sizes_text(const std::vector<int>& sizes) {
  constexpr std::size_t shown = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(sizes.size(), shown); ++i)
    text += (i == 0 ? "" : ",") + std::to_string(sizes[i]);
  return sizes.size() > shown ? text + ",.." + std::to_string(sizes.back()) : text;
}

Json number_or_null(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json row_of(const forecast::Advice& advice) {
  const bool answered = advice.size > 0;
  Json row;
  row["trainer"] = advice.trainer;
  row["runs"] = advice.runs;
  row["sizes"] = advice.sizes;
  row["agents"] = answered ? Json(advice.size) : Json(nullptr);
  row["seconds"] = answered ? Json(advice.seconds) : Json(nullptr);
  row["units"] = answered ? Json(std::round(advice.steps)) : Json(nullptr);
  row["value"] = answered ? Json(advice.value) : Json(nullptr);
  row["fastest"] = advice.fastest > 0 ? Json(advice.fastest) : Json(nullptr);
  row["time_error"] = number_or_null(advice.time_error);
  row["curve_error"] =
      advice.progress_error ? number_or_null(std::exp(*advice.progress_error)) : Json(nullptr);
  row["why"] = advice.why.empty() ? Json(nullptr) : Json(advice.why);
  return row;
}

// Adds the cells of the table to a row.
Json with_texts(Json row, const forecast::Advice& advice) {
  Json& texts = row["shown"];
  texts["sizes"] = sizes_text(advice.sizes);
  texts["time"] = advice.size > 0 ? duration_text(duration_of(advice.seconds)) : "-";
  texts["time_error"] =
      advice.time_error ? number_text(std::round(100 * *advice.time_error)) + " %" : "-";
  texts["curve_error"] =
      advice.progress_error
          ? "x" + number_text(std::round(100 * std::exp(*advice.progress_error)) / 100)
          : "-";
  return row;
}

// A sweep over sizes that would fill the gaps of a history: the file as it is, with its trainer's
// number of agents as one more parameter.
Result<Json> experiment_of(Json document) {
  const std::string trainer = text_at(document, "/trainer/name");
  const std::string name = size_name(trainer);
  if (name.empty())
    return refuse(Code::invalid,
                  "the trainer '" + trainer +
                      "' has no number of agents to compare; ga3c, a3c, a2c, impala, "
                      "apex and gorila have one");
  if (changes_size(document, Json::object()))
    return refuse(Code::invalid,
                  "ga3c would change its number of agents while it trains; set trainer.dynamic "
                  "to no");
  document["name"] = trainer + "-sizes";
  document["trainer"].erase(name);
  document["parameters"][name] = {{"type", "choice"}, {"values", {1, 2, 4}}};
  document["search"] = {{"method", drawing_method}, {"trials", 12}};
  document["terminator"] = {{"rule", rule_none}};
  return document;
}

Result<Exit> write_experiment(Session& session, const Json& document, const std::string& file) {
  const auto experiment = experiment_of(document);
  if (!experiment) return experiment.error();
  if (const auto spec = decode_request<SweepSpec>(*experiment); !spec)
    return refuse(Code::invalid, "the experiment would not be a sweep: " + spec.error().at + ": " +
                                     spec.error().detail);
  if (const auto written = write_file(file, experiment->dump(2) + "\n"); !written)
    return written.error();
  session.note("wrote " + file + "; run it with: hone submit " + file + " --watch");
  return Exit::ok;
}

Result<forecast::AdviceQuestion> question_of(const AdviseOptions& options, const SweepSpec& spec) {
  forecast::AdviceQuestion question{spec.objective.goal, std::nullopt, 0};
  const bool has_target = options.target != no_target;
  if (has_target == !options.within.empty())
    return refuse(Code::invalid, "pass either --target VALUE or --within DURATION");
  if (has_target) {
    question.target = options.target;
    return question;
  }
  const auto within = codec::parse_duration(options.within);
  if (!within || within->us <= 0)
    return refuse(Code::invalid,
                  "--within: '" + options.within + "' is no duration; write 90s, 15m, 2h or 7d");
  question.within = static_cast<double>(within->us) / 1e6;
  return question;
}

std::string experiment_hint(const std::string& file) {
  return "gather evidence with: hone plan --advise " + file + " --experiment sizes.json";
}

// Reports the runs that the history leaves out, in every format: the rows do not show it.
void note_left_out(Session& session, const AdviceHistory& history) {
  if (history.changing > 0)
    session.note(counted(history.changing, "run") +
                 " left out: ga3c changed its number of agents while it trained (dynamic)");
  if (history.unmeasured > 0)
    session.note(counted(history.unmeasured, "run") + " left out: no report");
  if (history.cut)
    session.note("older sweeps are left out: only the newest 100, and 5000 runs, are read");
}

// Names the latest deadline with an answer, after one that is too late.
std::string latest(const forecast::Advice& row) {
  if (!(row.within_max > 0)) return "";
  return "; the latest is " + duration_text(duration_of(row.within_max));
}

// Reports rows without an answer and sizes that no run had: the table does not show these.
void note_limits(Session& session, const std::vector<forecast::Advice>& rows,
                 const std::string& file) {
  bool single = false;
  for (const forecast::Advice& row : rows) {
    if (!row.why.empty()) session.note(row.trainer + ": no answer: " + row.why + latest(row));
    if (row.size > 0 && std::ranges::find(row.sizes, row.size) == row.sizes.end())
      session.note(row.trainer + ": no run had " + std::to_string(row.size) +
                   " agents: an extrapolation from " + sizes_text(row.sizes));
    single = single || (row.sizes.size() < 2 && !size_name(row.trainer).empty());
  }
  if (single) session.note("runs of one size say nothing of other sizes; " + experiment_hint(file));
}

Result<Exit> advise_trainer(Session& session, const AdviseOptions& options) {
  auto file = read_sweep_file(options.file);
  if (!file) return refuse(Code::invalid, file.error().detail);
  const auto spec = decode_request<SweepSpec>(file->document);
  if (!spec)
    return refuse(Code::invalid, file->place(spec.error().at) + ": " + spec.error().at + ": " +
                                     spec.error().detail);
  if (!options.experiment.empty())
    return write_experiment(session, file->document, options.experiment);
  const auto question = question_of(options, *spec);
  if (!question) return question.error();
  const Json document = encode(*spec);
  const std::string environment = environment_of(document);
  if (environment.empty())
    return refuse(Code::invalid,
                  options.file +
                      ": trainer.env is not set; advice compares built-in trainers on "
                      "one environment");
  const auto history = advice_history(session, document);
  if (!history) return history.error();
  const auto rows = forecast::advise(history->runs, *question);
  note_left_out(session, *history);
  std::vector<Json> items;
  for (const forecast::Advice& row : rows)
    items.push_back(session.options().format == Format::table ? with_texts(row_of(row), row)
                                                              : row_of(row));
  const auto printed = print_list(session, advice_columns(), items,
                                  "no run on " + environment + " with the objective " +
                                      text_at(document, "/objective/metric") + " yet; " +
                                      experiment_hint(options.file));
  if (printed && session.options().format == Format::table)
    note_limits(session, rows, options.file);
  return printed;
}

}  // namespace

CommandAction declare_advise(Flags& flags) {
  return with_options(advise_trainer, [&](AdviseOptions& options) {
    flags.argument("FILE", options.file, "a sweep file: its environment and objective");
    flags.real("--target VALUE", options.target, {-1e300, 1e300},
               "find what reaches this value first");
    flags.text("--within DURATION", options.within, "find what is best after this time, as 10m");
    flags.text("--experiment FILE", options.experiment,
               "write a sweep that compares 1, 2 and 4 agents, and do nothing else");
  });
}

}  // namespace hone::cli
