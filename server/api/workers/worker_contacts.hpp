// When each worker last asked this server for a run or sent a heartbeat, and what it sent of its
// machine. The ledger has few of these: nothing is decided from them. Thread-safe.
#pragma once

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"
#include "server/api/workers/machine_history.hpp"
#include "server/limits.hpp"

namespace hone::api {

class WorkerContacts {
 public:
  // `start` of this server; `lease` is the longest time between two heartbeats of a live worker.
  WorkerContacts(Instant start, Duration lease)
      : start_(start), silent_after_{std::max(2 * limits::acquire_wait_max.us, lease.us)} {}

  // The server accepted a request with this token: the worker exists, and is the token's.
  void accepted(WorkerId worker, TokenId token, Instant now) {
    const std::lock_guard lock(mutex_);
    Contact& contact = contacts_[worker];
    contact.token = token;
    contact.newest = std::max(contact.newest, now);
  }
  // A request of the worker arrived; it may wait for a run. Returns whether the server accepted one
  // with the same token before.
  bool arrived(WorkerId worker, TokenId token, Instant now) {
    const std::lock_guard lock(mutex_);
    const auto found = contacts_.find(worker);
    if (found == contacts_.end()) return false;
    found->second.newest = std::max(found->second.newest, now);
    return found->second.token == token;
  }

  [[nodiscard]] MachineHistory& machines() { return machines_; }
  [[nodiscard]] const MachineHistory& machines() const { return machines_; }

  [[nodiscard]] std::optional<Instant> of(WorkerId worker) const {
    const std::lock_guard lock(mutex_);
    const auto found = contacts_.find(worker);
    return found == contacts_.end() ? std::nullopt : std::optional(found->second.newest);
  }
  // Whether a worker that was last seen then would have asked again since: it waits for a run in
  // requests of at most acquire_wait_max.
  [[nodiscard]] bool is_silent(Instant last_seen, Instant now) const {
    return now - std::max(last_seen, start_) >= silent_after_;
  }

 private:
  struct Contact {
    Instant newest;
    TokenId token{};
  };

  Instant start_;
  Duration silent_after_;
  mutable std::mutex mutex_;
  std::map<WorkerId, Contact> contacts_;
  MachineHistory machines_;
};

}  // namespace hone::api
