// Why engines do not list the pilots of their fleets, as this server found out since its start. The
// ledger does not have it: nothing is concluded from it. Thread-safe.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"

namespace hone::api {

struct FleetTrouble {
  std::string detail;  // the message of the engine's command
  Instant since;       // the first list in a row that failed
};

class FleetTroubles {
 public:
  // After a list; `detail` is empty if it was complete.
  void report(FleetId fleet, std::string detail, Instant now) {
    const std::lock_guard lock(mutex_);
    if (detail.empty()) {
      troubles_.erase(fleet);
      return;
    }
    troubles_.try_emplace(fleet, FleetTrouble{{}, now}).first->second.detail = std::move(detail);
  }
  [[nodiscard]] std::optional<FleetTrouble> of(FleetId fleet) const {
    const std::lock_guard lock(mutex_);
    const auto found = troubles_.find(fleet);
    return found == troubles_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  mutable std::mutex mutex_;
  std::map<FleetId, FleetTrouble> troubles_;
};

}  // namespace hone::api
