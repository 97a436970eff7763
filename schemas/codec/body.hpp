// Bodies <-> JSON. decode_* check everything that can be seen from the document alone (types,
// unknown keys, bounds that are fixed by the words themselves) and refuse with a JSON pointer; what
// depends on other rooms (is there such a sampler, trainer, rule?) is checked by
// server/sweep/check.hpp.
#pragma once

#include "base/result.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/types/event.hpp"
#include "schemas/types/past.hpp"
#include "schemas/types/spec.hpp"
#include "schemas/types/wire.hpp"

namespace hone {

// The sweep file (DESIGN: "The sweep file"). encode fills in every default: counts as numbers,
// durations in seconds.
Result<SweepSpec> decode_sweep_spec(const Json& document);
Json encode(const SweepSpec& spec);

Result<SubmitRequest> decode_submit_request(const Json& document);
Result<SteerRequest> decode_steer_request(const Json& document);
Result<JoinRequest> decode_join_request(const Json& document);
Result<AcquireRequest> decode_acquire_request(const Json& document);
Result<ReportRequest> decode_report_request(const Json& document);
Result<AskRequest> decode_ask_request(const Json& document);
Result<TellRequest> decode_tell_request(const Json& document);
Result<EnqueueRequest> decode_enqueue_request(const Json& document);
Result<ConfirmRequest> decode_confirm_request(const Json& document);
Result<CreateTokenRequest> decode_create_token_request(const Json& document);
Result<Done> decode_no_request(const Json& document);  // {}
Result<SaveModelRequest> decode_save_model_request(const Json& document);
Result<SaveArtifactRequest> decode_save_artifact_request(const Json& document);
Result<MetricsRequest> decode_metrics_request(const Json& document);
Result<EndRequest> decode_end_request(const Json& document);
Result<NoteRequest> decode_note_request(const Json& document);
Result<TagRequest> decode_tag_request(const Json& document);
Result<ArchiveRequest> decode_archive_request(const Json& document);
Result<PinRequest> decode_pin_request(const Json& document);
Result<EditRequest> decode_edit_request(const Json& document);
Result<ImportRequest> decode_import_request(const Json& document);
Result<BeatRequest> decode_beat_request(const Json& document);

Json encode(const SubmitRequest& request);
Json encode(const SteerRequest& request);
Json encode(const JoinRequest& request);
Json encode(const AcquireRequest& request);
Json encode(const ReportRequest& request);
Json encode(const AskRequest& request);
Json encode(const TellRequest& request);
Json encode(const EnqueueRequest& request);
Json encode(const ConfirmRequest& request);
Json encode(const CreateTokenRequest& request);
Json encode(const SaveModelRequest& request);
Json encode(const SaveArtifactRequest& request);
Json encode(const MetricsRequest& request);
Json encode(const EndRequest& request);
Json encode(const BeatRequest& request);
Json encode(const NoteRequest& request);
Json encode(const TagRequest& request);
Json encode(const EditRequest& request);
Json encode(const SweepPast& past);  // a document that `hone export` writes

// Replies. Unknown fields are tolerated here: an older client may talk to a newer server.
Result<JoinReply> decode_join_reply(const Json& document);
Result<std::optional<LeaseGrant>> decode_acquire_reply(const Json& document);
Result<BeatReply> decode_beat_reply(const Json& document);
Result<ReportReply> decode_report_reply(const Json& document);
Result<AskReply> decode_ask_reply(const Json& document);
Result<TellReply> decode_tell_reply(const Json& document);
Result<EnqueueReply> decode_enqueue_reply(const Json& document);
Result<CreateTokenReply> decode_create_token_reply(const Json& document);
Result<SaveModelReply> decode_save_model_reply(const Json& document);

Json encode(const JoinReply& reply);
Json encode(const std::optional<LeaseGrant>& grant);
Json encode(const BeatReply& reply);
Json encode(const ReportReply& reply);
Json encode(const AskReply& reply);
Json encode(const TellReply& reply);
Json encode(const EnqueueReply& reply);
Json encode(const CreateTokenReply& reply);
Json encode(const SaveModelReply& reply);

// The problem body {code, detail, at, retryable} of every refusal.
Json encode(const Error& error);
Error decode_problem(
    const Json& document);  // total: a body that is no problem becomes Code::internal

// Parts that several rooms need.
Json encode(const Value& value);
Result<Value> decode_value(const Json& document, const std::string& at);
Json encode(const Params& params);  // an object, in order
Result<Params> decode_params(const Json& document, const std::string& at);
Json encode(const TrainerSpec& trainer);
Result<CommandTrainer> decode_command(const Json& document, const std::string& at);
Json encode(Score score);  // a number or "diverged"
Result<Score> decode_score(const Json& document, const std::string& at);
Json encode(const Verdict& verdict);  // {"verdict", "reason", "inputs"}
Result<Verdict> decode_verdict(const Json& document, const std::string& at);
Json encode(const WorkflowInfo& info);
Json encode(const DatasetInfo& info);
std::string rfc3339(Instant t);  // "2026-11-21T10:04:05.123456Z"
std::optional<Instant> parse_rfc3339(std::string_view text);

// The ledger's bodies: {"kind": ..., fields}. decode_event fails only on a damaged or newer ledger.
std::string_view kind(const EventBody& body);  // "sweep_submitted", ...
Json encode(const EventBody& body);            // without kind
// Events of a document from elsewhere obey the rules of requests, too.
enum class EventSource { ledger, elsewhere };
Result<EventBody> decode_event(std::string_view kind, const Json& document,
                               EventSource source = EventSource::ledger);

}  // namespace hone
