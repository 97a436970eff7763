#include "sdk/cli/commands/results/report_page.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/look/further.hpp"
#include "sdk/cli/commands/look/objective_text.hpp"
#include "sdk/cli/commands/look/show_texts.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/render/progress.hpp"
#include "sdk/cli/render/width.hpp"
#include "sdk/cli/session/captured.hpp"

namespace hone::cli {
namespace {

using study::PageCell;
using study::PageTable;

// An answer that a sweep of this state, or of this kind, does not have is no failure of a report.
bool is_absent(const Error& error) {
  return error.code == Code::conflict || error.code == Code::not_found;
}

// Half the width of an interval of two numbers; 0 of anything else.
double error_of(const Json& interval) {
  const Json& low = member(interval, "/0");
  const Json& high = member(interval, "/1");
  if (!low.is_number() || !high.is_number()) return 0;
  return (high.get<double>() - low.get<double>()) / 2;
}

std::string rounded_value(const Json& value, double error) {
  return value.is_number() ? rounded_text(value.get<double>(), error) : value_text(value);
}

std::string rounded_range(const Json& interval) {
  const double error = error_of(interval);
  if (!member(interval, "/1").is_number()) return "-";
  return rounded_value(member(interval, "/0"), error) + " .. " +
         rounded_value(member(interval, "/1"), error);
}

// " +: trained less than half as long ...", after another sentence.
std::string marks_clause(const Marks& marks) {
  const std::string text = marks_text(marks);
  return text.empty() ? text : " " + text.substr(0, text.size() - 1);
}

PageTable best_table(std::vector<Json> items, const Json& sweep) {
  Marks marks;
  for (Json& item : items) marks.add(mark_rank(item));
  const auto has = [&](const char* place) {
    return std::ranges::any_of(items, [&](const Json& i) { return !member(i, place).is_null(); });
  };
  const bool confirmed = has("/confirmed"), ranges = has("/interval/1");
  const std::string noise = noise_text(sweep);
  const auto further = further_metrics(member(sweep, "/spec"));
  PageTable table{"Best trials",
                  "value: the " + value_meaning(member(sweep, "/spec"), std::nullopt) +
                      (ranges ? ", with a 95 % interval" : "") + "; n: seeds" +
                      (confirmed ? "; confirmed: on seeds that tuning never used" : "") +
                      (noise.empty() ? "; expected: the likely value on a new seed."
                                     : "; " + noise +
                                           ": trials rank by expected, the likely value "
                                           "in another training by a model of all trials, with "
                                           "one standard deviation.") +
                      marks_clause(marks),
                  {"trial", "rank", "value"}};
  if (ranges) table.header.emplace_back("95 % interval");
  for (const char* name : {"n", "phases"}) table.header.emplace_back(name);
  if (confirmed) table.header.emplace_back("confirmed");
  table.header.emplace_back("expected");
  if (!noise.empty()) table.header.emplace_back("spread");
  for (const std::string& metric : further) table.header.push_back(printable(metric));
  for (const Json& item : items) {
    const Json& interval = member(item, "/interval");
    const double error = error_of(interval);
    std::vector<PageCell> row{{text_at(item, "/id")},
                              {value_text(member(item, "/rank"))},
                              {rounded_value(member(item, "/value"), error)}};
    if (ranges) row.push_back({rounded_range(interval)});
    row.push_back({value_text(member(item, "/seeds"))});
    row.push_back({value_text(member(item, "/phase"))});
    if (confirmed) row.push_back({rounded_value(member(item, "/confirmed"), error)});
    row.push_back({rounded_value(member(item, "/expected"), error)});
    if (!noise.empty())
      row.push_back({rounded_range(
          Json::array({member(item, "/expected_low"), member(item, "/expected_high")}))});
    for (const std::string& metric : further)
      row.push_back({value_text(member(item, "/further" + pointer_to(metric)))});
    table.rows.push_back(std::move(row));
  }
  return table;
}

// A row for each parameter: its domain, and its value in the best trials.
PageTable space_table(const std::vector<Json>& items, const Json& sweep) {
  constexpr std::size_t trials_max = 5;
  PageTable table{
      "Search space",
      "Each parameter with its values in the best trials; -: its condition was not met.",
      {"parameter", "domain"}};
  const std::size_t shown = std::min(items.size(), trials_max);
  for (std::size_t i = 0; i < shown; ++i) table.header.push_back(text_at(items[i], "/id"));
  for (const auto& [name, domain] : member(sweep, "/spec/parameters").items()) {
    std::vector<PageCell> row{{printable(name)}, {printable(domain_text(domain))}};
    for (std::size_t i = 0; i < shown; ++i) {
      const Json& params = member(items[i], "/params");
      const bool given_null = params.contains(name) && params.at(name).is_null();
      row.push_back({given_null ? "null" : value_text(member(params, pointer_to(name)))});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

PageTable front_table(const std::vector<Json>& items, const Json& sweep) {
  PageTable table{
      "Front", "The completed trials that no other beats in all objectives.", {"trial"}};
  for (const Json& objective : member(sweep, "/spec/objectives"))
    table.header.push_back(printable(text_at(objective, "/metric")));
  for (const Json& item : items) {
    std::vector<PageCell> row{{text_at(item, "/id")}};
    for (const Json& objective : member(sweep, "/spec/objectives"))
      row.push_back(
          {value_text(member(item, "/values" + pointer_to(text_at(objective, "/metric"))))});
    table.rows.push_back(std::move(row));
  }
  return table;
}

PageTable confirmation_table(const Json& report) {
  PageTable table{"Confirmation",
                  "The leaders on " + std::to_string(int_at(report, "/seeds")) +
                      " seeds that tuning never used. value: interquartile mean, with a 95 % "
                      "interval; chance best: share of 2000 bootstrap resamples in which the trial "
                      "is the best; tuned: the value in tuning; failed: runs without a value.",
                  {"trial", "rank", "value", "95 % interval", "n", "mean", "worst", "chance best",
                   "tuned", "failed"}};
  for (const Json& item : member(report, "/items")) {
    const Json& interval = member(item, "/interval");
    const double error = error_of(interval);
    table.rows.push_back({{text_at(item, "/of")},
                          {value_text(member(item, "/rank"))},
                          {rounded_value(member(item, "/iqm"), error)},
                          {rounded_range(interval)},
                          {value_text(member(item, "/seeds"))},
                          {rounded_value(member(item, "/mean"), error)},
                          {rounded_value(member(item, "/min"), error)},
                          {rounded_value(member(item, "/chance_best"), 0.1)},
                          {rounded_value(member(item, "/tuned_value"), error)},
                          {value_text(member(item, "/failed"))}});
  }
  return table;
}

PageTable importance_table(const Json& reply) {
  PageTable table{
      "Importance",
      "The share of the variance of " + text_at(reply, "/objective/metric") +
          " over the space that each parameter, and each pair, explains, by a forest "
          "of " +
          std::to_string(int_at(reply, "/trees")) + " trees on " +
          counted(int_at(reply, "/trials"), "trial") +
          "; deviation: among trees. The forest predicts " +
          number_text(std::round(1000 * std::max(0.0, number_at(reply, "/explained"))) / 10) +
          " % of the variance of trials that a tree has not seen.",
      {"parameters", "share", "deviation"}};
  for (const Json& item : member(reply, "/items")) {
    std::string names;
    for (const Json& name : member(item, "/parameters"))
      names += (names.empty() ? "" : " with ") + value_text(name);
    const double deviation = number_at(item, "/deviation");
    table.rows.push_back({{names},
                          {rounded_value(member(item, "/share"), deviation)},
                          {rounded_value(member(item, "/deviation"), deviation)}});
  }
  return table;
}

// A column for the sweep and for each confirmation.
PageTable costs_table(const ReportedSweeps& sweeps) {
  PageTable table{"Costs",
                  "hours of runs: of all runs together; hours of work: in which at least one run "
                  "trained.",
                  {"", text_at(sweeps.sweep, "/id")}};
  for (const Json& one : sweeps.confirmations) table.header.push_back(text_at(one, "/id"));
  const auto add = [&](const std::string& name, const auto& text) {
    std::vector<PageCell> row{{name}, {text(sweeps.sweep)}};
    for (const Json& one : sweeps.confirmations) row.push_back({text(one)});
    table.rows.push_back(std::move(row));
  };
  const auto at = [&](const std::string& name, const std::string& place) {
    add(name, [&](const Json& sweep) { return value_text(member(sweep, place)); });
  };
  at("trials", "/trials/proposed");
  for (const auto& [state, count] : member(sweeps.sweep, "/runs").items()) {
    const std::string place = "/runs" + pointer_to(state);
    const auto has = [&](const Json& sweep) { return int_at(sweep, place) > 0; };
    if (has(sweeps.sweep) || std::ranges::any_of(sweeps.confirmations, has))
      at("runs " + state, place);
  }
  at("phases trained", "/phases/done");
  at("phases trained again", "/phases/repeated");
  const auto hours = [&](const std::string& name, const std::string& place) {
    add(name, [&](const Json& sweep) {
      const Json& value = member(sweep, place);
      return value.is_number() ? number_text(value.get<double>() / 3600) : "-";
    });
  };
  hours("hours of runs", "/work/run_seconds");
  hours("hours of work", "/work/busy_seconds");
  return table;
}

std::string outcome_text(const Json& sweep) {
  const auto sum = [&](const char* name) { return int_at(sweep, std::string("/runs/") + name); };
  std::string text = counted(int_at(sweep, "/trials/proposed"), "trial") + " of " +
                     std::to_string(int_at(sweep, "/trials/total")) +
                     " were proposed. Runs: " + run_counts_text(member(sweep, "/runs")) + ". " +
                     counted(int_at(sweep, "/phases/done"), "phase") + " were trained";
  text += sum("stopped") > 0 ? ", with early stopping." : ".";
  for (const Json& cause : member(sweep, "/outcome/causes"))
    text += " " + counted(int_at(cause, "/runs"), "run") +
            " failed: " + printable(text_at(cause, "/cause")) + ".";
  for (const Json& remark : member(sweep, "/outcome/remarks"))
    text += " " + printable(value_text(remark)) + ".";
  if (const std::string state = text_at(sweep, "/state"); state != "completed")
    text += " The sweep is " + state + ": these are the numbers so far.";
  return text;
}

std::string setting_text(const Json& sweep) {
  const Json& spec = member(sweep, "/spec");
  std::string text = "Search: " + text_at(spec, "/search/method") +
                     settings_text(member(spec, "/search"), "method trials") + ", " +
                     counted(int_at(spec, "/search/trials"), "trial") + ", seed " +
                     std::to_string(int_at(spec, "/seed")) + ". Early stopping: rule " +
                     text_at(spec, "/terminator/rule") +
                     settings_text(member(spec, "/terminator"), "rule") +
                     ". Budget: " + budget_text(spec) + ".";
  for (const Json& one : member(sweep, "/learned"))
    text += " The search also learned " + learned_text(one) + ".";
  return printable(text);
}

std::string code_text(const Json& workflow) {
  const std::string commit = text_at(workflow, "/git_commit");
  const std::string patch = text_at(workflow, "/patch_sha256");
  const std::string packages = text_at(workflow, "/environment_sha256");
  std::string text = commit.empty() ? "The code was in no git repository."
                                    : "Code: git commit " + printable(commit) + ".";
  if (!patch.empty()) text += " Uncommitted changes: SHA-256 of git diff HEAD " + patch + ".";
  if (!packages.empty()) text += " Installed packages: SHA-256 of their list " + packages + ".";
  if (text_at(workflow, "/hone_version").empty()) return text + " Submitted over HTTP.";
  return text + " Submitted by hone " + printable(text_at(workflow, "/hone_version")) +
         (text_at(workflow, "/hone_commit").empty()
              ? ""
              : " (commit " + printable(text_at(workflow, "/hone_commit")) + ")") +
         ".";
}

// What a command prints, read again.
Result<Json> answer_of(Session& session, CommandAction (*declare)(Flags& flags),
                       const std::vector<std::string>& words) {
  const auto text = captured(session, declare, words, Format::json);
  if (!text) return text.error();
  return parse_json(*text);
}

// Adds the table of a command, if the sweep has such an answer.
template <class MakeTable>
Status add_table(Session& session, std::vector<ReportTable>& tables, const std::string& name,
                 CommandAction (*declare)(Flags& flags), const std::vector<std::string>& words,
                 const MakeTable& make) {
  const auto answer = answer_of(session, declare, words);
  if (!answer) return is_absent(answer.error()) ? Status(Done{}) : Status(answer.error());
  ReportTable made{
      name, "hone " + (name == "front" ? std::string("best") : name), {}, make(*answer)};
  if (made.table.rows.empty()) return Done{};
  for (const std::string& word : words) made.command += " " + word;
  auto csv = captured(session, declare, words, Format::csv);
  if (!csv) return csv.error();
  made.csv = *std::move(csv);
  tables.push_back(std::move(made));
  return Done{};
}

}  // namespace

Result<ReportedSweeps> reported_sweeps(Session& session, SweepId id) {
  auto sweep = answer_of(session, declare_show, {text(id)});
  if (!sweep) return sweep.error();
  ReportedSweeps sweeps{*std::move(sweep), {}};
  const auto confirmation = session.get("/v1/sweeps/" + text(id) + "/confirm");
  if (!confirmation) return is_absent(confirmation.error()) ? Result(sweeps) : confirmation.error();
  for (const Json& one : member(*confirmation, "/confirmations")) {
    auto shown = answer_of(session, declare_show, {value_text(one)});
    if (!shown) return shown.error();
    sweeps.confirmations.push_back(*std::move(shown));
  }
  return sweeps;
}

Result<std::vector<std::string>> methods_of(Session& session, const ReportedSweeps& sweeps) {
  const Json& sweep = sweeps.sweep;
  const Json& spec = member(sweep, "/spec");
  const std::string name = text_at(sweep, "/name");
  const bool is_named = name != "sweep";  // the name of a file without one
  const auto tuned = member(spec, "/parameters").size();
  std::vector<std::string> out{
      (tuned == 1 ? "The parameter of `" : "The " + counted(tuned, "parameter") + " of `") +
          printable(trainer_text(spec)) + (tuned == 1 ? "` was" : "` were") +
          " tuned with hone (sweep " + text_at(sweep, "/id") +
          (is_named ? ", " + printable(name) : "") + ") to " + printable(objectives_text(spec)) +
          ".",
      setting_text(sweep), outcome_text(sweep)};
  for (const Json& one : sweeps.confirmations)
    out.push_back("The leaders were trained again on seeds that tuning never used (" +
                  text_at(one, "/id") + "): " + run_counts_text(member(one, "/runs")) + ".");
  const Json& named = member(sweep, "/workflow");
  const auto workflow = named.is_string() ? parse_id<WorkflowId>(named.get<std::string>())
                                          : std::optional<WorkflowId>();
  if (!workflow) return out;
  const auto recorded = session.get("/v1/workflows/" + text(*workflow));
  if (!recorded) return recorded.error();
  out.push_back(code_text(*recorded));
  return out;
}

Result<std::vector<ReportTable>> tables_of(Session& session, const ReportedSweeps& sweeps) {
  const std::string id = text_at(sweeps.sweep, "/id");
  std::vector<ReportTable> tables;
  std::vector<Json> best;
  const auto of_best = [&](const Json& answer) {
    best = items_at(answer, "");
    return best_table(best, sweeps.sweep);
  };
  if (auto done = add_table(session, tables, "best", declare_best, {id}, of_best); !done)
    return done.error();
  const auto of_confirmation = [](const Json& answer) { return confirmation_table(answer); };
  const auto of_importance = [](const Json& answer) { return importance_table(answer); };
  const auto of_front = [&](const Json& answer) {
    return front_table(items_at(answer, ""), sweeps.sweep);
  };
  if (auto done = add_table(session, tables, "confirm", declare_confirm, {id}, of_confirmation);
      !done)
    return done.error();
  if (member(sweeps.sweep, "/spec/objectives").size() > 1)
    if (auto done = add_table(session, tables, "front", declare_best, {id, "--pareto"}, of_front);
        !done)
      return done.error();
  if (auto done = add_table(session, tables, "importance", declare_importance, {id}, of_importance);
      !done)
    return done.error();
  const std::string shown = "hone show " + id + " --format json";
  tables.push_back({"space", shown, {}, space_table(best, sweeps.sweep)});
  tables.push_back({"costs", shown, {}, costs_table(sweeps)});
  return tables;
}

}  // namespace hone::cli
