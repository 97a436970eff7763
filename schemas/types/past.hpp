// A sweep with all that happened to it, as `hone export --format json` writes it: ids count from 1
// within the document, so that the same sweep has the same document wherever it lives.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schemas/types/budget_spec.hpp"
#include "schemas/types/metric.hpp"
#include "schemas/types/widening.hpp"
#include "schemas/types/wire.hpp"

namespace hone {

struct Event;

// A trial of a confirmation, and the trial of the confirmed sweep whose parameters it has: each
// numbered within the document of that sweep.
struct Retrained {
  TrialId trial;
  TrialId of;
  friend bool operator==(const Retrained&, const Retrained&) = default;
};

// The sweep that a confirmation confirms, by what no other sweep shares with it.
struct PastConfirmed {
  Instant submitted_at;
  std::uint64_t seed = 0;
  std::vector<Retrained> trials;
  friend bool operator==(const PastConfirmed&, const PastConfirmed&) = default;
};

struct SweepPast {
  WorkflowInfo workflow;
  std::optional<DatasetInfo> dataset;
  std::vector<JoinRequest> workers;  // by number - 1; their request ids stay empty
  std::vector<Event> events;         // without numbers
  std::vector<Series> metrics;
  std::vector<WorkflowInfo> workflows{};  // of its attempts: wf_2 and on, the sweep's own is wf_1
  std::optional<PastConfirmed> confirms{};
  // "4711:9f86d0...": the sweep's newest event in the ledger that it was exported from, with its
  // link, which stands for all events up to it. Empty where an earlier hone wrote the document.
  std::string ledger{};
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
  std::optional<int> share{};
  std::optional<SlotsSpec> slots{};
  std::optional<Deadline> by{};             // both zero: none any more
  std::optional<CommandTrainer> command{};  // of later attempts
};

}  // namespace hone
