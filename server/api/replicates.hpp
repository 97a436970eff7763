// The handlers of routes about several seeds; routes.hpp has the others. Internal to server/api.
#pragma once

#include "server/api/routes.hpp"

namespace hone::api {

// bands.cpp
ReadResult trial_curve(SQLite::Database& db, const Request& request);

// confirm.cpp
ReadResult confirmation(SQLite::Database& db, const Request& request);

}  // namespace hone::api
