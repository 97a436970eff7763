// Where a sweep looks for a place for its runs. Internal to server/sweep.
#pragma once

#include <optional>
#include <vector>

#include "server/sweep/state/rules.hpp"

namespace hone {

// The room of a worker; without a capacity every run fits.
class Places {
 public:
  Places(const Sweep& sweep, const std::optional<Capacity>& capacity)
      : sweep_(sweep), all_(capacity ? &capacity->all : nullptr) {
    if (capacity) free_ = &capacity->free;
  }
  [[nodiscard]] bool fits_now(const ResourcesSpec& needs) const {
    return within_slots(needs) && (free_ == nullptr || fits(needs, *free_));
  }
  // Whether a run could start here once others have ended.
  [[nodiscard]] bool fits_later(const ResourcesSpec& needs) const {
    return all_ == nullptr || fits(needs, *all_);
  }
  // Keeps GPUs for a run that shares none, until no run has them.
  void keep_gpus(const ResourcesSpec& needs) {
    if (free_ == nullptr) return;
    kept_ = *free_;
    empty_gpus(needs.gpus, kept_);
    free_ = &kept_;
  }
  // The GPUs that it gets, where they are known. Precondition: it fits now.
  [[nodiscard]] std::vector<int> gpus_for(const ResourcesSpec& needs) const {
    if (free_ == nullptr) return {};
    return devices_for(needs, *free_).value_or(std::vector<int>{});
  }

 private:
  // Whether the sweep may hold so many slots more.
  [[nodiscard]] bool within_slots(const ResourcesSpec& needs) const {
    const auto& most = sweep_.spec.slots.max;
    return !most || sweep_.service.held + needs.cpus <= *most;
  }

  const Sweep& sweep_;
  const Room* all_;
  const Room* free_ = nullptr;
  Room kept_{};
};

}  // namespace hone
