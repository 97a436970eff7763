// The columns of `hone find`.
#include "sdk/cli/commands/look/columns.hpp"

namespace hone::cli {
namespace {

// Returns the columns of reports, metrics or artifacts.
Fields part_columns(std::string_view kind) {
  const Field sweep = data_only({"sweep", "/sweep"});
  if (kind == "report") {
    Fields columns =
        select(report_columns(), {"phase", "step", "value", "further", "verdict", "reason", "at"});
    columns.insert(columns.begin(), {{"id", "/id"}, data_only({"run", "/run"}), sweep});
    return columns;
  }
  if (kind == "metric")
    return {{"id", "/id"},
            data_only({"run", "/run"}),
            sweep,
            data_only({"name", "/name"}),
            {"step", "/step", CellType::count},
            {"value", "/value", CellType::number}};
  Fields columns = artifact_columns();
  columns.insert(columns.begin(), {{"run", "/run"}, sweep});
  columns.push_back(optional({"sha256", "/sha256", CellType::long_text}));
  return columns;
}

}  // namespace

Fields find_columns(std::string_view kind) {
  if (kind == "sweep") {
    Fields columns =
        select(sweep_columns(), {"id", "name", "state", "trials", "best", "submitted"});
    columns.insert(columns.end() - 1, optional({"workflow", "/workflow"}));
    return columns;
  }
  if (kind == "trial") {
    Fields columns =
        select(trial_columns(), {"id", "state", "value", "further", "phases", "parameters"});
    columns.insert(columns.begin() + 1, {"sweep", "/sweep"});
    return columns;
  }
  if (kind == "run") {
    Fields columns = select(
        run_columns(), {"id", "state", "reason", "value", "further", "step", "worker", "detail"});
    columns[3].optional = false;
    columns.back() = optional(
        {.name = "detail", .pointer = "/detail", .type = CellType::long_text, .least = 20});
    return columns;
  }
  if (kind == "model")
    return select(model_columns(), {"id", "run", "sweep", "step", "value", "size", "saved"});
  if (kind == "attempt")
    return select(attempt_columns(), {"id", "step", "worker", "host", "reason", "granted"});
  if (kind == "dataset") return dataset_columns();
  if (kind == "workflow") return workflow_columns();
  if (kind == "evaluation")
    return {{"id", "/id"},
            {"model", "/model"},
            {"metric", "/metric"},
            {"mean", "/mean", CellType::number},
            {"deviation", "/deviation", CellType::number},
            {"environment", "/environment"}};
  if (kind == "report" || kind == "metric" || kind == "artifact") return part_columns(kind);
  return select(worker_columns(), {"id", "host", "cpus", "gpus", "joined"});
}

}  // namespace hone::cli
