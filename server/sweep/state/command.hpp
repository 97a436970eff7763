// The commands of the coordinator and its replies. Pure data.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/key.hpp"
#include "schemas/types/past.hpp"
#include "schemas/types/wire.hpp"
#include "server/fleet/fleet.hpp"

namespace hone {

struct EventBody;
struct SubmitRequest;

struct Submitted {
  SweepId sweep;
  bool known = false;  // the request id is known: nothing new was made
};
struct Steered {
  SweepId sweep;
  SweepState state = SweepState::running;
};

// Each command names its Answer, and its Sender unless it acts for a worker, a lease or an asker:
// check_caller then compares the token of the request with theirs.
struct ByUser;
struct ByServer;

struct Start {  // the first command of every server process
  using Answer = Done;
  using Sender = ByServer;
  std::string hone_version;
  Duration lease;
  Epoch epoch{};  // none: leases continue the numbers before
};
struct Submit {  // behind a pointer: few files need to know what a whole sweep is made of
  using Answer = Submitted;
  using Sender = ByUser;
  explicit Submit(SubmitRequest given);
  std::shared_ptr<const SubmitRequest> request;
};
struct Steer {
  using Answer = Steered;
  using Sender = ByUser;
  SweepId sweep;
  SteerRequest request;
};
struct Join {
  using Answer = JoinReply;
  JoinRequest request;
  TokenId by{};
};
struct Acquire {
  using Answer = std::optional<LeaseGrant>;
  AcquireRequest request;
};
struct Beat {
  using Answer = BeatReply;
  WorkerId worker;
  BeatRequest request;
};
struct Report {
  using Answer = ReportReply;
  LeaseId lease;
  ReportRequest request;
};
struct SaveModel {
  using Answer = SaveModelReply;
  LeaseId lease;
  SaveModelRequest request;
};
struct LogMetrics {  // telemetry: makes no event; the engine stores the points in the same commit
  using Answer = Done;
  LeaseId lease;
  MetricsRequest request;
};
struct End {
  using Answer = Done;
  LeaseId lease;
  EndRequest request;
};
struct Ask {
  using Answer = AskReply;
  SweepId sweep;
  AskRequest request;
  TokenId by{};
};
struct Tell {
  using Answer = TellReply;
  TrialId trial;
  TellRequest request;
};
struct Enqueue {
  using Answer = EnqueueReply;
  using Sender = ByUser;
  SweepId sweep;
  EnqueueRequest request;
  TokenId by{};
};
struct Allow {  // a user re-enables a quarantined worker
  using Answer = Done;
  using Sender = ByUser;
  WorkerId worker;
};
struct CreateToken {
  using Answer = Key;
  using Sender = ByUser;
  CreateTokenRequest request;
  TokenId by{};
};
struct RevokeToken {
  using Answer = Key;
  using Sender = ByUser;
  TokenId token;
  TokenId by{};
};
struct Confirm {
  using Answer = Submitted;
  using Sender = ByUser;
  SweepId sweep;
  ConfirmRequest request;
};
struct SaveArtifact {
  using Answer = Done;
  LeaseId lease;
  SaveArtifactRequest request;
};
struct RecordCode {
  using Answer = Done;
  LeaseId lease;
  RecordCodeRequest request;
};
struct Evaluate {
  using Answer = EvaluateReply;
  using Sender = ByUser;
  ModelId model;
  EvaluateRequest request;
};
struct AddNote {
  using Answer = Done;
  using Sender = ByUser;
  NoteRequest request;
};
struct ChangeTags {
  using Answer = Done;
  using Sender = ByUser;
  TagRequest request;
};
struct Archive {
  using Answer = Done;
  using Sender = ByUser;
  SweepId sweep;
  ArchiveRequest request;
};
struct Pin {
  using Answer = Done;
  using Sender = ByUser;
  TrialId trial;
  PinRequest request;
};
struct Edit {
  using Answer = Done;
  using Sender = ByUser;
  SweepId sweep;
  EditRequest request;
};
struct Import {  // its telemetry makes no event; the engine stores it in the same commit
  using Answer = Submitted;
  using Sender = ByUser;
  explicit Import(ImportRequest given);
  std::shared_ptr<const ImportRequest> request;
  // Whether its events can have happened. Checked where the command is made, so that the engine
  // does not spend the time.
  Status fits;
};
struct SetFleet {
  using Answer = FleetReply;
  using Sender = ByUser;
  FleetRequest request;
  std::string mark;  // of a new fleet: random
  TokenId by{};
};
struct StopFleet {
  using Answer = Done;
  using Sender = ByUser;
  FleetId fleet;
};
struct ForgetFleet {  // that is stopping, and whose pilots cannot be asked whether they have ended
  using Answer = Done;
  using Sender = ByUser;
  FleetId fleet;
};
struct Reconcile {  // from the thread that runs the engines
  using Answer = std::vector<FleetOrder>;
  using Sender = ByServer;
  std::vector<FleetNews> news;
};
struct Tick {  // a deadline has passed: check leases and time limits
  using Answer = Done;
  using Sender = ByServer;
};

using Command =
    std::variant<Start, Submit, Steer, Join, Acquire, Beat, Report, SaveModel, LogMetrics, End, Ask,
                 Tell, Enqueue, Tick, Allow, CreateToken, RevokeToken, Confirm, SaveArtifact,
                 AddNote, ChangeTags, Archive, Pin, Edit, Import, SetFleet, StopFleet, ForgetFleet,
                 Reconcile, RecordCode, Evaluate>;

// Whether T is one of Ts: lets a visitor name the commands that it treats alike.
template <class T, class... Ts>
inline constexpr bool is_any_of = (std::is_same_v<T, Ts> || ...);

using Reply = std::variant<Done, Submitted, Steered, JoinReply, std::optional<LeaseGrant>,
                           BeatReply, ReportReply, SaveModelReply, AskReply, TellReply,
                           EnqueueReply, EvaluateReply, Key, FleetReply, std::vector<FleetOrder>>;

using Events = std::vector<EventBody>;

}  // namespace hone
