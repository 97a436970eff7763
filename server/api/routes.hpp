// The functions that the table of routes (router.cpp) names, by resource. Internal to server/api.
#pragma once

#include <SQLiteCpp/Database.h>

#include <optional>

#include "base/result.hpp"
#include "server/api/blobs.hpp"
#include "server/api/request.hpp"
#include "server/api/response.hpp"
#include "server/sweep/command.hpp"

namespace hone::api {

using ReadResult = Result<Response>;

// health.cpp
ReadResult health(const Request& request);
ReadResult ready(const Request& request);
ReadResult version(const Request& request);
ReadResult prometheus(SQLite::Database& db, const Request& request);

// sweeps.cpp
Result<Command> parse_submit(const Request& request);
Response render_submit(const Reply& reply);
Result<Command> parse_steer(const Request& request);
Response render_steer(const Reply& reply);
ReadResult sweeps(SQLite::Database& db, const Request& request);
ReadResult sweep(SQLite::Database& db, const Request& request);
ReadResult trials(SQLite::Database& db, const Request& request);
ReadResult best(SQLite::Database& db, const Request& request);
ReadResult curves(SQLite::Database& db, const Request& request);

// asking.cpp
Result<Command> parse_ask(const Request& request);
Response render_ask(const Reply& reply);
Result<Command> parse_tell(const Request& request);
Response render_tell(const Reply& reply);
Result<Command> parse_enqueue(const Request& request);
Response render_enqueue(const Reply& reply);

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
ReadResult trial(SQLite::Database& db, const Request& request);
ReadResult runs(SQLite::Database& db, const Request& request);
ReadResult run(SQLite::Database& db, const Request& request);
ReadResult artifacts(SQLite::Database& db, const Request& request);
ReadResult attempts(SQLite::Database& db, const Request& request);
ReadResult curve(SQLite::Database& db, const Request& request);
ReadResult metrics(SQLite::Database& db, const Request& request);

// explain.cpp
ReadResult explain_trial(SQLite::Database& db, const Request& request);
ReadResult explain_run(SQLite::Database& db, const Request& request);

// workers.cpp
Result<Command> parse_join(const Request& request);
Response render_join(const Reply& reply);
Result<Command> parse_beat(const Request& request);
Response render_beat(const Reply& reply);
Result<Command> parse_allow(const Request& request);
ReadResult workers(SQLite::Database& db, const Request& request);
ReadResult worker(SQLite::Database& db, const Request& request);

// leases.cpp
Result<Command> parse_acquire(const Request& request);
Response render_acquire(const Reply& reply);
std::optional<Command> take_back_lease(const Reply& reply);
Result<Command> parse_report(const Request& request);
Response render_report(const Reply& reply);
Result<Command> parse_record_code(const Request& request);
Result<Command> parse_save_artifact(const Request& request);
Status check_save_artifact(const BlobStore& blobs, const Command& command);
Result<Command> parse_save_model(const Request& request);
Response render_save_model(const Reply& reply);
Status check_save_model(const BlobStore& blobs, const Command& command);
Result<Command> parse_metrics(const Request& request);
Result<Command> parse_end(const Request& request);
Response render_done(const Reply& reply);

// tokens.cpp
Result<Command> parse_create_token(const Request& request);
Response render_create_token(const Reply& reply);
Result<Command> parse_revoke_token(const Request& request);
ReadResult tokens(SQLite::Database& db, const Request& request);

// fleets.cpp
Result<Command> parse_fleet(const Request& request);
Response render_fleet(const Reply& reply);
Result<Command> parse_stop_fleet(const Request& request);
ReadResult fleets(SQLite::Database& db, const Request& request);
ReadResult fleet(SQLite::Database& db, const Request& request);
ReadResult pilots(SQLite::Database& db, const Request& request);
ReadResult pilot_log(SQLite::Database& db, const Request& request);

// find.cpp
ReadResult find(SQLite::Database& db, const Request& request);
ReadResult runs_of_sweep(SQLite::Database& db, const Request& request);

// export.cpp
ReadResult export_sweep(SQLite::Database& db, const Request& request);

// replay.cpp
ReadResult replay(SQLite::Database& db, const Request& request);

// knowledge.cpp
Result<Command> parse_note(const Request& request);
Result<Command> parse_tags(const Request& request);
Result<Command> parse_archive(const Request& request);
Result<Command> parse_pin(const Request& request);
Result<Command> parse_edit(const Request& request);
Result<Command> parse_import(const Request& request);
ReadResult about(SQLite::Database& db, const Request& request);

// run_log.cpp
ReadResult run_log(SQLite::Database& db, const Request& request);

// models.cpp
ReadResult models(SQLite::Database& db, const Request& request);
ReadResult model(SQLite::Database& db, const Request& request);
Result<Command> parse_evaluate(const Request& request);
Response render_evaluate(const Reply& reply);
ReadResult evaluation(SQLite::Database& db, const Request& request);

// lineage.cpp
ReadResult workflow(SQLite::Database& db, const Request& request);
ReadResult dataset(SQLite::Database& db, const Request& request);
ReadResult lineage(SQLite::Database& db, const Request& request);

// events.cpp
ReadResult events(SQLite::Database& db, const Request& request);

}  // namespace hone::api
