// The commands of the coordinator and its replies. Pure data.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/event.hpp"
#include "schemas/types/key.hpp"
#include "schemas/types/past.hpp"
#include "schemas/types/wire.hpp"
#include "server/fleet/fleet.hpp"

namespace hone {

struct Start {  // the first command of every server process
  std::string hone_version;
  Duration lease;
  Epoch epoch{};  // none: leases continue the numbers before
};
struct Submit {
  SubmitRequest request;
};
struct Steer {
  SweepId sweep;
  SteerRequest request;
};
struct Join {
  JoinRequest request;
  TokenId by{};
};
struct Acquire {
  AcquireRequest request;
};
struct Beat {
  WorkerId worker;
  BeatRequest request;
};
struct Report {
  LeaseId lease;
  ReportRequest request;
};
struct SaveModel {
  LeaseId lease;
  SaveModelRequest request;
};
struct LogMetrics {  // telemetry: makes no event; the engine stores the points in the same commit
  LeaseId lease;
  MetricsRequest request;
};
struct End {
  LeaseId lease;
  EndRequest request;
};
struct Ask {
  SweepId sweep;
  AskRequest request;
  TokenId by{};
};
struct Tell {
  TrialId trial;
  TellRequest request;
};
struct Enqueue {
  SweepId sweep;
  EnqueueRequest request;
};
struct Allow {  // a user re-enables a quarantined worker
  WorkerId worker;
};
struct CreateToken {
  CreateTokenRequest request;
  TokenId by{};
};
struct RevokeToken {
  TokenId token;
  TokenId by{};
};
struct Confirm {
  SweepId sweep;
  ConfirmRequest request;
};
struct SaveArtifact {
  LeaseId lease;
  SaveArtifactRequest request;
};
struct RecordCode {
  LeaseId lease;
  RecordCodeRequest request;
};
struct Evaluate {
  ModelId model;
  EvaluateRequest request;
};
struct AddNote {
  NoteRequest request;
};
struct ChangeTags {
  TagRequest request;
};
struct Archive {
  SweepId sweep;
  ArchiveRequest request;
};
struct Pin {
  TrialId trial;
  PinRequest request;
};
struct Edit {
  SweepId sweep;
  EditRequest request;
};
struct Import {  // its telemetry makes no event; the engine stores it in the same commit
  ImportRequest request;
};
struct SetFleet {
  FleetRequest request;
  std::string mark;  // of a new fleet: random
  TokenId by{};
};
struct StopFleet {
  FleetId fleet;
};
struct Reconcile {  // from the thread that runs the engines
  std::vector<FleetNews> news;
};
struct Tick {};  // a deadline has passed: check leases and time limits

using Command = std::variant<Start, Submit, Steer, Join, Acquire, Beat, Report, SaveModel,
                             LogMetrics, End, Ask, Tell, Enqueue, Tick, Allow, CreateToken,
                             RevokeToken, Confirm, SaveArtifact, AddNote, ChangeTags, Archive, Pin,
                             Edit, Import, SetFleet, StopFleet, Reconcile, RecordCode, Evaluate>;

// Whether T is one of Ts: lets a visitor name the commands that it treats alike.
template <class T, class... Ts>
inline constexpr bool is_any_of = (std::is_same_v<T, Ts> || ...);

struct Submitted {
  SweepId sweep;
  bool known = false;  // the request id is known: nothing new was made
};
struct Steered {
  SweepId sweep;
  SweepState state = SweepState::running;
};

using Reply = std::variant<Done, Submitted, Steered, JoinReply, std::optional<LeaseGrant>,
                           BeatReply, ReportReply, SaveModelReply, AskReply, TellReply,
                           EnqueueReply, EvaluateReply, Key, FleetReply, std::vector<FleetOrder>>;

using Events = std::vector<EventBody>;

}  // namespace hone
