// The origin and the successor of a run, as rows.
#pragma once

#include <cstdint>
#include <optional>

#include "schemas/types/origin.hpp"

namespace hone {

// The run that another one continues with other parameters.
struct ForkRow {
  RunId run;
  ModelId model;  // the checkpoint from which it started
  int phase = 0;  // the last one that it took over
  std::int64_t step = 0;
  std::optional<RunId> replaces{};   // the member of a population whose place it took
  std::optional<OriginRank> rank{};  // of the run that it continues, where a rule chose it
};

// The fork that took a run's place in a population.
struct SuccessorRow {
  RunId run;
  RunId origin;  // the run that it continues
};

}  // namespace hone
