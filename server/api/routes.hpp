// The functions that the table of routes (router.cpp) names, by resource. Internal to server/api.
#pragma once

#include <SQLiteCpp/Database.h>

#include <memory>
#include <optional>

#include "base/result.hpp"
#include "server/api/blobs.hpp"
#include "server/api/pieces.hpp"
#include "server/api/request.hpp"
#include "server/api/response.hpp"
#include "server/sweep/state/command.hpp"

namespace hone::api {

using ReadResult = Result<Response>;

// health.cpp
ReadResult health(const Request& request);
ReadResult ready(const Request& request);
ReadResult version(const Request& request);
ReadResult prometheus(SQLite::Database& db, const Request& request);

// sweeps.cpp
Result<Command> parse_submit(const Request& request);
ReadResult sweeps(SQLite::Database& db, const Request& request);
ReadResult sweep(SQLite::Database& db, const Request& request);
ReadResult trials(SQLite::Database& db, const Request& request);
ReadResult best(SQLite::Database& db, const Request& request);
ReadResult curves(SQLite::Database& db, const Request& request);

// plan.cpp
ReadResult plan(SQLite::Database& db, const Request& request);

// overview.cpp
ReadResult me(SQLite::Database& db, const Request& request);
ReadResult summary(SQLite::Database& db, const Request& request);
ReadResult history(SQLite::Database& db, const Request& request);

// columns.cpp
ReadResult columns(SQLite::Database& db, const Request& request);

// all_curves.cpp
ReadResult curves_matrix(SQLite::Database& db, const Request& request);
ReadResult phases(SQLite::Database& db, const Request& request);

// ledger.cpp
ReadResult ledger(SQLite::Database& db, const Request& request);

// timeline.cpp
ReadResult timeline(SQLite::Database& db, const Request& request);

// incumbent.cpp
ReadResult incumbent(SQLite::Database& db, const Request& request);

// pareto.cpp
ReadResult pareto(SQLite::Database& db, const Request& request);

// importance.cpp
ReadResult importance(SQLite::Database& db, const Request& request);

// runs.cpp
ReadResult runs(SQLite::Database& db, const Request& request);
ReadResult artifacts(SQLite::Database& db, const Request& request);
ReadResult curve(SQLite::Database& db, const Request& request);
ReadResult metrics(SQLite::Database& db, const Request& request);

// explain.cpp
ReadResult explain_trial(SQLite::Database& db, const Request& request);
ReadResult explain_run(SQLite::Database& db, const Request& request);

// workers.cpp
ReadResult workers(SQLite::Database& db, const Request& request);
ReadResult worker(SQLite::Database& db, const Request& request);

// worker_history.cpp
ReadResult worker_history(SQLite::Database& db, const Request& request);

// code.cpp
Status check_code_submitted(const BlobStore& blobs, const Command& command);
Status check_code_edited(const BlobStore& blobs, const Command& command);

// leases.cpp
std::optional<Command> take_back_lease(const Reply& reply);
Status check_save_artifact(const BlobStore& blobs, const Command& command);
Status check_save_model(const BlobStore& blobs, const Command& command);

// fleets.cpp
Result<Command> parse_fleet(const Request& request);
ReadResult fleets(SQLite::Database& db, const Request& request);
ReadResult fleet(SQLite::Database& db, const Request& request);
ReadResult pilots(SQLite::Database& db, const Request& request);
ReadResult pilot_log(SQLite::Database& db, const Request& request);

// find.cpp
ReadResult find(SQLite::Database& db, const Request& request);
ReadResult runs_of_sweep(SQLite::Database& db, const Request& request);

// export.cpp
Result<std::unique_ptr<Pieces>> export_sweep(SQLite::Database& db, const Request& request);

// report.cpp
Result<std::unique_ptr<Pieces>> report(SQLite::Database& db, const Request& request);

// studies.cpp
ReadResult study_findings(SQLite::Database& db, const Request& request);

// replay.cpp
ReadResult replay(SQLite::Database& db, const Request& request);

// knowledge.cpp
Result<Command> parse_import(const Request& request);
ReadResult about(SQLite::Database& db, const Request& request);

// run_log.cpp
ReadResult run_log(SQLite::Database& db, const Request& request);

// models.cpp
ReadResult models(SQLite::Database& db, const Request& request);

// lineage.cpp
ReadResult lineage(SQLite::Database& db, const Request& request);

// events.cpp
ReadResult events(SQLite::Database& db, const Request& request);

}  // namespace hone::api
