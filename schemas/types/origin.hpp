// Where a forked run starts.
#pragma once

#include <cstdint>
#include <optional>

#include "schemas/types/ids.hpp"

namespace hone {

// The place of the continued run among all runs by their latest scores, when the rule of the sweep
// chose it.
struct OriginRank {
  std::int64_t place = 1;  // counted from 1
  std::int64_t rivals = 1;
  friend bool operator==(const OriginRank&, const OriginRank&) = default;
};

// Where a run starts that continues another run of its sweep, with its own parameters: from the
// checkpoint `model`, after `phase`. It takes over the reports of that run up to that phase.
struct Origin {
  RunId run;
  ModelId model;
  int phase = 0;
  std::int64_t step = 0;             // of the phase's report
  std::optional<RunId> replaces{};   // the member of a population whose place it takes
  std::optional<OriginRank> rank{};  // a fork that the rule `hone` started
  friend bool operator==(const Origin&, const Origin&) = default;
};

}  // namespace hone
