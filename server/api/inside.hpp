// Answers of this server's own routes from inside a read: for a document that is made of several.
#pragma once

#include <SQLiteCpp/Database.h>

#include <string>

#include "server/api/request.hpp"
#include "server/api/response.hpp"

namespace hone::api {

// Answers a request target ("/v1/sweeps/sw_1") as its route would, with the speaker, the time and
// the deadline of `outer`; of a list, the page after the cursor `after`. Refuses what the route
// refuses, and any route that is no Read of the scope `read`.
Result<Response> answer_inside(SQLite::Database& db, const Request& outer,
                               const std::string& target, const std::string& after = {});

}  // namespace hone::api
