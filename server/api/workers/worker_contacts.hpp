// When each worker last asked this server for a run or sent a heartbeat. The ledger has few of
// these: nothing is decided from them. Thread-safe.
#pragma once

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"
#include "server/limits.hpp"

namespace hone::api {

class WorkerContacts {
 public:
  // `start` of this server; `lease` is the longest time between two heartbeats of a live worker.
  WorkerContacts(Instant start, Duration lease)
      : start_(start), silent_after_{std::max(2 * limits::acquire_wait_max.us, lease.us)} {}

  // The server accepted a request of the worker: it exists.
  void accepted(WorkerId worker, Instant now) { keep(worker, now, true); }
  // A request of the worker arrived; it may wait for a run.
  void arrived(WorkerId worker, Instant now) { keep(worker, now, false); }

  [[nodiscard]] std::optional<Instant> of(WorkerId worker) const {
    const std::lock_guard lock(mutex_);
    const auto found = newest_.find(worker);
    return found == newest_.end() ? std::nullopt : std::optional(found->second);
  }
  // Whether a worker that was last seen then would have asked again since: it waits for a run in
  // requests of at most acquire_wait_max.
  [[nodiscard]] bool is_silent(Instant last_seen, Instant now) const {
    return now - std::max(last_seen, start_) >= silent_after_;
  }

 private:
  void keep(WorkerId worker, Instant now, bool exists) {
    const std::lock_guard lock(mutex_);
    if (!exists && !newest_.contains(worker)) return;
    Instant& newest = newest_[worker];
    newest = std::max(newest, now);
  }

  Instant start_;
  Duration silent_after_;
  mutable std::mutex mutex_;
  std::map<WorkerId, Instant> newest_;
};

}  // namespace hone::api
