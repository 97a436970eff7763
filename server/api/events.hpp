// The ledger as watchers see it. A stream reads batch after batch from where it stands.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "schemas/types/ids.hpp"
#include "server/api/request.hpp"

namespace hone::api {

// Where a watcher stands and what it wants to see.
struct Watch {
  std::int64_t after = 0;
  std::optional<SweepId> sweep;
};

// From ?after= and ?sweep=; a Last-Event-ID, which a browser sends when it connects again, is newer
// than `after`.
Result<Watch> parse_watch(const Request& request);

// The next events as text/event-stream, and the watch from which the batch after them starts.
// `text` is empty when there is nothing new. more: another batch is there already.
struct EventBatch {
  std::string text;
  Watch watch;
  bool more = false;
};
Result<EventBatch> next_events(SQLite::Database& db, const Watch& watch);

}  // namespace hone::api
