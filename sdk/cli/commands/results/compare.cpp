// compare: two sweeps or two trials side by side.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/look/objective_text.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/render/same_json.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"

namespace hone::cli {
namespace {

struct CompareOptions {
  std::string left;
  std::string right;
  bool all = false;
};

// The best value so far after each number of steps trained, in the order of the reports.
Json best_so_far(const Json& summary, const std::vector<Json>& events) {
  // If the objective is a time until a bar, the goal of the metric is in the spec.
  const std::string goal = text_at(summary, "/objective/goal");
  const bool minimize =
      (goal == "soonest" ? text_at(summary, "/spec/objective/goal") : goal) == "minimize";
  Json line = Json::array();
  double spent = 0;
  std::map<std::string, double> before;
  std::optional<double> best;
  for (const Json& event : events) {
    if (text_at(event, "/kind") != "report_recorded") continue;
    double& last = before[text_at(event, "/run")];
    spent += number_at(event, "/step") - last;
    last = number_at(event, "/step");
    const Json& value = member(event, "/value");
    if (!value.is_number()) continue;
    const double found = value.get<double>();
    if (best && (minimize ? found >= *best : found <= *best)) continue;
    best = found;
    line.push_back({{"steps", static_cast<std::int64_t>(std::clamp(spent, -0x1p53, 0x1p53))},
                    {"value", found}});
  }
  return line;
}

// The cost and the results of a sweep, in members that can be compared.
Result<Json> summary_of(Session& session, SweepId id) {
  const std::string path = "/v1/sweeps/" + text(id);
  const auto sweep = session.get(path);
  if (!sweep) return sweep.error();
  const auto runs = session.list(path + "/curves?limit=1000");
  if (!runs) return runs.error();
  Json summary = *sweep;
  double steps = 0, trained = 0;
  for (const Json& run : *runs)
    if (const Json& curve = member(run, "/curve"); !curve.empty()) {
      steps += number_at(curve.back(), "/step");
      trained += number_at(curve.back(), "/seconds");
    }
  const auto phases = std::max(1.0, number_at(summary, "/spec/budget/phases"));
  steps += std::floor(number_at(summary, "/phases/repeated") *
                      number_at(summary, "/spec/budget/per_run") / phases);
  summary["steps_used"] = static_cast<std::int64_t>(std::clamp(steps, -0x1p53, 0x1p53));
  summary["seconds_trained"] = trained;
  summary["best_params"] = Json::object();
  if (const std::string trial = text_at(summary, "/best/trial"); !trial.empty()) {
    const auto best = session.get("/v1/trials/" + trial);
    if (!best) return best.error();
    summary["best_params"] = member(*best, "/params");
  }
  const auto events = session.list("/v1/events?limit=1000&sweep=" + text(id));
  if (!events) return events.error();
  summary["incumbents"] = best_so_far(summary, *events);
  return summary;
}

Json value_at(const Json& line, double share, std::int64_t total) {
  Json value = nullptr;
  for (const Json& point : line)
    if (static_cast<double>(int_at(point, "/steps")) <= share * static_cast<double>(total))
      value = member(point, "/value");
  return value;
}

Json comparison(const std::string& what, Json left, Json right) {
  Json json;
  json["what"] = what;
  json["left"] = std::move(left);
  json["right"] = std::move(right);
  return json;
}

// Every member of the two documents that differs, by its path.
void differences(const std::string& path, const Json& left, const Json& right, bool all,
                 std::vector<Json>& rows) {
  if (left.is_object() && right.is_object()) {
    for (const auto& [key, value] : left.items())
      differences(path.empty() ? key : path + "." + key, value,
                  right.contains(key) ? right.at(key) : Json(nullptr), all, rows);
    for (const auto& [key, value] : right.items())
      if (!left.contains(key))
        differences(path.empty() ? key : path + "." + key, nullptr, value, all, rows);
    return;
  }
  if (all || !is_same(left, right)) rows.push_back(comparison(path, left, right));
}

// Each cell as text, because a column holds values of all types.
std::vector<Json> rows_as_text(const std::vector<Json>& rows) {
  std::vector<Json> texts;
  for (const Json& one : rows) {
    const auto text = [&](const char* side) {
      const Json& value = member(one, side);
      if (value.is_null()) return std::string("-");
      return value.is_structured() ? to_text(value) : value_text(value);
    };
    texts.push_back(comparison(text_at(one, "/what"), text("/left"), text("/right")));
  }
  return texts;
}

Result<Exit> print_rows(Session& session, const std::string& left, const std::string& right,
                        const Json& document, const std::vector<Json>& rows) {
  const Format format = session.options().format;
  if (format == Format::json || format == Format::jsonl) return print_object(session, document, "");
  Fields fields = {{"what", "/what"},
                   {left, "/left", CellType::long_text, Where::everywhere, false, 12},
                   {right, "/right", CellType::long_text, Where::everywhere, false, 12}};
  const bool data = format == Format::csv || format == Format::value;
  return print_list(session, fields, data ? rows : rows_as_text(rows), "no difference");
}

std::vector<Json> summary_rows(const Json& left, const Json& right, bool all) {
  std::vector<Json> rows;
  for (const char* what : {"name", "state"})
    rows.push_back(comparison(what, member(left, std::string("/") + what),
                              member(right, std::string("/") + what)));
  rows.push_back(comparison("objective", objectives_text(member(left, "/spec")),
                            objectives_text(member(right, "/spec"))));
  for (const char* what : {"steps_used", "seconds_trained"})
    rows.push_back(comparison(what, member(left, std::string("/") + what),
                              member(right, std::string("/") + what)));
  for (const char* what : {"trials/proposed", "phases/done", "runs/completed", "runs/stopped",
                           "runs/failed", "best/trial", "best/value", "best/confirmed"})
    rows.push_back(comparison(what, member(left, std::string("/") + what),
                              member(right, std::string("/") + what)));
  // Reports hold the metric, of which a time is derived.
  const bool times = text_at(left, "/objective/goal") == "soonest" &&
                     text_at(right, "/objective/goal") == "soonest";
  const std::string report = times ? text_at(left, "/objective/metric") : "report";
  const Json& ours = member(left, "/incumbents");
  const Json& theirs = member(right, "/incumbents");
  const auto total = std::max(int_at(left, "/steps_used"), int_at(right, "/steps_used"));
  for (const double share : {0.1, 0.25, 0.5, 1.0}) {
    const auto steps = static_cast<std::int64_t>(share * static_cast<double>(total));
    rows.push_back(comparison("best " + report + " after " + count_text(steps),
                              value_at(ours, share, total), value_at(theirs, share, total)));
  }
  differences("best", member(left, "/best_params"), member(right, "/best_params"), true, rows);
  differences("spec", member(left, "/spec"), member(right, "/spec"), all, rows);
  return rows;
}

Result<Exit> compare_sweeps(Session& session, const CompareOptions& options) {
  const auto left = resolve_sweep(session, options.left);
  if (!left) return left.error();
  const auto right = resolve_sweep(session, options.right);
  if (!right) return right.error();
  auto ours = summary_of(session, *left);
  if (!ours) return ours.error();
  auto theirs = summary_of(session, *right);
  if (!theirs) return theirs.error();
  const auto rows = summary_rows(*ours, *theirs, options.all);
  Json document;
  document["left"] = *ours;
  document["right"] = *theirs;
  document["rows"] = rows;
  return print_rows(session, text(*left), text(*right), document, rows);
}

// A trial with its workflow and spec: everything in which two trials can differ.
Result<Json> fetch_trial(Session& session, TrialId id) {
  auto trial = session.get("/v1/trials/" + text(id));
  if (!trial) return trial.error();
  const auto sweep = session.get("/v1/sweeps/" + text_at(*trial, "/sweep"));
  if (!sweep) return sweep.error();
  const auto workflow = session.get("/v1/workflows/" + text_at(*sweep, "/workflow"));
  if (!workflow) return workflow.error();
  (*trial)["workflow"] = *workflow;
  (*trial)["spec"] = member(*sweep, "/spec");
  return trial;
}

Result<Exit> compare_trials(Session& session, TrialId left, TrialId right, bool all) {
  const auto ours = fetch_trial(session, left);
  if (!ours) return ours.error();
  const auto theirs = fetch_trial(session, right);
  if (!theirs) return theirs.error();
  std::vector<Json> rows;
  for (const char* part : {"params", "value", "state", "reason", "phase", "sweep"})
    differences(part, member(*ours, std::string("/") + part),
                member(*theirs, std::string("/") + part), all, rows);
  if (text_at(*ours, "/sweep") != text_at(*theirs, "/sweep") || all)
    for (const char* part : {"workflow", "spec"})
      differences(part, member(*ours, std::string("/") + part),
                  member(*theirs, std::string("/") + part), all, rows);
  Json document;
  document["left"] = text(left);
  document["right"] = text(right);
  document["rows"] = rows;
  return print_rows(session, text(left), text(right), document, rows);
}

// Compares trials if both ids are of trials or of their runs, else the sweeps that they belong to.
Result<Exit> compare(Session& session, const CompareOptions& options) {
  const auto left = resolve_trial(options.left), right = resolve_trial(options.right);
  return left && right ? compare_trials(session, *left, *right, options.all)
                       : compare_sweeps(session, options);
}

}  // namespace

CommandAction declare_compare(Flags& flags) {
  return with_options(compare, [&](CompareOptions& options) {
    flags.argument("ID", options.left, "id of one sweep or trial");
    flags.argument("OTHER", options.right, "id of the other");
    flags.flag("--all", options.all, "show what they have in common too");
  });
}

}  // namespace hone::cli
