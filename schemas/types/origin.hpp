// Where a forked run starts.
#pragma once

#include <cstdint>
#include <optional>

#include "schemas/types/ids.hpp"

namespace hone {

// Where a run starts that continues another run of its sweep, with its own parameters: from the
// checkpoint `model`, after `phase`. It takes over the reports of that run up to that phase.
struct Origin {
  RunId run;
  ModelId model;
  int phase = 0;
  std::int64_t step = 0;            // of the phase's report
  std::optional<RunId> replaces{};  // the member of a population whose place it takes
  friend bool operator==(const Origin&, const Origin&) = default;
};

}  // namespace hone
