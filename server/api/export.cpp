// A sweep with its whole history, as one document (schemas/types/past.hpp).
#include <SQLiteCpp/Statement.h>

#include <stdexcept>

#include "db/queries/past.hpp"
#include "db/queries/queries.hpp"
#include "schemas/types/event.hpp"
#include "server/api/arguments.hpp"
#include "server/api/progress.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/limits.hpp"
#include "server/sweep/renumber.hpp"

namespace hone::api {
namespace {

// Rewrites the events of the sweep with the ids of the document.
class Exporter {
 public:
  Exporter(SQLite::Database& db, const SweepRow& sweep) : db_(db), sweep_(sweep) {}

  Result<SweepPast> run() {
    if (auto read = read_origin(); !read) return read.error();
    ids_.sweep = SweepId{1};
    ids_.workflow = WorkflowId{1};
    if (past_.dataset) ids_.dataset = DatasetId{1};
    auto events = read_past(db_, sweep_.id, limits::export_events_max);
    if (!events) return events.error();
    past_.ledger = newest_link(db_, {sweep_.id});
    if (auto read = read_confirmed(); !read) return read.error();
    for (Event& event : *events)
      if (auto added = add(std::move(event)); !added) return added.error();
    auto metrics = read_series(db_, sweep_.id, limits::export_points_max);
    if (!metrics) return metrics.error();
    past_.metrics = *std::move(metrics);
    for (Series& series : past_.metrics) series.run.trial = ids_.trial.at(series.run.trial);
    return std::move(past_);
  }

 private:
  Status read_origin() {
    auto workflow = find_workflow(db_, sweep_.workflow);
    if (!workflow) return workflow.error();
    past_.workflow = workflow->info;
    ids_.executed[sweep_.workflow] = WorkflowId{1};
    if (!sweep_.dataset) return Done{};
    auto dataset = find_dataset(db_, *sweep_.dataset);
    if (!dataset) return dataset.error();
    past_.dataset = dataset->info;
    return Done{};
  }

  Status read_confirmed() {
    if (!sweep_.confirms) return Done{};
    const auto confirmed = find_sweep(db_, *sweep_.confirms);
    if (!confirmed) return confirmed.error();
    const auto spec = spec_of(*confirmed);
    if (!spec) return spec.error();
    past_.confirms = PastConfirmed{confirmed->submitted_at, spec->seed, {}};
    return Done{};
  }

  // A document numbers trials from 1. Call when the trial has its number.
  Status note_origin(TrialId trial, TrialId of) {
    const auto origin = find_trial(db_, of);
    if (!origin) return origin.error();
    if (origin->sweep == sweep_.confirms)
      past_.confirms->trials.push_back({trial, TrialId{origin->number + 1}});
    return Done{};
  }

  // Workers are numbered as they come.
  Status meet(WorkerId id) {
    if (ids_.worker.contains(id)) return Done{};
    const auto row = find_worker(db_, id);
    if (!row) return row.error();
    past_.workers.push_back({"", row->host, row->pid, row->cpus, row->gpus, row->hone_version});
    ids_.worker[id] = WorkerId{static_cast<std::int64_t>(past_.workers.size())};
    return Done{};
  }

  // So are the workflows of attempts, after that of the sweep.
  Status meet(WorkflowId id) {
    if (ids_.executed.contains(id)) return Done{};
    auto row = find_workflow(db_, id);
    if (!row) return row.error();
    past_.workflows.push_back(std::move(row->info));
    ids_.executed[id] = WorkflowId{static_cast<std::int64_t>(past_.workflows.size()) + 1};
    return Done{};
  }

  Status add(Event event) {
    if (const auto* code = std::get_if<CodeRecorded>(&event.body))
      if (auto met = meet(code->workflow); !met) return met;
    if (const auto* granted = std::get_if<LeaseGranted>(&event.body))
      if (auto met = meet(granted->worker); !met) return met;
    std::optional<TrialId> from;
    if (const auto* proposed = std::get_if<TrialProposed>(&event.body)) from = proposed->from;
    if (!renumber(event.body, ids_))
      return refuse(Code::internal, "event " + std::to_string(event.seq) + " of " +
                                        text(sweep_.id) + " names what the sweep never had");
    if (from && past_.confirms)
      if (auto noted = note_origin(std::get<TrialProposed>(event.body).trial, *from); !noted)
        return noted.error();
    event.seq = 0;
    past_.events.push_back(std::move(event));
    return Done{};
  }

  SQLite::Database& db_;
  const SweepRow& sweep_;
  Renumbering ids_;
  SweepPast past_;
};

}  // namespace

// GET /v1/sweeps/{sweep}/export
ReadResult export_sweep(SQLite::Database& db, const Request& request) {
  const auto id = path_id<SweepId>(request);
  if (!id) return id.error();
  const Snapshot snapshot(db);
  const auto sweep = find_sweep(db, *id);
  if (!sweep) return sweep.error();
  const auto past = Exporter(db, *sweep).run();
  if (!past) return past.error();
  return json_response(encode(*past));
}

}  // namespace hone::api
