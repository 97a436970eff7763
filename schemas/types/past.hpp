// A sweep with all that happened to it, as `hone export --format json` writes it: ids count from 1
// within the document, so that the same sweep has the same document wherever it lives.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schemas/types/metric.hpp"
#include "schemas/types/widening.hpp"
#include "schemas/types/wire.hpp"

namespace hone {

struct Event;

struct SweepPast {
  WorkflowInfo workflow;
  std::optional<DatasetInfo> dataset;
  std::vector<JoinRequest> workers;  // by number - 1; their request ids stay empty
  std::vector<Event> events;         // without numbers
  std::vector<Series> metrics;
  std::vector<WorkflowInfo> workflows{};  // of its attempts: wf_2 and on, the sweep's own is wf_1
};

struct ImportRequest {
  std::string request_id;  // the same id again returns the same sweep
  SweepPast past;
};

// What to change in a live sweep.
struct EditRequest {
  std::string request_id;
  std::optional<std::int64_t> trials{};
  std::optional<int> concurrency{};  // 0: no limit
  std::vector<Widening> widen{};
};

}  // namespace hone
