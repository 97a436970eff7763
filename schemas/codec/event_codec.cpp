// The ledger's bodies. Every later version reads what is written here: fields may be added
// (with a fallback for older ledgers), never renamed or removed. Instants are integers of
// microseconds: short and exact.
#include <array>

#include "schemas/codec/body.hpp"
#include "schemas/codec/event_parts.hpp"
#include "schemas/codec/parts.hpp"
#include "schemas/codec/words.hpp"

namespace hone {
namespace codec {
namespace {

// One trio for each event, in the order of the variant: its name, what is written, what is read.

Json write(const ServerStarted& event) {
  Json json = object_with("hone_version", event.hone_version);
  json["lease_us"] = event.lease.us;
  return json;
}
ServerStarted read_server_started(Fields& fields) {
  ServerStarted event;
  event.hone_version = fields.need("hone_version", Text{});
  event.lease = Duration{fields.need("lease_us", Integer{})};
  return event;
}

Json write(const WorkflowRecorded& event) {
  Json json = object_with("workflow", text(event.workflow));
  json["info"] = encode(event.info);
  return json;
}
WorkflowRecorded read_workflow_recorded(Fields& fields) {
  return {fields.need("workflow", IdOf<WorkflowId>{}), fields.need("info", read_workflow)};
}

Json write(const DatasetRecorded& event) {
  Json json = object_with("dataset", text(event.dataset));
  json["info"] = encode(event.info);
  return json;
}
DatasetRecorded read_dataset_recorded(Fields& fields) {
  return {fields.need("dataset", IdOf<DatasetId>{}), fields.need("info", read_dataset)};
}

Json write(const SweepSubmitted& event) {
  Json json = object_with("sweep", text(event.sweep));
  json["request_id"] = event.request_id;
  json["spec"] = encode(event.spec);
  json["workflow"] = event.workflow ? Json(text(event.workflow)) : Json(nullptr);
  json["dataset"] = encode_optional(event.dataset);
  if (event.forked_from) json["forked_from"] = text(*event.forked_from);
  return json;
}
SweepSubmitted read_sweep_submitted(Fields& fields) {
  SweepSubmitted event;
  event.sweep = fields.need("sweep", IdOf<SweepId>{});
  event.request_id = fields.need("request_id", Text{});
  event.spec = fields.need("spec", read_sweep_spec);
  event.workflow = fields.maybe("workflow", IdOf<WorkflowId>{}, WorkflowId{});
  event.dataset = fields.optional("dataset", IdOf<DatasetId>{});
  event.forked_from = fields.optional("forked_from", IdOf<SweepId>{});
  return event;
}

Json write(const SweepSteered& event) {
  Json json = object_with("sweep", text(event.sweep));
  json["verb"] = word(event.verb);
  json["reason"] = word(event.reason);
  return json;
}
SweepSteered read_sweep_steered(Fields& fields) {
  return {fields.need("sweep", IdOf<SweepId>{}), fields.need("verb", WordOf<Verb>{}),
          fields.need("reason", WordOf<EndReason>{})};
}

Json write(const SweepEnded& event) {
  Json json = object_with("sweep", text(event.sweep));
  json["state"] = word(event.state);
  json["reason"] = word(event.reason);
  return json;
}
SweepEnded read_sweep_ended(Fields& fields) {
  return {fields.need("sweep", IdOf<SweepId>{}), fields.need("state", WordOf<SweepState>{}),
          fields.need("reason", WordOf<EndReason>{})};
}

Json write(const WorkerJoined& event) {
  Json json = object_with("worker", text(event.worker));
  json["request_id"] = event.request_id;
  json["host"] = event.host;
  json["pid"] = event.pid;
  json["cpus"] = event.cpus;
  json["gpus"] = event.gpus;
  json["hone_version"] = event.hone_version;
  if (event.token) json["token"] = text(event.token);
  return json;
}
WorkerJoined read_worker_joined(Fields& fields) {
  WorkerJoined event;
  event.worker = fields.need("worker", IdOf<WorkerId>{});
  event.request_id = fields.need("request_id", Text{});
  event.host = fields.need("host", Text{});
  event.pid = fields.need("pid", Integer{});
  event.cpus = fields.need("cpus", SmallInteger{});
  event.gpus = fields.need("gpus", SmallInteger{});
  event.hone_version = fields.need("hone_version", Text{});
  event.token = fields.maybe("token", TokenName{}, TokenId{});
  return event;
}

Json write(const TrialProposed& event) {
  Json json = object_with("trial", text(event.trial));
  json["sweep"] = text(event.sweep);
  json["number"] = event.number;
  json["params"] = encode(event.params);
  if (event.from) json["from"] = text(*event.from);
  return json;
}
TrialProposed read_trial_proposed(Fields& fields) {
  TrialProposed event;
  event.trial = fields.need("trial", IdOf<TrialId>{});
  event.sweep = fields.need("sweep", IdOf<SweepId>{});
  event.number = fields.need("number", Integer{});
  event.params = fields.need("params", read_params);
  event.from = fields.optional("from", IdOf<TrialId>{});
  return event;
}

Json write(const LeaseGranted& event) {
  Json json = object_with("lease", text(event.lease));
  json["attempt"] = text(event.attempt);
  json["worker"] = text(event.worker);
  json["request_id"] = event.request_id;
  json["resume"] = encode_optional(event.resume);
  json["expires_at_us"] = event.expires_at.us;
  return json;
}
LeaseGranted read_lease_granted(Fields& fields) {
  LeaseGranted event;
  event.lease = fields.need("lease", LeaseName{});
  event.attempt = fields.need("attempt", IdOf<AttemptId>{});
  event.worker = fields.need("worker", IdOf<WorkerId>{});
  event.request_id = fields.need("request_id", Text{});
  event.resume = fields.optional("resume", IdOf<ModelId>{});
  event.expires_at = fields.need("expires_at_us", LedgerTime{});
  return event;
}

Json write(const LeaseRenewed& event) {
  Json json = object_with("lease", text(event.lease));
  json["expires_at_us"] = event.expires_at.us;
  return json;
}
LeaseRenewed read_lease_renewed(Fields& fields) {
  return {fields.need("lease", LeaseName{}), fields.need("expires_at_us", LedgerTime{})};
}

Json write(const RunStarted& event) { return object_with("lease", text(event.lease)); }
RunStarted read_run_started(Fields& fields) { return {fields.need("lease", LeaseName{})}; }

Json write(const ReportRecorded& event) {
  Json json = object_with("lease", text(event.lease));
  json["run"] = text(event.run);
  json["phase"] = event.phase;
  json["step"] = event.step;
  json["value"] = encode(event.score);
  if (!event.further.empty()) json["further"] = encode_scores(event.further);
  if (event.seed_applied) json["seed_applied"] = *event.seed_applied;
  return json;
}
ReportRecorded read_report_recorded(Fields& fields) {
  ReportRecorded event;
  event.lease = fields.need("lease", LeaseName{});
  event.run = fields.need("run", IdOf<RunId>{});
  event.phase = fields.need("phase", SmallInteger{});
  event.step = fields.need("step", Integer{});
  event.score = fields.need("value", read_score);
  event.further = fields.maybe("further", ListOf{read_score}, std::vector<Score>{});
  event.seed_applied = fields.optional("seed_applied", Truth{});
  return event;
}

Json write(const VerdictGiven& event) {
  Json json = object_with("run", text(event.run));
  json["phase"] = event.phase;
  json.update(encode(event.verdict));
  return json;
}
VerdictGiven read_verdict_given(Fields& fields) {
  VerdictGiven event;
  event.run = fields.need("run", IdOf<RunId>{});
  event.phase = fields.need("phase", SmallInteger{});
  event.verdict = read_verdict_fields(fields);
  return event;
}

Json write(const ModelSaved& event) {
  Json json = object_with("model", text(event.model));
  json["lease"] = text(event.lease);
  json["run"] = text(event.run);
  json["sha256"] = event.sha256;
  json["bytes"] = event.bytes;
  json["step"] = event.step;
  json["phase"] = event.phase;
  json["parent"] = encode_optional(event.parent);
  return json;
}
ModelSaved read_model_saved(Fields& fields) {
  ModelSaved event;
  event.model = fields.need("model", IdOf<ModelId>{});
  event.lease = fields.need("lease", LeaseName{});
  event.run = fields.need("run", IdOf<RunId>{});
  event.sha256 = fields.need("sha256", Digest{});
  event.bytes = fields.need("bytes", Integer{});
  event.step = fields.need("step", Integer{});
  event.phase = fields.need("phase", SmallInteger{});
  event.parent = fields.optional("parent", IdOf<ModelId>{});
  return event;
}

void write_failure(Failure failure, Json& json) {
  if (failure != Failure::none) json["failure"] = word(failure);
}

Json write(const RunReturned& event) {
  Json json = object_with("lease", text(event.lease));
  json["run"] = text(event.run);
  json["reason"] = word(event.reason);
  json["detail"] = event.detail;
  write_failure(event.failure, json);
  if (event.not_before) json["not_before_us"] = event.not_before->us;
  if (event.avoid) json["avoid"] = text(*event.avoid);
  return json;
}
RunReturned read_run_returned(Fields& fields) {
  RunReturned event;
  event.lease = fields.need("lease", LeaseName{});
  event.run = fields.need("run", IdOf<RunId>{});
  event.reason = fields.need("reason", WordOf<EndReason>{});
  event.detail = fields.need("detail", Text{});
  event.failure = fields.maybe("failure", WordOf<Failure>{}, Failure::none);
  event.not_before = fields.optional("not_before_us", LedgerTime{});
  event.avoid = fields.optional("avoid", IdOf<WorkerId>{});
  return event;
}

Json write(const RunEnded& event) {
  Json json = object_with("run", text(event.run));
  json["state"] = word(event.state);
  json["reason"] = word(event.reason);
  json["exit_code"] = event.exit_code;
  json["detail"] = event.detail;
  json["log_tail"] = event.log_tail;
  write_failure(event.failure, json);
  return json;
}
RunEnded read_run_ended(Fields& fields) {
  RunEnded event;
  event.run = fields.need("run", IdOf<RunId>{});
  event.state = fields.need("state", WordOf<RunState>{});
  event.reason = fields.need("reason", WordOf<EndReason>{});
  event.exit_code = fields.need("exit_code", SmallInteger{});
  event.detail = fields.need("detail", Text{});
  event.log_tail = fields.need("log_tail", Text{});
  event.failure = fields.maybe("failure", WordOf<Failure>{}, Failure::none);
  return event;
}

Json write(const TrialEnqueued& event) {
  Json json = object_with("sweep", text(event.sweep));
  json["request_id"] = event.request_id;
  json["params"] = encode(event.params);
  if (event.from) json["from"] = text(*event.from);
  return json;
}
TrialEnqueued read_trial_enqueued(Fields& fields) {
  TrialEnqueued event;
  event.sweep = fields.need("sweep", IdOf<SweepId>{});
  event.request_id = fields.need("request_id", Text{});
  event.params = fields.need("params", read_params);
  event.from = fields.optional("from", IdOf<TrialId>{});
  return event;
}

Json write(const RunAdded& event) { return object_with("run", text(event.run)); }
RunAdded read_run_added(Fields& fields) { return {fields.need("run", IdOf<RunId>{})}; }

Json write(const RunPaused& event) {
  Json json = object_with("lease", text(event.lease));
  json["run"] = text(event.run);
  return json;
}
RunPaused read_run_paused(Fields& fields) {
  return {fields.need("lease", LeaseName{}), fields.need("run", IdOf<RunId>{})};
}

Json write(const ModelDropped& event) {
  Json json = object_with("model", text(event.model));
  json["run"] = text(event.run);
  return json;
}
ModelDropped read_model_dropped(Fields& fields) {
  return {fields.need("model", IdOf<ModelId>{}), fields.need("run", IdOf<RunId>{})};
}

Json write(const RunReady& event) {
  Json json = object_with("run", text(event.run));
  if (event.reserved_until) json["reserved_until_us"] = event.reserved_until->us;
  return json;
}
RunReady read_run_ready(Fields& fields) {
  return {fields.need("run", IdOf<RunId>{}), fields.optional("reserved_until_us", LedgerTime{})};
}

using hone::codec::write;  // those of event_parts.hpp as well

template <class E>
Json write_any(const E& event) {
  return write(event);
}

template <auto read>
EventBody read_as(Fields& fields) {
  return read(fields);
}

struct Kind {
  std::string_view name;
  EventBody (*read)(Fields&);
};

// In the order of EventBody: kind() looks up by index.
constexpr std::array kinds{
    Kind{"server_started", read_as<read_server_started>},
    Kind{"workflow_recorded", read_as<read_workflow_recorded>},
    Kind{"dataset_recorded", read_as<read_dataset_recorded>},
    Kind{"sweep_submitted", read_as<read_sweep_submitted>},
    Kind{"sweep_steered", read_as<read_sweep_steered>},
    Kind{"sweep_ended", read_as<read_sweep_ended>},
    Kind{"worker_joined", read_as<read_worker_joined>},
    Kind{"trial_proposed", read_as<read_trial_proposed>},
    Kind{"lease_granted", read_as<read_lease_granted>},
    Kind{"lease_renewed", read_as<read_lease_renewed>},
    Kind{"run_started", read_as<read_run_started>},
    Kind{"report_recorded", read_as<read_report_recorded>},
    Kind{"verdict_given", read_as<read_verdict_given>},
    Kind{"model_saved", read_as<read_model_saved>},
    Kind{"run_returned", read_as<read_run_returned>},
    Kind{"run_ended", read_as<read_run_ended>},
    Kind{"trial_enqueued", read_as<read_trial_enqueued>},
    Kind{"run_added", read_as<read_run_added>},
    Kind{"run_paused", read_as<read_run_paused>},
    Kind{"model_dropped", read_as<read_model_dropped>},
    Kind{"run_ready", read_as<read_run_ready>},
    Kind{"worker_seen", read_as<read_worker_seen>},
    Kind{"worker_set_aside", read_as<read_worker_set_aside>},
    Kind{"worker_allowed", read_as<read_worker_allowed>},
    Kind{"token_created", read_as<read_token_created>},
    Kind{"token_revoked", read_as<read_token_revoked>},
    Kind{"artifact_saved", read_as<read_artifact_saved>},
    Kind{"note_added", read_as<read_note_added>},
    Kind{"tags_changed", read_as<read_tags_changed>},
    Kind{"sweep_archived", read_as<read_sweep_archived>},
    Kind{"trial_pinned", read_as<read_trial_pinned>},
    Kind{"sweep_edited", read_as<read_sweep_edited>},
    Kind{"sweep_imported", read_as<read_sweep_imported>},
};
static_assert(kinds.size() == std::variant_size_v<EventBody>);

}  // namespace
}  // namespace codec

std::string_view kind(const EventBody& body) { return codec::kinds[body.index()].name; }

Json encode(const EventBody& body) {
  return std::visit([](const auto& event) { return codec::write_any(event); }, body);
}

Result<EventBody> decode_event(std::string_view kind, const Json& document, EventSource source) {
  for (const auto& row : codec::kinds) {
    if (row.name != kind) continue;
    const auto read = [&](const codec::Spot& spot) {
      codec::Fields fields(spot);
      EventBody body = row.read(fields);
      fields.done();
      return body;
    };
    return codec::decode_with(
        document, read, {},
        source == EventSource::ledger ? codec::Fault::of_ledger() : codec::Fault::of_request());
  }
  return refuse(Code::internal, "the ledger holds an event of kind " + codec::in_quotes(kind) +
                                    " that this version of hone does not know; start a newer one");
}

}  // namespace hone
