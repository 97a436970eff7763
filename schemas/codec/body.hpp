// Bodies <-> JSON: encode(body), and the decoders by name. Each refuses with a JSON pointer.
#pragma once

#include "schemas/codec/encode.hpp"

namespace hone {

// The sweep file (ARCHITECTURE.md, "The sweep file").
inline constexpr auto& decode_sweep_spec = decode_request<SweepSpec>;

inline constexpr auto& decode_submit_request = decode_request<SubmitRequest>;
inline constexpr auto& decode_steer_request = decode_request<SteerRequest>;
inline constexpr auto& decode_join_request = decode_request<JoinRequest>;
inline constexpr auto& decode_acquire_request = decode_request<AcquireRequest>;
inline constexpr auto& decode_report_request = decode_request<ReportRequest>;
inline constexpr auto& decode_ask_request = decode_request<AskRequest>;
inline constexpr auto& decode_tell_request = decode_request<TellRequest>;
inline constexpr auto& decode_enqueue_request = decode_request<EnqueueRequest>;
inline constexpr auto& decode_confirm_request = decode_request<ConfirmRequest>;
inline constexpr auto& decode_create_token_request = decode_request<CreateTokenRequest>;
inline constexpr auto& decode_no_request = decode_request<Done>;  // {}
inline constexpr auto& decode_save_model_request = decode_request<SaveModelRequest>;
inline constexpr auto& decode_save_artifact_request = decode_request<SaveArtifactRequest>;
inline constexpr auto& decode_metrics_request = decode_request<MetricsRequest>;
inline constexpr auto& decode_end_request = decode_request<EndRequest>;
inline constexpr auto& decode_note_request = decode_request<NoteRequest>;
inline constexpr auto& decode_tag_request = decode_request<TagRequest>;
inline constexpr auto& decode_archive_request = decode_request<ArchiveRequest>;
inline constexpr auto& decode_pin_request = decode_request<PinRequest>;
inline constexpr auto& decode_edit_request = decode_request<EditRequest>;
inline constexpr auto& decode_import_request = decode_request<ImportRequest>;
inline constexpr auto& decode_beat_request = decode_request<BeatRequest>;
inline constexpr auto& decode_fleet_request = decode_request<FleetRequest>;
// What the query tables and the CLI hold of a fleet.
inline constexpr auto& decode_fleet_spec = decode_request<FleetSpec>;
inline constexpr auto& decode_record_code_request = decode_request<RecordCodeRequest>;
inline constexpr auto& decode_evaluate_request = decode_request<EvaluateRequest>;

inline constexpr auto& decode_join_reply = decode_reply<JoinReply>;
inline constexpr auto& decode_acquire_reply = decode_reply<std::optional<LeaseGrant>>;
inline constexpr auto& decode_beat_reply = decode_reply<BeatReply>;
inline constexpr auto& decode_report_reply = decode_reply<ReportReply>;
inline constexpr auto& decode_ask_reply = decode_reply<AskReply>;
inline constexpr auto& decode_tell_reply = decode_reply<TellReply>;
inline constexpr auto& decode_enqueue_reply = decode_reply<EnqueueReply>;
inline constexpr auto& decode_create_token_reply = decode_reply<CreateTokenReply>;
inline constexpr auto& decode_save_model_reply = decode_reply<SaveModelReply>;
inline constexpr auto& decode_fleet_reply = decode_reply<FleetReply>;
inline constexpr auto& decode_evaluate_reply = decode_reply<EvaluateReply>;

}  // namespace hone
