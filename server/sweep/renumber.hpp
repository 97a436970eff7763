// The ids in an event, each handed to a mapping: how the past of a sweep gets the ids of another
// data folder, or those of a document.
#pragma once

#include <functional>
#include <map>

#include "schemas/types/event.hpp"

namespace hone {

// What is made in the past of a sweep, in the order in which it was made. `minted` numbers go on
// from a start; what was never made here (a sweep that it was forked from) stays as it is.
struct Renumbering {
  SweepId sweep;
  std::int64_t trials = 0, leases = 0, models = 0;  // the last ones taken
  std::map<TrialId, TrialId> trial{};
  std::map<LeaseId, LeaseId> lease{};
  std::map<ModelId, ModelId> model{};
  std::map<WorkerId, WorkerId> worker{};
  WorkflowId workflow{};
  std::optional<DatasetId> dataset{};
};

// Replaces every id. False where an event names what no event before it made: it does not belong to
// this past.
bool renumber(EventBody& body, Renumbering& ids);

}  // namespace hone
