#include <algorithm>
#include <cmath>

#include "base/expect.hpp"
#include "base/text.hpp"
#include "db/queries/queries.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/types/reach.hpp"
#include "schemas/types/spec.hpp"
#include "server/api/arguments.hpp"
#include "server/api/explain/explain_cause.hpp"
#include "server/api/explain/explain_cost.hpp"
#include "server/api/explain/explain_fork.hpp"
#include "server/api/explain/explain_reach.hpp"
#include "server/api/explain/explain_turn.hpp"
#include "server/api/explain/explain_verdict.hpp"
#include "server/api/progress.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/api/use.hpp"
#include "server/api/workers/explain_wait.hpp"
#include "server/sweep/state/shape.hpp"

namespace hone::api {
namespace {

// The inputs of an explanation, read in one snapshot.
struct Facts {
  RunRow run;
  SweepRow sweep;
  SweepSpec spec;
  std::vector<CurveRow> curve;
  std::unique_ptr<Terminator> terminator;
  std::unique_ptr<Terminator> unpausing;  // the rule for runs without a checkpoint, or null
  ResourcesSpec resources;
  bool asked = false;  // evaluated by a client of `ask`, not by a worker
};

Result<Facts> read_facts(SQLite::Database& db, const RunRow& run) {
  auto sweep = find_sweep(db, run.sweep);
  if (!sweep) return sweep.error();
  auto curve = read_curve(db, run.id);
  if (!curve) return curve.error();
  auto terminator = terminator_of(*sweep);
  if (!terminator) return terminator.error();
  const auto spec = spec_of(*sweep);
  if (!spec) return spec.error();
  const bool asked = std::holds_alternative<AskTrainer>(spec->trainer);
  std::unique_ptr<Terminator> unpausing;
  if (const auto rule = without_pauses(spec->terminator))
    if (auto made = make_terminator(*rule, sweep_shape(*spec))) unpausing = *std::move(made);
  return Facts{run,
               *std::move(sweep),
               *spec,
               *std::move(curve),
               *std::move(terminator),
               std::move(unpausing),
               most_resources(*spec),
               asked};
}

// The rule that judged: a run without a checkpoint is judged by one that pauses no run.
const Terminator& judge_of(const Facts& facts, const Verdict& verdict) {
  const auto marked = [](const VerdictInput& input) { return input.name == "no_checkpoint"; };
  const bool replaced = facts.unpausing && std::ranges::any_of(verdict.inputs, marked);
  return replaced ? *facts.unpausing : *facts.terminator;
}

// Computes the verdict again from its recorded inputs.
Action recompute(const Facts& facts, const Verdict& verdict) {
  if (by_rule(verdict.reason)) return judge_of(facts, verdict).recompute(verdict.inputs);
  if (verdict.reason == VerdictReason::yields) return Action::pause;
  if (verdict.reason == VerdictReason::too_late) return recompute_too_late(verdict.inputs);
  const bool ends = verdict.reason == VerdictReason::last_phase ||
                    verdict.reason == VerdictReason::diverged ||
                    verdict.reason == VerdictReason::reached;
  return ends ? Action::stop : Action::go_on;
}

std::string score_text(Score score) {
  if (score.is_not_reached()) return "not reached";
  return score.is_diverged() ? "no finite number" : number_text(score.value());
}

// "Run rn_42.0 (sweep sw_7, ga3c-cartpole)".
std::string subject(const Facts& facts) {
  return "Run " + text(facts.run.id) + " (sweep " + text(facts.sweep.id) + ", " + facts.sweep.name +
         ")";
}

// "phase 4 of 10 (step 400000) with a return of 112.5": phases count from 1 for people.
std::string where(const Facts& facts, const CurveRow& report) {
  return "phase " + std::to_string(report.phase + 1) + " of " +
         std::to_string(facts.sweep.phases_per_run) + " (step " + std::to_string(report.step) +
         ") with " + facts.sweep.objective.metric + " = " + score_text(report.value);
}

std::string goal_text(const Facts& facts) {
  return metric_goal(facts.spec.objective) == Goal::maximize ? " (larger is better)"
                                                             : " (smaller is better)";
}

// Whether the latest report was followed by a pause. Precondition: the run trains again.
bool was_promoted(const Facts& facts) {
  return !facts.curve.empty() && facts.curve.back().verdict &&
         facts.curve.back().verdict->action == Action::pause;
}

// The rule's explanation of a report's verdict.
std::string rule_text(const Facts& facts, const CurveRow& report) {
  if (!report.verdict) return "";
  if (!by_rule(report.verdict->reason)) return overruled_text(*report.verdict, facts.spec);
  return " " + judge_of(facts, *report.verdict).explain(*report.verdict) + ".";
}

// Of an objective of time: whether and when the run reached its bar.
std::string whether_reached(const Facts& facts) {
  if (!facts.spec.objective.reach || facts.curve.empty()) return "";
  const CurveRow& report = facts.curve.back();
  return " " + reach_text(facts.spec, report.value,
                          report.spent.value_or(static_cast<double>(report.step)));
}

std::string last_report(const Facts& facts) {
  if (facts.curve.empty()) return " It has made no report yet.";
  const auto& report = facts.curve.back();
  return " Its latest report ended " + where(facts, report) + goal_text(facts) + "." +
         whether_reached(facts) + rule_text(facts, report);
}

std::string best_text(const Facts& facts) {
  if (facts.spec.objective.reach) return whether_reached(facts);
  if (!facts.run.best) return "";
  auto text = " Its best " + facts.sweep.objective.metric + " was " + score_text(*facts.run.best);
  if (facts.run.best_phase) text += ", in phase " + std::to_string(*facts.run.best_phase + 1);
  return text + goal_text(facts) + ".";
}

std::string stopped_text(const Facts& facts) {
  if (facts.curve.empty()) return " was stopped before its first report.";
  const auto& report = facts.curve.back();
  if (facts.run.reason == EndReason::diverged)
    return " was stopped because it diverged: it ended " + where(facts, report) +
           ", which ranks below every finite value, and further training cannot improve it.";
  if (facts.run.reason == EndReason::time_limit)
    return " was stopped because its time was over (limits.run or limits.phase), at the end of " +
           where(facts, report) + goal_text(facts) + ": what it reported counts.";
  if (facts.run.reason == EndReason::not_promoted)
    return " was paused at the end of " + where(facts, report) + goal_text(facts) +
           ", and ended there: the sweep finished without promoting it." +
           (rule_text(facts, report).empty() ? ""
                                             : " When it reported:" + rule_text(facts, report));
  return " was stopped early, at the end of " + where(facts, report) + goal_text(facts) + "." +
         whether_reached(facts) + rule_text(facts, report);
}

std::string completed_text(const Facts& facts) {
  const auto reports = counted(facts.run.reports, "report");
  if (facts.run.reason == EndReason::exited_early)
    return " is complete: its process finished by itself after " + reports + " of " +
           std::to_string(facts.sweep.phases_per_run) + "." + best_text(facts);
  if (facts.run.reason == EndReason::bar_reached)
    return " is complete." + whether_reached(facts) + " Its process ended there, after " + reports +
           " of " + std::to_string(facts.sweep.phases_per_run) + ".";
  return " is complete: it used its whole budget and made " + reports + "." + best_text(facts);
}

std::string class_text(Failure failure) {
  return failure == Failure::none ? "" : std::string(" Its class: ").append(word(failure)) + ".";
}

std::string failed_text(const Facts& facts) {
  const auto& run = facts.run;
  auto text = " failed after " + counted(run.attempts, "attempt") + " and " +
              counted(run.reports, "report") + ": " +
              cause(facts.run, facts.asked, facts.sweep.detail);
  if (!run.detail.empty()) text += " (" + run.detail + ")";
  return text + "." + class_text(run.failure);
}

std::string log_text(const RunRow& run) {
  if (run.state != RunState::failed || run.log_tail.empty()) return "";
  std::string tail = run.log_tail;
  while (!tail.empty() && tail.back() == '\n') tail.pop_back();
  return " The last lines of its log:\n" + tail;
}

// The cause with the end of the log, then what else is known: behind lines of the log it begins a
// paragraph.
std::string with_details(std::string text, const std::string& log, std::string details) {
  if (!log.empty() && !details.empty()) details.replace(0, 1, "\n\n");
  return text + log + details;
}

std::string rest_text(const RunRow& run) {
  return run.rests_until ? " It rests until " + rfc3339(*run.rests_until) + "." : "";
}

// What such a run waits for besides slots.
std::string gpu_text(const ResourcesSpec& needs) {
  if (needs.gpus == 0) return "";
  const std::string gpus = " It needs " + counted(needs.gpus, "GPU");
  if (needs.gpu_memory == 0) return gpus + " that no run uses.";
  return gpus + " with " + memory_text(static_cast<double>(needs.gpu_memory)) +
         " that no run has; it may share " + (needs.gpus == 1 ? "it." : "them.");
}

// Of a run that is to share no GPU any more.
std::string full_text(const RunRow& run) {
  return run.failure == Failure::oom && !run.detail.empty() ? " (" + run.detail + ")" : "";
}

std::string queued_text(const Facts& facts) {
  const auto& run = facts.run;
  if (run.attempts == 0 && facts.asked) return " waits for a client to ask for it.";
  if (run.attempts == 0)
    return " waits in the queue for a worker with free slots." + gpu_text(facts.resources);
  if (run.reason == EndReason::none)
    return " waits in the queue for the next step of its pipeline." + last_report(facts);
  if (!facts.curve.empty() && facts.curve.back().verdict &&
      facts.curve.back().verdict->reason == VerdictReason::yields &&
      run.reason == EndReason::requeue_requested)
    return " waits for its turn: " + run.detail + "." + last_report(facts);
  return " waits in the queue for another worker, after " + counted(run.attempts, "attempt") +
         ": " + cause(facts.run, facts.asked, facts.sweep.detail) + full_text(run) + "." +
         class_text(run.failure) + rest_text(run) +
         " It continues from its last checkpoint, if it saved one." + last_report(facts);
}

std::string on_worker(const RunRow& run) {
  return run.worker ? " on " + text(*run.worker) : std::string();
}

// A run that is leased or running.
std::string held_text(const Facts& facts) {
  const std::string promoted =
      was_promoted(facts) ? " It was paused after its latest report, and has been promoted since."
                          : std::string();
  if (facts.asked)
    return " was asked for" +
           (facts.run.worker ? " by " + text(*facts.run.worker) : std::string()) +
           " and waits for its result to be told." + promoted + last_report(facts);
  if (facts.run.state == RunState::running)
    return " is running" + on_worker(facts.run) + "." + promoted + last_report(facts);
  return " has been given to a worker" + on_worker(facts.run) + " and is about to start." +
         promoted + last_report(facts);
}

bool waits_for_its_turn(const Facts& facts) {
  return was_promoted(facts) && facts.curve.back().verdict->reason == VerdictReason::awaits_turn;
}

std::string story(const Facts& facts) {
  switch (facts.run.state) {
    case RunState::queued:
      return queued_text(facts);
    case RunState::leased:
    case RunState::running:
      return held_text(facts);
    case RunState::paused:
      return (waits_for_its_turn(facts)
                  ? " is paused until the members of its population that are behind have caught up."
                  : " is paused: its rule continues it if it turns out to be among the best.") +
             last_report(facts);
    case RunState::completed:
      return completed_text(facts);
    case RunState::stopped:
      return stopped_text(facts);
    case RunState::failed:
      return failed_text(facts);
    case RunState::canceled:
      return " was canceled: " + cause(facts.run, facts.asked, facts.sweep.detail) + "." +
             last_report(facts);
  }
  unreachable();
}

// The numbers that a verdict followed from; in words where they stand for a bar not reached.
Json inputs_json(const Facts& facts, const Json& inputs) {
  Json shown = inputs;
  if (!facts.spec.objective.reach) return shown;
  for (Json& input : shown)
    if (input.is_number() && std::abs(input.get<double>()) >= some_not_reached_from)
      input = "not_reached";
  return shown;
}

Json verdicts(const Facts& facts) {
  Json items = Json::array();
  for (const auto& report : facts.curve) {
    if (!report.verdict) continue;
    Json item;
    item["phase"] = report.phase;
    item["value"] = encode(report.value);
    const auto verdict = encode(*report.verdict);
    for (const auto& [key, value] : verdict.items()) item[key] = value;
    item["inputs"] = inputs_json(facts, verdict.at("inputs"));
    item["recomputed"] = word(recompute(facts, *report.verdict));
    items.push_back(std::move(item));
  }
  return items;
}

// A warning if a verdict does not follow from its inputs.
std::string doubt(const Facts& facts) {
  for (const auto& report : facts.curve)
    if (report.verdict && recompute(facts, *report.verdict) != report.verdict->action)
      return " Recomputing the verdict of phase " + std::to_string(report.phase + 1) +
             " from its recorded inputs gives another answer: please report this as a bug.";
  return "";
}

Result<Json> explain(SQLite::Database& db, const RunRow& run) {
  const auto facts = read_facts(db, run);
  if (!facts) return facts.error();
  Json json;
  json["trial"] = text(run.id.trial);
  json["run"] = text(run.id);
  json["state"] = word(run.state);
  json["reason"] = word(run.reason);
  const auto width = newest_width(db, run);
  ResourcesSpec claimed = facts->resources;
  if (width) claimed.cpus = width->cpus;
  const auto use = read_use(db, run.id, claimed);
  json["text"] = with_details(subject(*facts) + story(*facts) + doubt(*facts), log_text(run),
                              fork_text(facts->run) + proposal_cost_text(db, run.id.trial) +
                                  (facts->asked ? "" : turn_text(db, run, facts->resources)) +
                                  width_text(width) + neighbours_text(db, run) +
                                  (is_end(run.state) ? "" : kept_free_text(db, run.sweep)) +
                                  (use ? " " + use_text(*use) : ""));
  json["use"] = render_use(use);
  json["verdicts"] = verdicts(*facts);
  return json;
}

}  // namespace

std::string story_of(SQLite::Database& db, const RunRow& run) {
  const auto facts = read_facts(db, run);
  return facts ? subject(*facts) + story(*facts) : std::string();
}

namespace {

ReadResult explained(const Result<Json>& json) {
  if (!json) return json.error();
  return json_response(*json);
}

// Every run of a trial in a row: where one seed collapsed, the others do not show it.
Json seed_rows(const std::vector<RunRow>& runs) {
  Json rows = Json::array();
  for (const RunRow& run : runs) {
    const Json all = render(run);
    Json row;
    for (const char* member : {"id", "seed", "state", "reason", "phase", "value", "best"})
      row[member] = all.at(member);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

// GET /v1/runs/{run}/explain
ReadResult explain_run(SQLite::Database& db, const Request& request) {
  const auto id = path_id<RunId>(request);
  if (!id) return id.error();
  const Snapshot snapshot(db);
  const auto row = find_run(db, *id);
  if (!row) return row.error();
  return explained(explain(db, *row));
}

// GET /v1/trials/{trial}/explain: of the run that its trial's state comes from, with all its seeds
ReadResult explain_trial(SQLite::Database& db, const Request& request) {
  const auto id = path_id<TrialId>(request);
  if (!id) return id.error();
  const Snapshot snapshot(db);
  const auto row = find_trial(db, *id);
  if (!row) return row.error();
  const auto page = list_runs(db, *id, PageQuery{});
  if (!page) return page.error();
  for (const auto& run : page->items) {
    if (run.state != row->state) continue;
    auto json = explain(db, run);
    if (!json) return json.error();
    if (page->items.size() > 1) (*json)["seeds"] = seed_rows(page->items);
    return json_response(*json);
  }
  return refuse(Code::internal, "trial " + text(*id) + " has no run in its own state");
}

}  // namespace hone::api
