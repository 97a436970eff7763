#include "schemas/codec/event_parts.hpp"

#include "schemas/codec/body.hpp"
#include "schemas/codec/words.hpp"

namespace hone::codec {

Json write(const WorkerSeen& event) { return object_with("worker", text(event.worker)); }
WorkerSeen read_worker_seen(Fields& fields) { return {fields.need("worker", IdOf<WorkerId>{})}; }

Json write(const WorkerSetAside& event) {
  Json json = object_with("worker", text(event.worker));
  json["until_us"] = event.until.us;
  json["detail"] = event.detail;
  return json;
}
WorkerSetAside read_worker_set_aside(Fields& fields) {
  return {fields.need("worker", IdOf<WorkerId>{}), fields.need("until_us", LedgerTime{}),
          fields.need("detail", Text{})};
}

Json write(const WorkerAllowed& event) {
  Json json = object_with("worker", text(event.worker));
  json["by_user"] = event.by_user;
  return json;
}
WorkerAllowed read_worker_allowed(Fields& fields) {
  return {fields.need("worker", IdOf<WorkerId>{}), fields.need("by_user", Truth{})};
}

Json write(const TokenCreated& event) {
  Json json = object_with("token", text(event.token));
  json["request_id"] = event.request_id;
  json["name"] = event.name;
  json["scopes"] = encode_scopes(event.scopes);
  json["sha256"] = event.sha256;
  if (event.expires_at) json["expires_at_us"] = event.expires_at->us;
  if (event.by) json["by"] = text(event.by);
  return json;
}
TokenCreated read_token_created(Fields& fields) {
  TokenCreated event;
  event.token = fields.need("token", TokenName{});
  event.request_id = fields.need("request_id", Text{});
  event.name = fields.need("name", Text{});
  event.scopes = fields.need("scopes", read_scopes);
  event.sha256 = fields.need("sha256", Text{});
  event.expires_at = fields.optional("expires_at_us", LedgerTime{});
  event.by = fields.maybe("by", TokenName{}, TokenId{});
  return event;
}

Json write(const TokenRevoked& event) {
  Json json = object_with("token", text(event.token));
  if (event.by) json["by"] = text(event.by);
  return json;
}
TokenRevoked read_token_revoked(Fields& fields) {
  return {fields.need("token", TokenName{}), fields.maybe("by", TokenName{}, TokenId{})};
}

Json write(const ArtifactSaved& event) {
  Json json = object_with("lease", text(event.lease));
  json["run"] = text(event.run);
  json["name"] = event.name;
  json["sha256"] = event.sha256;
  json["bytes"] = event.bytes;
  return json;
}
ArtifactSaved read_artifact_saved(Fields& fields) {
  ArtifactSaved event;
  event.lease = fields.need("lease", LeaseName{});
  event.run = fields.need("run", IdOf<RunId>{});
  event.name = fields.need("name", read_artifact_name);
  event.sha256 = fields.need("sha256", Digest{});
  event.bytes = fields.need("bytes", Integer{0});
  return event;
}

}  // namespace hone::codec
