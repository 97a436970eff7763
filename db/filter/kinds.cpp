#include "db/filter/kinds.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/expect.hpp"
#include "db/leaderboard.hpp"

namespace hone::filter {
namespace {

using enum ObjectKind;
using enum FieldType;

constexpr std::array field_table{
    Field{sweep, "id", id, "s.id", "sw_7"},
    Field{sweep, "name", text, "s.name", ""},
    Field{sweep, "project", text, "s.project", ""},
    Field{sweep, "state", text, "s.state", "running paused stopping completed canceled failed"},
    Field{sweep, "reason", text, "s.reason", "why it ended"},
    Field{sweep, "method", text, "s.spec ->> '$.search.method'", "of the search"},
    Field{sweep, "terminator", text, "s.spec ->> '$.terminator.rule'", ""},
    Field{sweep, "trainer", text, "s.spec ->> '$.trainer.name'", ""},
    Field{sweep, "objective", text, "s.metric", "the name of its metric"},
    Field{sweep, "goal", text, "s.goal", "maximize, minimize, or soonest: a time until a bar"},
    Field{sweep, "seed", number, "s.seed", ""},
    Field{sweep, "trials", number, "s.trials", "to be proposed in all"},
    Field{sweep, "proposed", number, "s.proposed", "so far"},
    Field{sweep, "reports", number, "s.reports", ""},
    Field{sweep, "running", number, "(s.runs_leased + s.runs_running)", "runs now"},
    Field{sweep, "failed", number, "s.runs_failed", "runs"},
    Field{sweep, "value", number, sql::first_value, "of the first trial of its leaderboard"},
    Field{sweep, "noise", number, "s.noise", "share of the variance of its values, if it ranks"},
    Field{sweep, "submitted", time, "s.submitted_at", ""},
    Field{sweep, "ended", time, "s.ended_at", ""},
    Field{sweep, "archived", truth, "s.archived_at IS NOT NULL", ""},
    Field{sweep, "imported", truth, "s.imported_at IS NOT NULL", ""},
    Field{sweep, "forked_from", id, "s.forked_from", "sw_7"},

    Field{trial, "id", id, "t.id", "tr_42"},
    Field{trial, "number", number, "t.number", "within its sweep, from 0"},
    Field{trial, "state", text, "t.state", "of the run that matters most"},
    Field{trial, "reason", text, "t.reason", ""},
    Field{trial, "value", number, sql::value_of<"t.cost">,
          "the aggregate of its runs' final values", true},
    Field{trial, "best_report", number, sql::value_of<"t.best_cost">, "of any of its runs", true},
    Field{trial, "confirmed", number, sql::value_of<"t.confirmed_cost">,
          "its value in the confirmations", true},
    Field{trial, "expected", number, sql::value_of<"t.expected_cost">,
          "of noisy single runs: what a model expects", true},
    Field{trial, "phase", number, "t.phase", "reports of its furthest run"},
    Field{trial, "runs", number, "t.runs", ""},
    Field{trial, "seconds", number, sql::seconds_of_trial, "of a run, by the worker's clock"},
    Field{trial, "proposed", time, "t.proposed_at", ""},
    Field{trial, "pinned", truth, "t.pinned_at IS NOT NULL", ""},
    Field{trial, "from", id, "t.origin", "the trial it repeats in part"},
    Field{trial, "creator", text, "t.creator", "the token with which a user enqueued it"},

    Field{run, "id", id, "r.trial", "rn_42.0"},
    Field{run, "replicate", number, "r.replicate", ""},
    Field{run, "state", text, "r.state",
          "queued leased running paused completed stopped failed canceled"},
    Field{run, "reason", text, "r.reason", "why it ended or waits again"},
    Field{run, "failure", text, "r.failure", "whose fault it was"},
    Field{run, "attempts", number, "r.attempts", ""},
    Field{run, "phase", number, "r.reports", "reports so far"},
    Field{run, "step", number, "r.step", "of its latest report"},
    Field{run, "seconds", number, sql::seconds_of_run, "of its phases, by the worker's clock"},
    Field{run, "value", number, sql::value_of<"r.cost">, "its final value: the latest report",
          true},
    Field{run, "best_report", number, sql::value_of<"r.best_cost">, "", true},
    Field{run, "exit_code", number, "r.exit_code", ""},
    Field{run, "forked", truth,
          "EXISTS (SELECT 1 FROM trial x WHERE x.id = r.trial AND x.fork_trial IS NOT NULL)",
          "it continues another run"},
    Field{run, "detail", text, "r.detail", ""},
    Field{run, "started", time, "r.started_at", ""},
    Field{run, "ended", time, "r.ended_at", ""},

    Field{attempt, "id", id, "a.lease", "rn_42.0#2"},
    Field{attempt, "number", number, "a.number", "from 1"},
    Field{attempt, "reason", text, "a.end_reason", "why it ended"},
    Field{attempt, "failure", text, "a.failure", ""},
    Field{attempt, "step", text, "a.step_name", "of its pipeline"},
    Field{attempt, "finished", truth, "a.finished", "it finished its step"},
    Field{attempt, "granted", time, "a.granted_at", ""},
    Field{attempt, "ended", time, "a.ended_at", ""},
    Field{attempt, "live", truth, "a.ended_at IS NULL", ""},
    Field{attempt, "commit", text, "(SELECT c.git_commit FROM workflow c WHERE c.id = a.workflow)",
          "of the code that it executed"},
    Field{attempt, "changed", truth,
          "EXISTS (SELECT 1 FROM attempt_code x WHERE x.lease = a.lease AND x.differs <> '')",
          "it executed other code than was submitted"},

    Field{model, "id", id, "m.id", "md_9"},
    Field{model, "step", number, "m.step", ""},
    Field{model, "phase", number, "m.phase + 1", "from 1"},
    Field{model, "bytes", number, "m.bytes", ""},
    Field{model, "sha256", text, "m.sha256", ""},
    Field{model, "value", number,
          "(SELECT p.value FROM report p WHERE p.trial = m.trial AND p.replicate = m.replicate"
          " AND p.phase = m.phase)",
          "the report of its phase"},
    Field{model, "saved", time, "m.saved_at", ""},
    Field{model, "dropped", truth, "m.dropped_at IS NOT NULL", ""},
    Field{model, "parent", id, "m.parent", "md_9"},
    Field{model, "evaluated", number,
          "(SELECT o.mean FROM evaluation o WHERE o.model = m.id ORDER BY o.id DESC LIMIT 1)",
          "the mean of its newest evaluation"},

    Field{dataset, "id", id, "d.id", "ds_3"},
    Field{dataset, "name", text, "d.name", ""},
    Field{dataset, "version", text, "d.version", ""},
    Field{dataset, "digest", text, "d.digest", ""},
    Field{dataset, "location", text, "d.location", "host:/path"},
    Field{dataset, "recorded", time, "d.recorded_at", ""},

    Field{workflow, "id", id, "f.id", "wf_2"},
    Field{workflow, "name", text, "f.name", "what the user calls it"},
    Field{workflow, "release", text, "f.version", "the version of the workflow of that name"},
    Field{workflow, "description", text, "f.description", ""},
    Field{workflow, "commit", text, "f.git_commit", ""},
    Field{workflow, "branch", text, "f.git_branch", ""},
    Field{workflow, "patch", text, "f.patch_sha256", "digest of the uncommitted patch"},
    Field{workflow, "environment", text, "f.environment_sha256", "digest of the package list"},
    Field{workflow, "host", text, "f.host", ""},
    Field{workflow, "user", text, "f.user", ""},
    Field{workflow, "folder", text, "f.cwd", ""},
    Field{workflow, "command", text, "f.command", "the submitting command line"},
    Field{workflow, "version", text, "f.hone_version", "of hone"},
    Field{workflow, "build", text, "f.hone_commit", "the commit that hone was built from"},
    Field{workflow, "recorded", time, "f.recorded_at", ""},

    Field{worker, "id", id, "w.id", "wk_1"},
    Field{worker, "host", text, "w.host", ""},
    Field{worker, "pid", number, "w.pid", ""},
    Field{worker, "cpus", number, "w.cpus", ""},
    Field{worker, "gpus", number, "w.gpus", ""},
    Field{worker, "version", text, "w.hone_version", "of hone"},
    Field{worker, "joined", time, "w.joined_at", ""},
    Field{worker, "seen", time, "w.last_seen_at", ""},

    Field{evaluation, "id", id, "e.id", "ev_3"},
    Field{evaluation, "metric", text, "e.metric", ""},
    Field{evaluation, "mean", number, "e.mean", ""},
    Field{evaluation, "deviation", number, "e.deviation", "of one episode"},
    Field{evaluation, "episodes", number, "e.episodes", ""},
    Field{evaluation, "environment", text, "e.environment", ""},
    Field{evaluation, "seed", number, "e.seed", ""},
    Field{evaluation, "sample", truth, "e.sample", "actions were drawn from the policy"},
    Field{evaluation, "author", text, "e.author", ""},
    Field{evaluation, "recorded", time, "e.recorded_at", ""},

    Field{report, "id", text, "'rn_' || q.trial || '.' || q.replicate || '@' || q.phase",
          "rn_42.0@3"},
    Field{report, "phase", number, "q.phase + 1", "from 1"},
    Field{report, "step", number, "q.step", ""},
    Field{report, "value", number, "q.value", "of the objective"},
    Field{report, "diverged", truth, "q.value IS NULL", "it has no finite value"},
    Field{report, "verdict", text, "q.verdict ->> '$.verdict'", "continue stop"},
    Field{report, "reason", text, "q.verdict ->> '$.reason'", "of its verdict"},
    Field{report, "reported", time, "q.at", ""},

    Field{metric, "id", text, "'rn_' || u.trial || '.' || u.replicate || '/' || u.name",
          "rn_42.0/loss"},
    Field{metric, "name", text, "u.name", ""},
    Field{metric, "step", number, "u.step", "of its newest point"},
    Field{metric, "value", number, "u.value", "of its newest point"},

    Field{artifact, "name", text, "v.name", "its path in the run's folder"},
    Field{artifact, "bytes", number, "v.bytes", ""},
    Field{artifact, "sha256", text, "v.sha256", ""},
    Field{artifact, "saved", time, "v.saved_at", ""},
};

}  // namespace

std::string_view alias(ObjectKind kind) {
  constexpr std::array<std::string_view, 12> aliases{"s", "t", "r", "a", "m", "d",
                                                     "f", "w", "e", "q", "u", "v"};
  return aliases[static_cast<std::size_t>(kind)];
}

std::optional<ObjectKind> kind_named(std::string_view name) {
  std::string lower(name);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  const auto kind = parse_word<ObjectKind>(lower);
  if (kind || !lower.ends_with('s')) return kind;
  lower.pop_back();
  return parse_word<ObjectKind>(lower);
}

bool leads_to(ObjectKind low, ObjectKind high) {
  if (low == high) return true;
  switch (low) {
    case sweep:
      return high == workflow || high == dataset;
    case trial:
      return high == sweep || leads_to(sweep, high);
    case run:
      return high == trial || high == worker || leads_to(trial, high);
    case attempt:
      return high == run || leads_to(run, high);
    case model:
    case report:
      return high == attempt || leads_to(attempt, high);
    case evaluation:
      return high == model || (high != worker && leads_to(run, high));
    case metric:
    case artifact:
      return high != worker && leads_to(run, high);
    case dataset:
    case workflow:
    case worker:
      return false;
  }
  unreachable();
}

std::span<const Field> fields() { return field_table; }

const Field* find_field(ObjectKind of, std::string_view name) {
  const auto found = std::ranges::find_if(
      field_table, [&](const Field& field) { return field.of == of && field.name == name; });
  return found == field_table.end() ? nullptr : &*found;
}

}  // namespace hone::filter
