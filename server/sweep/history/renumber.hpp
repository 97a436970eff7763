// Maps the ids in the events of a sweep to those of another data folder, or of a document.
#pragma once

#include <functional>
#include <map>

#include "schemas/types/event.hpp"

namespace hone {

// The new ids of everything that the events of a sweep create, in their order. New numbers continue
// from the given ones; ids that these events do not create (the sweep it was forked from) stay.
struct Renumbering {
  SweepId sweep;
  std::int64_t trials = 0, leases = 0, models = 0, evaluations = 0;  // the last ones taken
  std::map<TrialId, TrialId> trial{};
  std::map<LeaseId, LeaseId> lease{};
  std::map<ModelId, ModelId> model{};
  std::map<WorkerId, WorkerId> worker{};
  WorkflowId workflow{};                        // of the submission
  std::map<WorkflowId, WorkflowId> executed{};  // of attempts
  std::map<EvaluationId, EvaluationId> evaluation{};
  std::optional<DatasetId> dataset{};
};

// Replaces every id in the event. Returns false if it names an id that no earlier event created: it
// does not belong to this past.
bool renumber(EventBody& body, Renumbering& ids);

}  // namespace hone
