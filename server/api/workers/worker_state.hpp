// A worker as this server knows it, which is more than the ledger does. Internal to server/api.
#pragma once

#include <string>

#include "db/queries/rows.hpp"
#include "server/api/request.hpp"

namespace hone::api {

// When it was last seen: by the ledger, or by this server since.
Instant seen_at(const WorkerRow& row, const Request& request);
// "present", "quarantined", "lost", "silent", or "asks": in one word, so that a dead worker does
// not look like one that waits.
std::string state_of(const WorkerRow& row, const Request& request);
// Whether it may get a run at all, now or after its quarantine.
bool is_connected(const WorkerRow& row, const Request& request);

}  // namespace hone::api
