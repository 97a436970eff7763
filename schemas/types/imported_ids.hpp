// Ids that are given to an import before its parts are written.
#pragma once

#include <cstdint>

namespace hone {

// The ids that an imported sweep takes: so many after the last one that was taken.
struct TakenIds {
  std::int64_t after = 0, count = 0;
  [[nodiscard]] bool contains(std::int64_t id) const { return id > after && id <= after + count; }
  friend bool operator==(const TakenIds&, const TakenIds&) = default;
};
struct ImportedIds {
  TakenIds trials, leases, models, evaluations;
  friend bool operator==(const ImportedIds&, const ImportedIds&) = default;
};

}  // namespace hone
