// What the server answers. Readers skip fields they do not know: the server may be newer.
#include "schemas/codec/body.hpp"
#include "schemas/codec/parts.hpp"
#include "schemas/codec/words.hpp"

namespace hone {
namespace codec {
namespace {

JoinReply read_join_reply(const Spot& spot) {
  Fields fields(spot);
  JoinReply reply;
  reply.worker = fields.need("worker", IdOf<WorkerId>{});
  reply.lease = fields.need("lease", Length{});
  reply.heartbeat = fields.need("heartbeat", Length{});
  fields.done();
  return reply;
}

ModelRef read_model_ref(const Spot& spot) {
  Fields fields(spot);
  ModelRef model;
  model.id = fields.need("model", IdOf<ModelId>{});
  model.sha256 = fields.need("sha256", Digest{});
  model.bytes = fields.need("bytes", Integer{0});
  model.step = fields.need("step", Integer{0});
  model.phase = fields.need("phase", SmallInteger{0});
  fields.done();
  return model;
}

TrainerSpec read_granted_trainer(const Spot& spot) {
  Fields fields(spot);
  auto command = fields.optional("command", read_command);
  if (command) return *std::move(command);
  BuiltinTrainer builtin;
  builtin.name = fields.need("name", Text{});
  builtin.settings = fields.maybe("settings", read_params, Params{});
  fields.done();
  return builtin;
}

TimeLimits read_time_limits(const Spot& spot) {
  Fields fields(spot);
  TimeLimits limits{fields.optional("run", Length{}), fields.optional("phase", Length{})};
  fields.done();
  return limits;
}

LeaseGrant read_grant(const Spot& spot) {
  Fields fields(spot);
  LeaseGrant grant;
  grant.lease = fields.need("lease", LeaseName{});
  grant.attempt = fields.need("attempt", IdOf<AttemptId>{});
  grant.sweep = fields.need("sweep", IdOf<SweepId>{});
  grant.sweep_name = fields.need("sweep_name", Text{});
  grant.objective = fields.need("objective", read_objective);
  grant.trainer = fields.need("trainer", read_granted_trainer);
  grant.params = fields.need("params", read_params);
  grant.seed = static_cast<std::uint64_t>(fields.need("seed", Integer{0, exact_max}));
  grant.budget = fields.need("budget", read_budget);
  grant.resources = fields.need("resources", read_resources);
  grant.next_phase = fields.need("next_phase", SmallInteger{0});
  grant.resume = fields.optional("resume", read_model_ref);
  grant.expires_at = fields.need("expires_at", WireTime{});
  grant.limits = fields.maybe("limits", read_time_limits, TimeLimits{});
  fields.done();
  return grant;
}

std::optional<LeaseGrant> read_acquire_reply(const Spot& spot) {
  Fields fields(spot);
  auto grant = fields.optional("grant", read_grant);
  fields.done();
  return grant;
}

LeaseStanding read_standing(const Spot& spot) {
  Fields fields(spot);
  LeaseStanding standing;
  standing.lease = fields.need("lease", LeaseName{});
  standing.order = fields.need("order", WordOf<Order>{});
  standing.expires_at = fields.need("expires_at", WireTime{});
  fields.done();
  return standing;
}

BeatReply read_beat_reply(const Spot& spot) {
  Fields fields(spot);
  BeatReply reply{fields.need("leases", ListOf{read_standing})};
  fields.done();
  return reply;
}

AskReply read_ask_reply(const Spot& spot) {
  Fields fields(spot);
  AskReply reply;
  reply.trial = fields.need("trial", IdOf<TrialId>{});
  reply.number = fields.need("number", Integer{0});
  reply.lease = fields.need("lease", LeaseName{});
  reply.params = fields.need("params", read_params);
  reply.seed = static_cast<std::uint64_t>(fields.need("seed", Integer{0, exact_max}));
  reply.next_phase = fields.need("next_phase", SmallInteger{0});
  fields.done();
  return reply;
}

EnqueueReply read_enqueue_reply(const Spot& spot) {
  Fields fields(spot);
  EnqueueReply reply{fields.need("waiting", Integer{0})};
  fields.done();
  return reply;
}

CreateTokenReply read_create_token_reply(const Spot& spot) {
  Fields fields(spot);
  CreateTokenReply reply;
  reply.token = fields.need("token", TokenName{});
  reply.expires_at = fields.optional("expires_at", WireTime{});
  fields.done();
  return reply;
}

SaveModelReply read_save_model_reply(const Spot& spot) {
  Fields fields(spot);
  SaveModelReply reply{fields.need("model", IdOf<ModelId>{})};
  fields.done();
  return reply;
}

template <class Read>
auto decode_reply(const Json& document, Read read) {
  return decode_with(document, read, {}, Fault::of_reply());
}

Json encode_model_ref(const ModelRef& model) {
  Json json = Json::object();
  json["model"] = text(model.id);
  json["sha256"] = model.sha256;
  json["bytes"] = model.bytes;
  json["step"] = model.step;
  json["phase"] = model.phase;
  return json;
}

Json encode_grant(const LeaseGrant& grant) {
  Json json = Json::object();
  json["lease"] = text(grant.lease);
  json["attempt"] = text(grant.attempt);
  json["sweep"] = text(grant.sweep);
  json["sweep_name"] = grant.sweep_name;
  json["objective"] = encode_objective(grant.objective);
  json["trainer"] = encode(grant.trainer);
  json["params"] = encode(grant.params);
  json["seed"] = grant.seed;
  json["budget"] = encode_budget(grant.budget);
  json["resources"] = encode_resources(grant.resources);
  json["next_phase"] = grant.next_phase;
  json["resume"] = grant.resume ? encode_model_ref(*grant.resume) : Json(nullptr);
  json["expires_at"] = rfc3339(grant.expires_at);
  if (grant.limits.run) json["limits"]["run"] = seconds_json(*grant.limits.run);
  if (grant.limits.phase) json["limits"]["phase"] = seconds_json(*grant.limits.phase);
  return json;
}

}  // namespace
}  // namespace codec

Result<JoinReply> decode_join_reply(const Json& document) {
  return codec::decode_reply(document, codec::read_join_reply);
}
Result<std::optional<LeaseGrant>> decode_acquire_reply(const Json& document) {
  return codec::decode_reply(document, codec::read_acquire_reply);
}
Result<BeatReply> decode_beat_reply(const Json& document) {
  return codec::decode_reply(document, codec::read_beat_reply);
}
Result<ReportReply> decode_report_reply(const Json& document) {
  return codec::decode_reply(
      document, [](const codec::Spot& spot) { return ReportReply{codec::read_verdict(spot)}; });
}
Result<AskReply> decode_ask_reply(const Json& document) {
  return codec::decode_reply(document, codec::read_ask_reply);
}
Result<TellReply> decode_tell_reply(const Json& document) {
  return codec::decode_reply(
      document, [](const codec::Spot& spot) { return TellReply{codec::read_verdict(spot)}; });
}
Result<EnqueueReply> decode_enqueue_reply(const Json& document) {
  return codec::decode_reply(document, codec::read_enqueue_reply);
}
Result<CreateTokenReply> decode_create_token_reply(const Json& document) {
  return codec::decode_reply(document, codec::read_create_token_reply);
}
Result<SaveModelReply> decode_save_model_reply(const Json& document) {
  return codec::decode_reply(document, codec::read_save_model_reply);
}

Json encode(const JoinReply& reply) {
  Json json = Json::object();
  json["worker"] = text(reply.worker);
  json["lease"] = codec::seconds_json(reply.lease);
  json["heartbeat"] = codec::seconds_json(reply.heartbeat);
  return json;
}

Json encode(const std::optional<LeaseGrant>& grant) {
  Json json = Json::object();
  json["grant"] = grant ? codec::encode_grant(*grant) : Json(nullptr);
  return json;
}

Json encode(const BeatReply& reply) {
  Json leases = Json::array();
  for (const auto& standing : reply.leases) {
    Json json = Json::object();
    json["lease"] = text(standing.lease);
    json["order"] = word(standing.order);
    json["expires_at"] = rfc3339(standing.expires_at);
    leases.push_back(std::move(json));
  }
  Json json = Json::object();
  json["leases"] = std::move(leases);
  return json;
}

Json encode(const ReportReply& reply) { return encode(reply.verdict); }

Json encode(const AskReply& reply) {
  Json json = Json::object();
  json["trial"] = text(reply.trial);
  json["number"] = reply.number;
  json["lease"] = text(reply.lease);
  json["params"] = encode(reply.params);
  json["seed"] = reply.seed;
  json["next_phase"] = reply.next_phase;
  return json;
}

Json encode(const TellReply& reply) { return encode(reply.verdict); }

Json encode(const EnqueueReply& reply) {
  Json json = Json::object();
  json["waiting"] = reply.waiting;
  return json;
}

Json encode(const CreateTokenReply& reply) {
  Json json = Json::object();
  json["token"] = text(reply.token);
  json["expires_at"] = reply.expires_at ? Json(rfc3339(*reply.expires_at)) : Json(nullptr);
  return json;
}

Json encode(const SaveModelReply& reply) {
  Json json = Json::object();
  json["model"] = text(reply.model);
  return json;
}

}  // namespace hone
