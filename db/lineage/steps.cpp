#include "db/lineage/steps.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "base/expect.hpp"
#include "db/literal.hpp"
#include "db/sql.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/words.hpp"

namespace hone {
namespace {

using enum ObjectKind;

constexpr std::array relation_table{
    Relation{metric, metric, "point_of", "SELECT ?1, ?2, ?3, NULL WHERE ?4 IS NOT NULL",
             "SELECT trial, replicate, name, step FROM metric_point WHERE trial = ?1 AND"
             " replicate = ?2 AND name = ?3 AND ?4 IS NULL ORDER BY step"},
    Relation{metric, run, "logged_by",
             "SELECT trial, replicate FROM run WHERE trial = ?1 AND replicate = ?2"
             " AND ?3 <> '' AND ?4 IS NULL",
             "SELECT trial, replicate, name, NULL FROM metric_last WHERE trial = ?1 AND"
             " replicate = ?2 ORDER BY name"},
    Relation{report, run, "reported_by",
             "SELECT trial, replicate FROM run WHERE trial = ?1 AND replicate = ?2 AND ?3 >= 0",
             "SELECT trial, replicate, phase FROM report WHERE trial = ?1 AND replicate = ?2"
             " ORDER BY phase"},
    Relation{report, attempt, "reported_in",
             "SELECT a.trial, a.replicate, a.number FROM report p JOIN attempt a ON"
             " a.lease = p.lease WHERE p.trial = ?1 AND p.replicate = ?2 AND p.phase = ?3",
             "SELECT p.trial, p.replicate, p.phase FROM attempt a JOIN report p ON"
             " p.trial = a.trial AND p.replicate = a.replicate AND p.lease = a.lease"
             " WHERE a.trial = ?1 AND a.replicate = ?2 AND a.number = ?3 ORDER BY p.phase"},
    Relation{model, report, "judged_by",
             "SELECT p.trial, p.replicate, p.phase FROM model m JOIN report p ON"
             " p.trial = m.trial AND p.replicate = m.replicate AND p.phase = m.phase"
             " WHERE m.id = ?1",
             "SELECT id FROM model WHERE trial = ?1 AND replicate = ?2 AND phase = ?3 ORDER BY id"},
    Relation{model, attempt, "saved_in",
             "SELECT a.trial, a.replicate, a.number FROM model m JOIN attempt a ON"
             " a.lease = m.lease WHERE m.id = ?1",
             "SELECT m.id FROM attempt a JOIN model m ON m.trial = a.trial AND"
             " m.replicate = a.replicate AND m.lease = a.lease"
             " WHERE a.trial = ?1 AND a.replicate = ?2 AND a.number = ?3 ORDER BY m.id"},
    Relation{attempt, model, "resumed_from",
             "SELECT resume FROM attempt WHERE trial = ?1 AND replicate = ?2 AND number = ?3"
             " AND resume IS NOT NULL",
             "SELECT trial, replicate, number FROM attempt WHERE resume = ?1 ORDER BY lease"},
    Relation{model, run, "saved_by", "SELECT trial, replicate FROM model WHERE id = ?1",
             "SELECT id FROM model WHERE trial = ?1 AND replicate = ?2 ORDER BY id"},
    Relation{model, model, "continued_from",
             "SELECT parent FROM model WHERE id = ?1 AND parent IS NOT NULL",
             "SELECT id FROM model WHERE parent = ?1 ORDER BY id"},
    Relation{attempt, run, "attempt_of",
             "SELECT trial, replicate FROM run WHERE trial = ?1 AND replicate = ?2 AND ?3 > 0",
             "SELECT trial, replicate, number FROM attempt WHERE trial = ?1 AND replicate = ?2"
             " ORDER BY number"},
    // Telemetry has no lease: a point belongs to the newest attempt that was granted before it.
    Relation{metric, attempt, "logged_in",
             "SELECT trial, replicate, number FROM attempt WHERE trial = ?1 AND replicate = ?2"
             " AND granted_at <= (SELECT at FROM metric_point WHERE trial = ?1 AND replicate = ?2"
             " AND name = ?3 AND step = ?4) ORDER BY granted_at DESC LIMIT 1",
             "SELECT p.trial, p.replicate, p.name, p.step FROM attempt a JOIN metric_point p ON"
             " p.trial = a.trial AND p.replicate = a.replicate AND p.at >= a.granted_at"
             " WHERE a.trial = ?1 AND a.replicate = ?2 AND a.number = ?3 AND NOT EXISTS"
             " (SELECT 1 FROM attempt b WHERE b.trial = a.trial AND b.replicate = a.replicate"
             "  AND b.number > a.number AND b.granted_at <= p.at) ORDER BY p.name, p.step"},
    Relation{evaluation, model, "measured_of", "SELECT model FROM evaluation WHERE id = ?1",
             "SELECT id FROM evaluation WHERE model = ?1 ORDER BY id"},
    Relation{attempt, workflow, "executed",
             "SELECT workflow FROM attempt WHERE trial = ?1 AND replicate = ?2 AND number = ?3"
             " AND workflow IS NOT NULL",
             "SELECT trial, replicate, number FROM attempt WHERE workflow = ?1 ORDER BY lease"},
    Relation{attempt, attempt, "got_files_of",
             "SELECT b.trial, b.replicate, b.number FROM attempt a JOIN sweep s ON s.id = a.sweep"
             " JOIN attempt b ON b.trial = a.trial AND b.replicate = a.replicate AND b.finished = 1"
             " AND b.step < a.step WHERE a.trial = ?1 AND a.replicate = ?2 AND a.number = ?3 AND"
             " (json_type(s.spec, '$.steps[' || a.step || '].needs') IS NULL OR b.step_name IN"
             " (SELECT value FROM json_each(s.spec, '$.steps[' || a.step || '].needs')))"
             " ORDER BY b.step",
             "SELECT a.trial, a.replicate, a.number FROM attempt b JOIN sweep s ON s.id = b.sweep"
             " JOIN attempt a ON a.trial = b.trial AND a.replicate = b.replicate"
             " AND a.step > b.step WHERE b.trial = ?1 AND b.replicate = ?2 AND b.number = ?3 AND"
             " b.finished = 1 AND (json_type(s.spec, '$.steps[' || a.step || '].needs') IS NULL OR"
             " b.step_name IN (SELECT value FROM"
             " json_each(s.spec, '$.steps[' || a.step || '].needs'))) ORDER BY a.number"},
    Relation{attempt, worker, "executed_by",
             "SELECT worker FROM attempt WHERE trial = ?1 AND replicate = ?2 AND number = ?3",
             "SELECT trial, replicate, number FROM attempt WHERE worker = ?1 ORDER BY lease"},
    Relation{run, trial, "run_of", "SELECT trial FROM run WHERE trial = ?1 AND replicate = ?2",
             "SELECT trial, replicate FROM run WHERE trial = ?1 ORDER BY replicate"},
    Relation{trial, sweep, "proposed_by", "SELECT sweep FROM trial WHERE id = ?1",
             "SELECT id FROM trial WHERE sweep = ?1 ORDER BY number"},
    Relation{trial, trial, "resubmitted_from",
             "SELECT origin FROM trial WHERE id = ?1 AND origin IS NOT NULL",
             "SELECT id FROM trial WHERE origin = ?1 ORDER BY id"},
    Relation{trial, run, "forked_from",
             "SELECT fork_trial, fork_replicate FROM trial WHERE id = ?1 AND fork_trial IS NOT"
             " NULL",
             "SELECT id FROM trial WHERE fork_trial = ?1 AND fork_replicate = ?2 ORDER BY id"},
    Relation{trial, trial, "replaces",
             "SELECT replaces FROM trial WHERE id = ?1 AND replaces IS NOT NULL",
             "SELECT id FROM trial WHERE replaces = ?1 ORDER BY id"},
    Relation{sweep, sweep, "forked_from",
             "SELECT forked_from FROM sweep WHERE id = ?1 AND forked_from IS NOT NULL",
             "SELECT id FROM sweep WHERE forked_from = ?1 ORDER BY id"},
    Relation{sweep, sweep, "warm_started_from",
             "SELECT earlier FROM warm_start WHERE sweep = ?1 ORDER BY earlier",
             "SELECT sweep FROM warm_start WHERE earlier = ?1 ORDER BY sweep"},
    Relation{sweep, sweep, "confirms",
             "SELECT confirms FROM sweep WHERE id = ?1 AND confirms IS NOT NULL",
             "SELECT id FROM sweep WHERE confirms = ?1 ORDER BY id"},
    Relation{sweep, workflow, "submitted_as", "SELECT workflow FROM sweep WHERE id = ?1",
             "SELECT id FROM sweep WHERE workflow = ?1 ORDER BY id"},
    Relation{sweep, dataset, "trained_on",
             "SELECT dataset FROM sweep_dataset WHERE sweep = ?1 AND role = 'train'"
             " ORDER BY dataset",
             "SELECT sweep FROM sweep_dataset WHERE dataset = ?1 AND role = 'train'"
             " ORDER BY sweep"},
    Relation{sweep, dataset, "validated_on",
             "SELECT dataset FROM sweep_dataset WHERE sweep = ?1 AND role = 'validation'"
             " ORDER BY dataset",
             "SELECT sweep FROM sweep_dataset WHERE dataset = ?1 AND role = 'validation'"
             " ORDER BY sweep"},
};

struct Description {
  ObjectKind kind;
  // The label, then the facts in order, named by their columns. Null and empty facts are omitted;
  // *_at are instants; params becomes one fact for each parameter.
  const char* select;
};

constexpr auto select_trial = sql::joined(
    "SELECT 'set ' || (number + 1) || iif(number < s.trials, ' of ' || s.trials, ''), number,"
    " t.state, nullif(t.reason, 'none') AS reason, ",
    sql::value_of<"t.cost", "'diverged'", "'not_reached'">.text,
    " AS value, params, creator, proposed_at, pinned_at"
    " FROM trial t JOIN sweep s ON s.id = t.sweep WHERE t.id = ?1");
constexpr auto select_run = sql::joined(
    "SELECT 'replicate ' || replicate, r.state, nullif(r.reason, 'none') AS reason,"
    " attempts, r.reports, ",
    sql::value_of<"r.best_cost", "'diverged'", "'not_reached'">.text,
    " AS best, step, r.detail, (SELECT group_concat(DISTINCT CASE WHEN w.command ->> 0 ="
    " 'hone-train' THEN 'hone ' || substr(w.hone_commit, 1, 12) WHEN w.git_commit <> '' THEN"
    " substr(w.git_commit, 1, 12) || iif(w.patch_sha256 = '', '', ' with local changes') END)"
    " FROM attempt a JOIN workflow w ON w.id = a.workflow WHERE a.trial = r.trial AND"
    " a.replicate = r.replicate) AS code, (SELECT group_concat(DISTINCT nullif(x.differs, ''))"
    " FROM attempt a JOIN attempt_code x ON x.lease = a.lease WHERE a.trial = r.trial AND"
    " a.replicate = r.replicate) AS code_differs_in,"
    " iif(seed_applied IS NULL, NULL, iif(seed_applied, 'yes', 'no')) AS seed_applied,"
    " s.seed || ' ' || t.number || ' ' || iif(s.imported_at IS NULL,"
    " coalesce(s.confirms, 0), coalesce(CAST(substr(json_extract(s.spec, '$.confirms'), 4)"
    " AS INTEGER), 0)) || ' '"
    " || s.instances AS seed, started_at, r.ended_at"
    " FROM run r JOIN trial t ON t.id = r.trial JOIN sweep s ON s.id = r.sweep"
    " WHERE r.trial = ?1 AND replicate = ?2");

// Indexed by ObjectKind.
constexpr std::array descriptions{
    Description{
        sweep,
        "SELECT name, project, state, nullif(reason, 'none') AS reason, metric, goal,"
        " spec ->> '$.search.method' AS search, spec ->> '$.terminator.rule' AS terminator,"
        " trials, seed, (SELECT group_concat(what, '; ') FROM edit WHERE edit.sweep = sweep.id)"
        " AS edits, submitted_at, ended_at, imported_at, archived_at"
        " FROM sweep WHERE id = ?1"},
    Description{trial, select_trial.text},
    Description{run, select_run.text},
    Description{attempt,
                "SELECT 'attempt ' || number || iif(step_name = '', '', ' (' || step_name || ')')"
                " || ' on ' || host, host, 'le_' || lease AS lease,"
                " nullif(step_name, '') AS step, iif(finished AND step_name <> '', 'yes', NULL) AS"
                " finished, end_reason, detail,"
                " (SELECT differs FROM attempt_code x WHERE x.lease = a.lease)"
                " AS code_differs_in, granted_at, started_at, ended_at"
                " FROM attempt a JOIN worker w ON w.id = a.worker"
                " WHERE trial = ?1 AND replicate = ?2 AND number = ?3"},
    Description{model,
                "SELECT 'step ' || m.step, sha256, bytes, m.step, m.phase,"
                " iif(p.phase IS NOT NULL, coalesce(p.value, 'diverged'), NULL) AS value,"
                " a.number AS attempt, 'wk_' || a.worker AS worker, saved_at"
                " FROM model m JOIN attempt a ON a.lease = m.lease"
                " LEFT JOIN report p ON p.trial = m.trial AND p.replicate = m.replicate AND"
                " p.phase = m.phase WHERE m.id = ?1"},
    Description{dataset,
                "SELECT name, name, version, digest, location, recorded_at FROM dataset"
                " WHERE id = ?1"},
    Description{
        workflow,
        "SELECT iif(name = '', '', rtrim(name || ' ' || version) || ': ') ||"
        " CASE WHEN command ->> 0 = 'hone-train' THEN rtrim('hone ' || hone_version || ' '"
        " || substr(hone_commit, 1, 12)) WHEN git_commit = '' THEN 'no git commit'"
        " ELSE substr(git_commit, 1, 12) || iif(patch_sha256 = '', '', ' with local changes') END,"
        " command, git_commit, git_branch, patch_sha256, environment_sha256, cwd, host,"
        " user, hone_version, hone_commit, recorded_at, description FROM workflow"
        " WHERE id = ?1"},
    Description{worker,
                "SELECT host, host, pid, cpus, gpus, hone_version, joined_at, last_seen_at"
                " FROM worker WHERE id = ?1"},
    Description{evaluation,
                "SELECT metric || ' over ' || episodes || ' episodes', metric, mean, deviation,"
                " episodes, environment, seed, iif(sample, 'yes', 'no') AS sample, author,"
                " recorded_at FROM evaluation WHERE id = ?1"},
    Description{report,
                "SELECT 'phase ' || (phase + 1), phase, step, coalesce(value, 'diverged') AS value,"
                " verdict ->> '$.verdict' AS verdict, verdict ->> '$.reason' AS reason,"
                " at AS reported_at FROM report"
                " WHERE trial = ?1 AND replicate = ?2 AND phase = ?3"},
    Description{metric,
                "SELECT iif(?4 IS NULL, ?3, 'step ' || ?4), ?3 AS name, step, value,"
                " iif(?4 IS NULL, NULL, at) AS logged_at FROM metric_point"
                " WHERE trial = ?1 AND replicate = ?2 AND name = ?3 AND (?4 IS NULL OR step = ?4)"
                " ORDER BY step DESC LIMIT 1"},
};

// Binds the key of an object from parameter 1 on.
struct KeyBinder {
  SQLite::Statement& s;
  void operator()(RunId id) const { sql::bind(s, id.trial, id.replicate); }
  void operator()(AttemptId id) const { sql::bind(s, id.run.trial, id.run.replicate, id.number); }
  void operator()(const ReportKey& key) const {
    sql::bind(s, key.run.trial, key.run.replicate, key.phase);
  }
  void operator()(const MetricKey& key) const {
    sql::bind(s, key.run.trial, key.run.replicate, key.name, key.step);
  }
  template <class Tag>
  void operator()(Id<Tag> id) const {
    sql::bind(s, id);
  }
};

LineageKey read_key(sql::Columns& c, ObjectKind kind) {
  switch (kind) {
    case sweep:
      return c.id<SweepId>();
    case trial:
      return c.id<TrialId>();
    case run:
      return c.run_id();
    case attempt: {
      const RunId of = c.run_id();
      return AttemptId{of, c.small()};
    }
    case model:
      return c.id<ModelId>();
    case dataset:
      return c.id<DatasetId>();
    case workflow:
      return c.id<WorkflowId>();
    case worker:
      return c.id<WorkerId>();
    case evaluation:
      return c.id<EvaluationId>();
    case report: {
      const RunId of = c.run_id();
      return ReportKey{of, c.small()};
    }
    case metric: {
      const RunId of = c.run_id();
      std::string name = c.text();
      return MetricKey{of, std::move(name), c.maybe(&sql::Columns::integer)};
    }
    case artifact:
      break;
  }
  unreachable();
}

std::string fact_text(const SQLite::Column& column) {
  if (column.isFloat())
    return to_text(Json(column.getDouble()));  // shortest that reads back the same
  if (std::string_view(column.getName()).ends_with("_at")) return rfc3339({column.getInt64()});
  return column.getString();
}

void add_params(const std::string& text, LineageNode& node) {
  const auto params = parse_json(text);
  if (!params) return;
  for (const auto& [name, value] : params->items())
    node.facts.emplace_back("params." + name,
                            value.is_string() ? value.get<std::string>() : to_text(value));
}

}  // namespace

ObjectKind kind_of(const LineageKey& id) { return static_cast<ObjectKind>(id.index()); }

std::span<const Relation> relations() { return relation_table; }

std::optional<LineageNode> LineageSteps::describe(const LineageKey& id) {
  const auto& description = descriptions[id.index()];
  auto& s = prepared(description.select);
  std::visit(KeyBinder{s}, id);
  if (!s.executeStep()) return std::nullopt;
  LineageNode node{id, std::string(word(description.kind)), s.getColumn(0).getString(), {}};
  for (int at = 1; at < s.getColumnCount(); ++at) {
    const auto column = s.getColumn(at);
    if (column.isNull()) continue;
    auto value = fact_text(column);
    if (std::string_view(column.getName()) == "params")
      add_params(value, node);
    else if (!value.empty())
      node.facts.emplace_back(column.getName(), std::move(value));
  }
  s.reset();
  add_tags(node);
  return node;
}

void LineageSteps::add_tags(LineageNode& node) {
  auto& s = prepared("SELECT tag FROM tag WHERE object = ?1 ORDER BY tag");
  sql::bind(s, text(node.id));
  std::string tags;
  while (s.executeStep()) tags += (tags.empty() ? "" : " ") + s.getColumn(0).getString();
  s.reset();
  if (!tags.empty()) node.facts.emplace_back("tags", std::move(tags));
}

std::vector<LineageKey> LineageSteps::follow(const char* select, const LineageKey& id,
                                             ObjectKind kind, std::size_t limit) {
  auto& s = prepared(select);
  std::visit(KeyBinder{s}, id);
  std::vector<LineageKey> found;
  while (found.size() < limit && s.executeStep()) {
    sql::Columns c(s);
    found.push_back(read_key(c, kind));
  }
  s.reset();
  return found;
}

SQLite::Statement& LineageSteps::prepared(const char* select) {
  const auto known = statements_.find(select);
  if (known != statements_.end()) return known->second;
  return statements_.try_emplace(select, db_, select).first->second;
}

}  // namespace hone
