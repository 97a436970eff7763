#include "sdk/cli/commands/look/columns.hpp"

#include <algorithm>

#include "base/expect.hpp"

namespace hone::cli {
namespace {

// Cut no shorter than `least`.
Field long_text(const char* name, const char* pointer, int least) {
  return {.name = name, .pointer = pointer, .type = CellType::long_text, .least = least};
}

// Cut no shorter than `least`, so that the other columns give way first.
Field parameters(int least) {
  return {.name = "parameters", .pointer = "/params", .type = CellType::params, .least = least};
}

// One column for each objective but the first. Of a report, the CLI names them (further.hpp).
Field further() { return {"further", "/further", CellType::params}; }

// A member that the CLI adds for people.
Field computed(const char* name, const char* pointer, CellType type = CellType::text) {
  return {.name = name, .pointer = pointer, .type = type, .computed = true};
}

}  // namespace

Fields select(const Fields& columns, std::initializer_list<std::string_view> names) {
  Fields selected;
  for (const std::string_view name : names) {
    const auto found = std::ranges::find(columns, name, &Field::name);
    expect(found != columns.end(), "a selected column exists");
    selected.push_back(*found);
    selected.back().where = Where::everywhere;
  }
  return selected;
}

Fields sweep_columns() {
  Field progress = computed("progress", "/progress", CellType::number);
  Field phases = optional(computed("phases", "/phases_shown", CellType::number));
  Field time_left = optional(computed("time left", "/time_left"));
  Field expected = optional({"expected", "/best/expected", CellType::score});
  for (Field* field : {&progress, &phases, &time_left, &expected}) field->where = Where::table_only;
  return {{"id", "/id"},
          long_text("name", "/name", 20),
          data_only({"project", "/project"}),
          {"state", "/state", CellType::state},
          data_only({"reason", "/reason"}),
          progress,
          time_left,
          phases,
          data_only({"phases_done", "/phases/done", CellType::number}),
          data_only({"phases_expected", "/phases/expected", CellType::number}),
          {"trials", "/trials/proposed", CellType::number},
          optional({"running", "/runs/running", CellType::number}),
          optional({"failed", "/runs/failed", CellType::number}),
          {"best", "/best/value", CellType::score},
          optional({"confirmed", "/best/confirmed", CellType::score}),
          expected,
          optional({"best_trial", "/best/trial"}),
          data_only({"best_run", "/best/run"}),
          {"submitted", "/submitted_at", CellType::ago},
          data_only({"ended", "/ended_at", CellType::ago})};
}

Fields trial_columns() {
  return {{"id", "/id"},
          data_only({"number", "/number", CellType::number}),
          {"state", "/state", CellType::state},
          optional({"reason", "/reason"}),
          {"value", "/value", CellType::score},
          further(),
          optional({"confirmed", "/confirmed", CellType::score}),
          optional({"expected", "/expected", CellType::score}),
          data_only({"expected_low", "/expected_low", CellType::score}),
          data_only({"expected_high", "/expected_high", CellType::score}),
          data_only({"seeds", "/seeds", CellType::number}),
          data_only({"best_report", "/best_report", CellType::score}),
          {"phases", "/phase", CellType::number},
          data_only({"runs", "/runs", CellType::number}),
          data_only({"seconds", "/seconds", CellType::seconds}),
          optional({"creator", "/creator"}),
          parameters(24)};
}

Fields run_columns() {
  return {{"id", "/id"},
          data_only({"trial", "/trial"}),
          {"state", "/state", CellType::state},
          optional({"reason", "/reason"}),
          optional({"failure", "/failure"}),
          {"value", "/value", CellType::score},
          further(),
          optional({"best report", "/best", CellType::score}),
          {"phases", "/phase", CellType::number},
          optional({"step", "/step", CellType::count}),
          data_only({"seconds", "/seconds", CellType::seconds}),
          optional({"attempts", "/attempts", CellType::number}),
          optional({"worker", "/worker"}),
          data_only({"seed", "/seed"}),
          data_only({"exit_code", "/exit_code", CellType::number}),
          optional({"started", "/started_at", CellType::ago}),
          data_only({"ended", "/ended_at", CellType::ago}),
          long_text("cause", "/cause", 40),
          data_only({"detail", "/detail"})};
}

Fields attempt_columns() {
  return {{"id", "/id"},
          optional({"step", "/step"}),
          {"worker", "/worker"},
          {"host", "/host", CellType::long_text},
          data_only({"granted", "/granted_at", CellType::ago}),
          {"started", "/started_at", CellType::ago},
          {"ended", "/ended_at", CellType::ago},
          {"reason", "/end_reason"},
          data_only({"finished", "/finished"}),
          optional({"failure", "/failure"}),
          optional({"resumed", "/resume"}),
          optional({"code", "/workflow"}),
          optional({"code_differs", "/code_differs_in"})};
}

Fields artifact_columns() {
  return {{"file", "/name"},
          {"bytes", "/bytes", CellType::count},
          {"kept", "/saved_at", CellType::ago}};
}

Fields model_columns() {
  return {{"id", "/id"},
          {"run", "/run"},
          {"phase", "/phase", CellType::phase},
          {"step", "/step", CellType::count},
          {"value", "/value", CellType::score},
          {"size", "/bytes", CellType::bytes},
          optional({"parent", "/parent"}),
          data_only({"sweep", "/sweep"}),
          {"saved", "/saved_at", CellType::ago},
          {"dropped", "/dropped_at", CellType::ago},
          optional({"sha256", "/sha256", CellType::long_text})};
}

Fields dataset_columns() {
  return {{"id", "/id"}, {"name", "/name"}, {"version", "/version"}, {"digest", "/digest"}};
}

Fields workflow_columns() {
  return {{"id", "/id"},
          optional({"name", "/name"}),
          optional({"version", "/version"}),
          optional({"description", "/description", CellType::long_text}),
          long_text("commit", "/git_commit", 12),
          {"branch", "/git_branch"},
          {"host", "/host"},
          {"folder", "/cwd", CellType::long_text}};
}

Fields worker_columns() {
  return {{"id", "/id"},
          {"host", "/host", CellType::long_text},
          {"pid", "/pid"},
          {"cpus", "/cpus", CellType::number},
          {"gpus", "/gpus", CellType::number},
          data_only({"memory", "/memory", CellType::number}),
          data_only({"labels", "/labels"}),
          data_only({"gpu_memory", "/gpu_memory"}),
          {"running", "/running", CellType::number},
          {"state", "/state", CellType::state},
          {"seen", "/last_seen_at", CellType::ago},
          optional({"version", "/hone_version"}),
          optional({"joined", "/joined_at", CellType::ago}),
          data_only({"aside_until", "/aside_until"}),
          optional(long_text("quarantined", "/aside_why", 20))};
}

Fields token_columns() {
  return {{"id", "/id"},
          {"name", "/name"},
          computed("scopes", "/scopes_shown"),
          computed("state", "/state"),
          {"created", "/created_at", CellType::ago},
          optional({"created_by", "/created_by"}),
          optional({"expires", "/expires_at"}),
          optional({"revoked", "/revoked_at", CellType::ago})};
}

Fields fleet_columns() {
  return {{"id", "/id"},
          {"name", "/name"},
          {"engine", "/spec/engine"},
          {"state", "/state", CellType::state},
          {"alive", "/pilots", CellType::number},
          {"joined", "/joined", CellType::number},
          {"want", "/want", CellType::number},
          {"max", "/spec/max", CellType::number},
          {"rule", "/rule"},
          optional({"created", "/created_at", CellType::ago})};
}

Fields pilot_columns() {
  return {{"id", "/id"},
          {"state", "/state", CellType::state},
          {"handle", "/handle"},
          {"worker", "/worker"},
          {"why", "/rule"},
          {"end", "/end_rule"},
          optional({"wanted", "/wanted_at", CellType::ago}),
          optional({"detail", "/detail", CellType::long_text})};
}

Fields event_columns() {
  return {{"seq", "/seq", CellType::number}, {"at", "/at"}, {"kind", "/kind"}, {"sweep", "/sweep"}};
}

// The first optional columns are the last to give way to the parameters.
Fields best_columns() {
  return {{"rank", "/rank", CellType::number},
          {"trial", "/id"},
          {"value", "/value", CellType::score},
          further(),
          optional({"confirmed", "/confirmed", CellType::score}),
          optional(computed("95 % interval", "/shown/interval")),
          optional({"n", "/seeds", CellType::number}),
          data_only(computed("low", "/interval/0", CellType::score)),
          data_only(computed("high", "/interval/1", CellType::score)),
          optional({"expected", "/expected", CellType::score}),
          optional(computed("spread", "/shown/spread")),
          data_only({"expected_low", "/expected_low", CellType::score}),
          data_only({"expected_high", "/expected_high", CellType::score}),
          optional(computed("ranks", "/shown/ranks")),
          optional({"best report", "/best_report", CellType::score}),
          optional({"run", "/run"}),
          optional({"state", "/state", CellType::state}),
          data_only({"reason", "/reason"}),
          data_only({"comparable", "/comparable"}),
          optional({"phases", "/phase", CellType::number}),
          optional({"model", "/model"}),
          parameters(30)};
}

Fields schedule_columns() {
  return {computed("run", "/run"), computed("from", "/from", CellType::count),
          computed("to", "/to", CellType::count), parameters(30)};
}

Fields pareto_columns() {
  return {{"trial", "/id"},
          {"values", "/values", CellType::params},  // one column for each objective
          optional({"model", "/model"}),
          {"parameters", "/params", CellType::params}};
}

Fields front_columns() {
  return {{"cost", "/seconds", CellType::seconds},
          {"trial", "/id"},
          {"value", "/value", CellType::score},
          further(),
          optional(computed("95 % interval", "/shown/interval")),
          optional({"n", "/seeds", CellType::number}),
          data_only(computed("low", "/interval/0", CellType::score)),
          data_only(computed("high", "/interval/1", CellType::score)),
          data_only({"expected", "/expected", CellType::score}),
          optional({"phases", "/length", CellType::number}),
          optional({"state", "/state", CellType::state}),
          data_only({"reason", "/reason"}),
          data_only({"run", "/run"}),
          data_only({"model", "/model"}),
          parameters(30)};
}

Fields incumbent_columns() {
  return {{"trial", "/id"},
          {"state", "/state", CellType::state},
          {"phase", "/phase", CellType::number},
          {"runs", "/runs", CellType::number},
          {"parameters", "/params", CellType::params}};
}

Fields report_columns() {
  Field inputs = optional({"inputs", "/inputs", CellType::params});
  inputs.where = Where::table_only;
  return {{"phase", "/phase", CellType::phase},
          {"step", "/step", CellType::count},
          {"value", "/value", CellType::score},
          further(),
          {"verdict", "/verdict"},
          {"reason", "/reason"},
          {"at", "/at", CellType::ago},
          inputs};
}

Fields band_columns() {
  return {{"phase", "/phase", CellType::phase},
          {"step", "/step", CellType::count},
          {"n", "/n", CellType::number},
          {"iqm", "/iqm", CellType::score},
          {"low", "/low", CellType::score},
          {"high", "/high", CellType::score},
          {"mean", "/mean", CellType::score},
          data_only({"min", "/min", CellType::score}),
          data_only({"max", "/max", CellType::score}),
          optional({"diverged", "/diverged", CellType::number})};
}

Fields verdict_columns(bool recompute) {
  Fields columns{{"phase", "/phase", CellType::phase},
                 {"value", "/value", CellType::score},
                 {"verdict", "/verdict"},
                 {"reason", "/reason"},
                 {"inputs", "/inputs", CellType::params}};
  if (recompute) columns.insert(columns.begin() + 3, {"recomputed", "/recomputed"});
  return columns;
}

Fields seed_columns() {
  return {{"run", "/id"},
          {"state", "/state", CellType::state},
          {"phases", "/phase", CellType::number},
          {"value", "/value", CellType::score},
          optional({"best report", "/best", CellType::score}),
          optional({"reason", "/reason"}),
          optional({"seed", "/seed"})};
}

Fields confirmation_columns() {
  return {{"rank", "/rank", CellType::number},
          {"trial", "/of"},
          {"iqm", "/iqm", CellType::score},
          computed("95 % interval", "/shown/interval"),
          {"n", "/seeds", CellType::number},
          optional({"mean", "/mean", CellType::score}),
          optional({"worst", "/min", CellType::score}),
          optional(computed("near best", "/shown/near")),
          optional({"failed", "/failed", CellType::number}),
          optional({"tuned", "/tuned_value", CellType::score}),
          optional(computed("chance best", "/shown/chance")),
          optional(computed("beaten by 1st", "/shown/beaten")),
          optional({"expected", "/tuned_expected", CellType::score}),
          optional({"tuned rank", "/tuned_rank", CellType::number}),
          optional({"optimism", "/optimism", CellType::score}),
          data_only(computed("low", "/interval/0", CellType::score)),
          data_only(computed("high", "/interval/1", CellType::score)),
          optional({"model", "/model"}),
          parameters(24)};
}

Fields importance_columns() {
  Field names = computed("parameters", "/names", CellType::long_text);
  names.least = 24;
  Field share = computed("share", "/shown", CellType::number);
  Field bar = computed("of the variance", "/bar");
  for (Field* field : {&share, &bar}) field->where = Where::table_only;
  return {names, data_only({"share", "/share", CellType::number}),
          data_only({"deviation", "/deviation", CellType::number}), share, bar};
}

Fields asked_columns() {
  return {{"trial", "/trial"},
          {"number", "/number", CellType::number},
          {"next_phase", "/next_phase", CellType::number},
          {"seed", "/seed"},
          {"lease", "/lease"},
          {"parameters", "/params", CellType::params}};
}

// The CLI joins the members of a run to each of its reports.
Fields exported_report_columns() {
  return {{"run", "/run"},
          data_only({"trial", "/trial"}),
          data_only(computed("seed", "/seed")),
          {"state", "/state", CellType::state},
          {"phase", "/phase", CellType::number},
          {"step", "/step", CellType::count},
          {"value", "/value", CellType::score},
          further(),
          {"seconds", "/seconds", CellType::number},
          computed("metrics", "/metrics", CellType::params),
          {"parameters", "/params", CellType::params}};
}

// The CLI joins the members of a trial to each point of its curve.
Fields exported_band_columns() {
  Fields columns = select(band_columns(), {"phase", "step", "n", "diverged", "iqm", "low", "high",
                                           "mean", "min", "max"});
  for (Field& column : columns) column.optional = false;
  columns.insert(columns.begin(), computed("trial", "/trial"));
  columns.push_back(computed("parameters", "/params", CellType::params));
  return columns;
}

}  // namespace hone::cli
