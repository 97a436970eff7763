// The ledger for watchers. A stream reads batch after batch.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"
#include "server/api/request.hpp"

namespace hone::api {

// The position of a watcher, and the sweep it watches.
struct Watch {
  std::int64_t after = 0;
  std::optional<SweepId> sweep;
  Duration digest{};  // between two summaries of the events; 0: every event itself
};

// Reads ?after=, ?sweep= and ?digest=. A Last-Event-ID, which a browser sends when it reconnects,
// overrides `after`.
Result<Watch> parse_watch(const Request& request);

// The next events, or a summary of them, as text/event-stream, and the watch for the batch after
// them. `text` is empty without new events. `more`: another batch is available at once.
struct EventBatch {
  std::string text;
  Watch watch;
  bool more = false;
};
Result<EventBatch> next_events(SQLite::Database& db, const Watch& watch);

}  // namespace hone::api
