// The ledger's bodies that are of workers and tokens, and what all of them are written with.
// Internal to schemas/codec: event_codec.cpp has the others and the table.
#pragma once

#include <string_view>
#include <utility>

#include "schemas/codec/parts.hpp"
#include "schemas/types/event.hpp"

namespace hone::codec {

inline Json object_with(std::string_view key, Json value) {
  Json json = Json::object();
  json[key] = std::move(value);
  return json;
}

Json write(const WorkerSeen& event);
Json write(const WorkerSetAside& event);
Json write(const WorkerAllowed& event);
Json write(const TokenCreated& event);
Json write(const TokenRevoked& event);
Json write(const ArtifactSaved& event);
Json write(const NoteAdded& event);
Json write(const TagsChanged& event);
Json write(const SweepArchived& event);
Json write(const TrialPinned& event);
Json write(const SweepEdited& event);
Json write(const SweepImported& event);

WorkerSeen read_worker_seen(Fields& fields);
WorkerSetAside read_worker_set_aside(Fields& fields);
WorkerAllowed read_worker_allowed(Fields& fields);
TokenCreated read_token_created(Fields& fields);
TokenRevoked read_token_revoked(Fields& fields);
ArtifactSaved read_artifact_saved(Fields& fields);
NoteAdded read_note_added(Fields& fields);
TagsChanged read_tags_changed(Fields& fields);
SweepArchived read_sweep_archived(Fields& fields);
TrialPinned read_trial_pinned(Fields& fields);
SweepEdited read_sweep_edited(Fields& fields);
SweepImported read_sweep_imported(Fields& fields);

}  // namespace hone::codec
