#include "sdk/cli/commands/look/show_texts.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.hpp"
#include "schemas/types/search_spec.hpp"
#include "sdk/cli/commands/look/columns.hpp"
#include "sdk/cli/commands/look/objective_text.hpp"
#include "sdk/cli/commands/look/slot_texts.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/progress.hpp"
#include "sdk/cli/render/width.hpp"
#include "sdk/cli/session/output.hpp"

namespace hone::cli {

std::string indented(const std::string& text) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const auto end = std::min(text.find('\n', at), text.size());
    out += "  " + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

std::string learned_text(const Json& learned) {
  return "from " + std::to_string(int_at(learned, "/used")) + " of " +
         counted(int_at(learned, "/trials"), "trial") + " of " + text_at(learned, "/sweep");
}

namespace {

using Lines = std::vector<RecordLine>;

void add(Lines& lines, const std::string& label, const std::string& value, Ink ink = Ink::plain) {
  if (!value.empty()) lines.push_back({label, printable(value), ink});
}

std::string record(const Lines& lines, Screen screen) {
  screen.columns -= 2;  // those of the indentation
  return indented(record_text(lines, screen));
}

std::string title(const Json& object, const std::string& name, const Shown& shown) {
  return paint(shown.screen, Ink::bold, printable(text_at(object, "/id"))) + "  " +
         printable(name) + "\n";
}

// The values of the further objectives.
void add_further(Lines& lines, const Json& object) {
  for (const auto& [metric, value] : member(object, "/further").items())
    add(lines, metric, value_text(value));
}

void add_state(Lines& lines, const Json& object) {
  std::string state = text_at(object, "/state");
  const Ink ink = ink_of_state(state);
  const std::string reason = text_at(object, "/reason");
  if (!reason.empty() && reason != "none") state += " (" + reason + ")";
  add(lines, "state", state, ink);
}

std::string progress_text(const Json& sweep) {
  const auto done = int_at(sweep, "/phases/done");
  const auto expected = int_at(sweep, "/phases/expected");
  std::string text = std::to_string(done) + " of " + std::to_string(expected) + " expected phases";
  if (expected > 0)
    text += " (" + std::to_string(std::min<std::int64_t>(100, done * 100 / expected)) + "%)";
  return text;
}

// Forks that took the place of a member come on top of a population.
std::string proposed_text(const Json& sweep) {
  const auto proposed = int_at(sweep, "/trials/proposed"), total = int_at(sweep, "/trials/total");
  if (is_population_method(text_at(sweep, "/spec/search/method")) && proposed > total)
    return counted(total, "member") + ", followed by " + counted(proposed - total, "fork");
  return std::to_string(proposed) + " of " + std::to_string(total) + " proposed";
}

// The first trial of the leaderboard.
std::string leader_text(const Json& sweep) {
  const Json& best = member(sweep, "/best");
  if (best.is_null()) return "nothing reported yet";
  std::string text = text_at(best, "/trial") + ": " + value_text(member(best, "/value")) + " (" +
                     value_meaning(member(sweep, "/spec"), int_at(best, "/seeds")) + ")";
  if (const Json& confirmed = member(best, "/confirmed"); !confirmed.is_null())
    text += ", confirmed " + value_text(confirmed) + " (" +
            std::to_string(int_at(best, "/confirmed_seeds")) + " new seeds)";
  return text + expected_text(sweep) + ", best report " + value_text(member(best, "/best_report"));
}

std::string duration_of(const Json& object, const char* from, const char* to, Instant now) {
  const auto start = time_at(object, from);
  if (!start) return {};
  return duration_text(time_at(object, to).value_or(now) - *start);
}

void add_spec(Lines& lines, const Json& spec) {
  if (!member(spec, "/steps").is_array()) add(lines, "trainer", trainer_text(spec));
  bool first_step = true;
  for (const Json& step : member(spec, "/steps")) {
    add(lines, first_step ? "steps" : "", text_at(step, "/name") + ": " + trainer_text(step));
    first_step = false;
  }
  add(lines, "search",
      text_at(spec, "/search/method") + ", " + std::to_string(int_at(spec, "/search/trials")) +
          " trials" + settings_text(member(spec, "/search"), "method trials"));
  add(lines, "terminator",
      text_at(spec, "/terminator/rule") + settings_text(member(spec, "/terminator"), "rule"));
  add(lines, "budget", budget_text(spec));
  add(lines, "resources", run_resources_text(member(spec, "/resources")));
  add(lines, "slots", share_text(spec));
  add(lines, "by", deadline_text(member(spec, "/by")));
  bool first = true;
  for (const auto& [name, domain] : member(spec, "/parameters").items()) {
    add(lines, first ? "parameters" : "", name + ": " + domain_text(domain));
    first = false;
  }
  first = true;
  for (const Json& one : member(spec, "/constraints"))
    add(lines, std::exchange(first, false) ? "constraints" : "", value_text(one));
}

std::string workflow_line(const Json& sweep) {
  const Json& workflow = member(sweep, "/workflow");
  return workflow.is_string() ? workflow.get<std::string>() : text_at(workflow, "/id");
}

}  // namespace

std::string settings_text(const Json& object, const std::string& named) {
  Json rest = Json::object();
  if (object.is_object())
    for (const auto& [name, value] : object.items())
      if ((" " + named + " ").find(" " + name + " ") == std::string::npos) rest[name] = value;
  return rest.empty() ? "" : ", " + params_text(rest);
}

std::string trainer_text(const Json& spec) {
  const Json& given = member(spec, "/command");
  const Json& command = given.is_object() ? member(given, "/run") : given;
  if (command.is_array()) {
    std::string text;
    for (const auto& word : command) text += (text.empty() ? "" : " ") + value_text(word);
    return text;
  }
  return text_at(spec, "/trainer/name") + settings_text(member(spec, "/trainer"), "name");
}

std::string budget_text(const Json& spec) {
  const auto seeds = int_at(spec, "/replicates/seeds");
  const auto phases = int_at(spec, "/budget/phases");
  std::string text = count_text(int_at(spec, "/budget/per_run")) + " " +
                     text_at(spec, "/budget/unit") + " a run in " + std::to_string(phases) +
                     (phases == 1 ? " phase" : " phases");
  if (seeds > 1) text += ", " + std::to_string(seeds) + " seeds a trial";
  return text;
}

std::string run_counts_text(const Json& runs) {
  std::string text;
  for (const auto& [state, count] : runs.items())
    if (count.is_number_integer() && count != 0)
      text += (text.empty() ? "" : ", ") + to_text(count) + " " + state;
  return text.empty() ? "none yet" : text;
}

std::string sweep_text(const Json& sweep, const Shown& shown) {
  Lines lines;
  add_state(lines, sweep);
  const std::string detail = text_at(sweep, "/detail");
  add(lines, "because", detail, Ink::bad);
  for (const std::string& remark : remarks_of(sweep))
    if (remark != detail) add(lines, "note", remark, Ink::bad);
  add(lines, "project", text_at(sweep, "/project"));
  add(lines, "objective", objectives_text(member(sweep, "/spec")));
  add(lines, "submitted", when_text(sweep, "/submitted_at", shown.at));
  add(lines, "ended", when_text(sweep, "/ended_at", shown.at));
  add(lines, "took", work_text(sweep));
  add(lines, "progress", progress_text(sweep));
  add(lines, "time left", time_left_text(member(sweep, "/eta")));
  add(lines, "trials", proposed_text(sweep));
  for (const Json& one : member(sweep, "/learned")) add(lines, "learned", learned_text(one));
  add(lines, "runs", run_counts_text(member(sweep, "/runs")));
  add(lines, "best", leader_text(sweep));
  add_spec(lines, member(sweep, "/spec"));
  add(lines, "workflow", workflow_line(sweep));
  add(lines, "dataset", text_at(sweep, "/dataset"));
  for (const Json& one : member(sweep, "/spec/datasets"))
    add(lines, text_at(one, "/role"), text_at(one, "/name") + "  " + text_at(one, "/location"));
  return title(sweep, text_at(sweep, "/name"), shown) + record(lines, shown.screen);
}

std::string trial_text(const Json& trial, const Shown& shown) {
  Lines lines;
  add_state(lines, trial);
  if (!member(trial, "/value").is_null())
    add(lines, "value",
        value_text(member(trial, "/value")) + " (" +
            value_meaning(member(trial, "/spec"), int_at(trial, "/seeds")) + ")");
  add_further(lines, trial);
  if (!member(trial, "/confirmed").is_null())
    add(lines, "confirmed",
        value_text(member(trial, "/confirmed")) + " (" +
            std::to_string(int_at(trial, "/confirmed_seeds")) + " new seeds)");
  if (!member(trial, "/expected").is_null())
    add(lines, "expected",
        value_text(member(trial, "/expected")) + " in another training, " +
            range_text(
                Json::array({member(trial, "/expected_low"), member(trial, "/expected_high")})));
  if (!member(trial, "/best_report").is_null())
    add(lines, "best report", value_text(member(trial, "/best_report")));
  add(lines, "sweep", text_at(trial, "/sweep"));
  add(lines, "creator", text_at(trial, "/creator"));
  bool first = true;
  for (const auto& [name, value] : member(trial, "/params").items()) {
    add(lines, first ? "parameters" : "", name + " = " + exact_text(value));
    first = false;
  }
  return title(trial, "parameter set " + std::to_string(int_at(trial, "/number") + 1), shown) +
         record(lines, shown.screen);
}

std::string run_text(const Json& run, const Shown& shown) {
  Lines lines;
  add_state(lines, run);
  add(lines, "detail", text_at(run, "/detail"));
  const std::string cause = text_at(run, "/cause");
  add(lines, "cause", cause == text_at(run, "/detail") ? "" : cause);
  if (int_at(run, "/exit_code") != 0)
    add(lines, "exit code", std::to_string(int_at(run, "/exit_code")));
  add(lines, "sweep", text_at(run, "/sweep"));
  add(lines, "trial", text_at(run, "/trial"));
  const Json& passed = member(run, "/seed_passed");
  add(lines, "seed",
      value_text(member(run, "/seed")) +
          (passed.is_null() ? "" : ", passed as " + value_text(passed) + " (its lowest 31 bits)"));
  add(lines, "reports",
      std::to_string(int_at(run, "/phase")) + ", step " + count_text(int_at(run, "/step")));
  add(lines, "value",
      value_text(member(run, "/value")) + "  (best " + value_text(member(run, "/best")) + ")");
  add_further(lines, run);
  add(lines, "worker", text_at(run, "/worker"));
  if (const Json& origin = member(run, "/origin"); origin.is_object())
    add(lines, "continues",
        text_at(origin, "/run") + " after phase " + std::to_string(int_at(origin, "/phase") + 1) +
            ", step " + count_text(int_at(origin, "/step")));
  add(lines, "replaced by", text_at(run, "/successor"));
  add(lines, "started", when_text(run, "/started_at", shown.at));
  add(lines, "ended", when_text(run, "/ended_at", shown.at));
  add(lines, "took", duration_of(run, "/started_at", "/ended_at", shown.at));
  return title(run, "run", shown) + record(lines, shown.screen);
}

std::string log_text(const Json& run, const Shown& shown) {
  const std::string log = text_at(run, "/log_tail");
  if (log.empty()) return {};
  std::string clean;
  for (std::size_t at = 0; at < log.size();) {
    const auto end = std::min(log.find('\n', at), log.size());
    clean += "  " + printable(std::string_view(log).substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return paint(shown.screen, Ink::bold, "last lines of the log") + "\n" + clean;
}

std::string failure_text(const Json& attempt) {
  const std::string failure = text_at(attempt, "/failure");
  return failure == "none" ? "" : failure;
}

std::string code_of(const Json& attempt) {
  std::string code = text_at(attempt, "/workflow");
  if (const std::string differs = text_at(attempt, "/code_differs_in"); !differs.empty())
    code += ", differs from the submission in: " + differs;
  if (const std::string later = text_at(attempt, "/workflow_at_end"); !later.empty())
    code += "; " + later +
            " at its end: the folder changed while it ran, which code: snapshot rules out";
  return code;
}

std::string attempt_text(const Json& attempt, const Shown& shown) {
  Lines lines;
  add(lines, "step",
      text_at(attempt, "/step") + (member(attempt, "/finished") == true ? ", finished" : ""));
  add(lines, "worker", text_at(attempt, "/worker") + " on " + text_at(attempt, "/host"));
  add(lines, "lease", text_at(attempt, "/lease"));
  add(lines, "started", when_text(attempt, "/started_at", shown.at));
  add(lines, "ended", when_text(attempt, "/ended_at", shown.at));
  add(lines, "reason", text_at(attempt, "/end_reason"));
  add(lines, "failure", failure_text(attempt));
  add(lines, "resumed", text_at(attempt, "/resume"));
  add(lines, "code", code_of(attempt));
  return title(attempt, "attempt", shown) + record(lines, shown.screen);
}

std::string model_text(const Json& model, const Shown& shown) {
  Lines lines;
  add(lines, "value", value_text(member(model, "/value")));
  add(lines, "run", text_at(model, "/run"));
  add(lines, "sweep", text_at(model, "/sweep"));
  add(lines, "taken at",
      "phase " + std::to_string(int_at(model, "/phase") + 1) + ", step " +
          count_text(int_at(model, "/step")));
  add(lines, "parent", text_at(model, "/parent"));
  add(lines, "size", bytes_text(int_at(model, "/bytes")));
  add(lines, "sha256", text_at(model, "/sha256"));
  add(lines, "saved", when_text(model, "/saved_at", shown.at));
  if (!text_at(model, "/dropped_at").empty())
    add(lines, "dropped", when_text(model, "/dropped_at", shown.at));
  return title(model, "model", shown) + record(lines, shown.screen);
}

std::string workflow_text(const Json& workflow, const Shown& shown) {
  Lines lines;
  std::string command;
  for (const auto& word : member(workflow, "/command"))
    command += (command.empty() ? "" : " ") + value_text(word);
  const std::string version = text_at(workflow, "/version");
  add(lines, "name", text_at(workflow, "/name") + (version.empty() ? "" : ", version " + version));
  add(lines, "description", text_at(workflow, "/description"));
  add(lines, "command", command);
  add(lines, "folder", text_at(workflow, "/cwd"));
  add(lines, "by", text_at(workflow, "/user") + " on " + text_at(workflow, "/host"));
  const std::string commit = text_at(workflow, "/git_commit");
  const std::string branch = text_at(workflow, "/git_branch");
  add(lines, "git", commit.empty() ? "" : commit + (branch.empty() ? "" : " (" + branch + ")"));
  const std::string patch = text_at(workflow, "/patch_sha256");
  add(lines, "uncommitted", patch.empty() ? "" : "sha256 of git diff HEAD: " + patch);
  const std::string environment = text_at(workflow, "/environment_sha256");
  add(lines, "environment",
      environment.empty() ? "" : "sha256 of the list of packages: " + environment);
  if (!patch.empty() || !environment.empty())
    add(lines, "download", "hone fetch " + text_at(workflow, "/id"));
  add(lines, "hone", text_at(workflow, "/hone_version"));
  return title(workflow, "workflow", shown) + record(lines, shown.screen);
}

std::string worker_text(const Json& worker, const Shown& shown) {
  Lines lines;
  add(lines, "host", text_at(worker, "/host"));
  add(lines, "pid", std::to_string(int_at(worker, "/pid")));
  add(lines, "slots",
      std::to_string(int_at(worker, "/cpus")) + " cpus, " +
          std::to_string(int_at(worker, "/gpus")) + " gpus");
  std::string gpus;
  for (const Json& bytes : member(worker, "/gpu_memory"))
    gpus += (gpus.empty() ? "" : ", ") + bytes_text(int_at(bytes, ""));
  add(lines, "memory of gpus", gpus);
  if (const auto memory = int_at(worker, "/memory"); memory > 0)
    add(lines, "memory", bytes_text(memory));
  add(lines, "labels", labels_text(member(worker, "/labels")));
  add(lines, "state", text_at(worker, "/state"),
      text_at(worker, "/state") == "present" ? Ink::good : Ink::bad);
  add(lines, "last seen", when_text(worker, "/last_seen_at", shown.at));
  add(lines, "running", std::to_string(int_at(worker, "/running")) + " runs");
  add(lines, "use", text_at(worker, "/use/text"));
  add(lines, "hone", text_at(worker, "/hone_version"));
  add(lines, "joined", when_text(worker, "/joined_at", shown.at));
  add(lines, "quarantined until", when_text(worker, "/aside_until", shown.at));
  add(lines, "because", text_at(worker, "/aside_why"));
  return title(worker, "worker", shown) + record(lines, shown.screen);
}

std::string plain_text(const Json& object, const Shown& shown) {
  Lines lines;
  for (const auto& [name, value] : object.items())
    if (name != "id" && name != "name") add(lines, name, value.is_null() ? "" : value_text(value));
  return title(object, text_at(object, "/name"), shown) + record(lines, shown.screen);
}

std::string about_text(const Json& about, const Shown& shown) {
  Lines lines;
  std::string tags;
  for (const auto& tag : member(about, "/tags"))
    tags += (tags.empty() ? "" : " ") + value_text(tag);
  add(lines, "tags", tags);
  for (const auto& note : member(about, "/notes")) {
    const std::string author = text_at(note, "/author");
    add(lines, text_at(note, "/at").substr(0, 10),
        text_at(note, "/text") + (author.empty() ? "" : "  (" + author + ")"));
  }
  return lines.empty() ? "" : record(lines, shown.screen);
}

}  // namespace hone::cli
