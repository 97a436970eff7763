// Ids of objects, as strong types and as people see them: sw_7, tr_42, rn_42.0, rn_42.0#2, md_9,
// ... The engine mints numbers in order, per kind, across all sweeps of a data folder.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace hone {

template <class Tag>
struct Id {
  std::int64_t value = 0;  // 0 means "none"; minted numbers start at 1
  explicit operator bool() const { return value != 0; }
  friend auto operator<=>(const Id&, const Id&) = default;
};

struct SweepTag {
  static constexpr std::string_view prefix = "sw_";
};
struct TrialTag {
  static constexpr std::string_view prefix = "tr_";
};
struct ModelTag {
  static constexpr std::string_view prefix = "md_";
};
struct DatasetTag {
  static constexpr std::string_view prefix = "ds_";
};
struct WorkflowTag {
  static constexpr std::string_view prefix = "wf_";
};
struct WorkerTag {
  static constexpr std::string_view prefix = "wk_";
};
struct EvaluationTag {
  static constexpr std::string_view prefix = "ev_";
};
struct LeaseTag {
  static constexpr std::string_view prefix = "le_";
};
struct TokenTag {
  static constexpr std::string_view prefix = "tk_";
};
struct FleetTag {
  static constexpr std::string_view prefix = "fl_";
};
struct PilotTag {
  static constexpr std::string_view prefix = "pi_";
};

using SweepId = Id<SweepTag>;
using TrialId = Id<TrialTag>;            // one parameter set
using ModelId = Id<ModelTag>;            // a checkpoint a run saved
using DatasetId = Id<DatasetTag>;        // what a run trained on
using WorkflowId = Id<WorkflowTag>;      // how it was run
using EvaluationId = Id<EvaluationTag>;  // what was measured of a model later
using WorkerId = Id<WorkerTag>;
using LeaseId = Id<LeaseTag>;  // the fence: one attempt's right to act for its run
// One life of a ledger, from the start of a server to the next: the number after which it counts
// the leases that it grants. Drawn at each start (server/engine/epoch.hpp).
using Epoch = LeaseId;

using TokenId = Id<TokenTag>;  // a secret that gives its holder access to the server
using FleetId = Id<FleetTag>;  // a rule for how many workers an engine keeps alive
using PilotId = Id<PilotTag>;  // a worker that an engine runs for a fleet

// One trial trained with one seed.
struct RunId {
  TrialId trial;
  int replicate = 0;
  friend auto operator<=>(const RunId&, const RunId&) = default;
};

// One execution of a run by one worker under one lease; number counts from 1.
struct AttemptId {
  RunId run;
  int number = 0;
  friend auto operator<=>(const AttemptId&, const AttemptId&) = default;
};

using ObjectId = std::variant<SweepId, TrialId, RunId, AttemptId, ModelId, DatasetId, WorkflowId,
                              WorkerId, EvaluationId>;

template <class Tag>
std::string text(Id<Tag> id) {
  return std::string(Tag::prefix) + std::to_string(id.value);
}
std::string text(RunId id);
std::string text(AttemptId id);
std::string text(const ObjectId& id);

// The inverse of text(); nullopt for anything else, leading zeros and signs included.
std::optional<ObjectId> parse_object_id(std::string_view words);
std::optional<LeaseId> parse_lease_id(std::string_view words);
std::optional<TokenId> parse_token_id(std::string_view words);
std::optional<FleetId> parse_fleet_id(std::string_view words);
std::optional<PilotId> parse_pilot_id(std::string_view words);

// parse_object_id narrowed to one kind: parse_id<SweepId>("sw_7").
template <class T>
std::optional<T> parse_id(std::string_view words) {
  const auto any = parse_object_id(words);
  if (!any || !std::holds_alternative<T>(*any)) return std::nullopt;
  return std::get<T>(*any);
}

}  // namespace hone
