// The ids of the objects that match a filter, page by page. queries.hpp reads their rows.
#pragma once

#include <SQLiteCpp/Database.h>

#include <optional>
#include <string>
#include <variant>

#include "base/result.hpp"
#include "db/filter/compile.hpp"
#include "db/queries/rows.hpp"

namespace hone {

struct ArtifactKey {
  RunId run;
  std::string name;
};

using FoundId = std::variant<SweepId, TrialId, RunId, AttemptId, ModelId, DatasetId, WorkflowId,
                             WorkerId, EvaluationId, ReportKey, MetricKey, ArtifactKey>;

enum class FindOrder {
  newest,  // first
  number,  // oldest first
  value    // trials of one sweep: best first
};

struct FindScope {
  std::optional<SweepId> sweep{};  // only objects of this sweep
  std::optional<TrialId> trial{};  // only objects of this trial
  bool archived = true;            // archived sweeps as well
  FindOrder order = FindOrder::newest;
};

// Compiles a filter for `kind`, else for the kind that the filter names, else for trials. Times
// such as -2d count from `now`.
Result<filter::Conditions> read_filter(const std::string& text, Instant now,
                                       std::optional<ObjectKind> kind = {});

Result<Page<FoundId>> find_ids(SQLite::Database& db, const filter::Conditions& where,
                               const FindScope& scope, const PageQuery& page);

Result<AttemptRow> find_attempt(SQLite::Database& db, AttemptId id);

struct ReportRow {
  ReportKey id;
  SweepId sweep;
  CurveRow point;
};
struct SeriesRow {  // its newest point
  MetricKey id;
  SweepId sweep;
  std::int64_t step = 0;
  double value = 0;
};
struct FileRow {
  ArtifactKey id;
  SweepId sweep;
  ArtifactRow file;
};
Result<ReportRow> find_report(SQLite::Database& db, const ReportKey& id);
Result<SeriesRow> find_series(SQLite::Database& db, const MetricKey& id);
Result<FileRow> find_artifact(SQLite::Database& db, const ArtifactKey& id);

}  // namespace hone
