// `hone import optuna study.db`: a finished study of Optuna becomes a sweep with its past.
#pragma once

#include <string>

#include "sdk/cli/session/exit_codes.hpp"
#include "sdk/cli/session/session.hpp"
#include "server/upkeep/optuna_study.hpp"

namespace hone::cli {

// Sends the body to /v1/imports, and notes a file that was imported before: its sweep is answered
// again, and nothing is added.
Result<Json> send_import(Session& session, const Json& body);

// Sends the study of that name, or the only one of the file, to the server, and prints the id of
// the sweep. Reports on stderr what has no counterpart.
Result<Exit> import_study(Session& session, const std::string& file, upkeep::OptunaFile kind,
                          const std::string& study);

}  // namespace hone::cli
