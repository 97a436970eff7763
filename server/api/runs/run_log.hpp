// POST /v1/workers/{worker}/log, whose steps server/http takes on different threads.
#pragma once

#include <SQLiteCpp/Database.h>

#include "base/result.hpp"
#include "server/api/request.hpp"
#include "server/api/response.hpp"
#include "server/api/runs/logs.hpp"

namespace hone::api {

struct LogUpload {
  WorkerId worker;
  LeaseId lease;
  LogPiece piece;
  bool last = false;  // the process has ended
};

// Reads ?lease=&offset=&last= and the bytes of the body.
Result<LogUpload> parse_log(const Request& request);
// Refuses a lease that the worker never held. It may have ended: a process outlives its last
// verdict by a few seconds.
Status check_log(SQLite::Database& db, const LogUpload& upload);
Response render_log_taken(bool wanted);

}  // namespace hone::api
