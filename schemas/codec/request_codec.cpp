// What clients and workers ask. Unknown fields are refused: a misspelled one would be a silent
// default.
#include <cmath>

#include "schemas/codec/body.hpp"
#include "schemas/codec/parts.hpp"
#include "schemas/codec/words.hpp"

namespace hone {
namespace codec {

namespace {

constexpr Line host_name{1, 255};
constexpr SmallInteger slots{0, slots_max};
constexpr SmallInteger phase_number{0, phases_max - 1};
constexpr Integer step_number{0, exact_max};
constexpr ListOf further_values{read_score, objectives_max};

SubmitRequest read_submit(const Spot& spot) {
  Fields fields(spot);
  SubmitRequest request;
  request.request_id = fields.need("request_id", read_request_id);
  request.spec = fields.need("spec", read_sweep_spec);
  request.workflow = fields.maybe("workflow", read_workflow, WorkflowInfo{});
  request.forked_from = fields.optional("forked_from", IdOf<SweepId>{});
  request.dataset = fields.optional("dataset", read_dataset);
  fields.done();
  return request;
}

SteerRequest read_steer(const Spot& spot) {
  Fields fields(spot);
  SteerRequest request{fields.need("verb", WordOf<Verb>{})};
  fields.done();
  return request;
}

JoinRequest read_join(const Spot& spot) {
  Fields fields(spot);
  JoinRequest request;
  request.request_id = fields.need("request_id", read_request_id);
  request.host = fields.need("host", host_name);
  request.pid = fields.need("pid", Integer{0, exact_max});
  request.cpus = fields.need("cpus", slots);
  request.gpus = fields.maybe("gpus", slots, 0);
  request.hone_version = fields.need("hone_version", Line{0, name_max});
  fields.done();
  return request;
}

AcquireRequest read_acquire(const Spot& spot) {
  Fields fields(spot);
  AcquireRequest request;
  request.request_id = fields.need("request_id", read_request_id);
  request.worker = fields.need("worker", IdOf<WorkerId>{});
  request.cpus = fields.need("cpus", slots);
  request.gpus = fields.maybe("gpus", slots, 0);
  request.wait = fields.maybe("wait", Length{}, Duration{});
  fields.done();
  return request;
}

ReportRequest read_report(const Spot& spot) {
  Fields fields(spot);
  ReportRequest request;
  request.phase = fields.need("phase", phase_number);
  request.step = fields.need("step", step_number);
  request.score = fields.need("value", read_score);
  request.further = fields.maybe("further", further_values, std::vector<Score>{});
  request.seed_applied = fields.optional("seed_applied", Truth{});
  fields.done();
  return request;
}

ConfirmRequest read_confirm(const Spot& spot) {
  Fields fields(spot);
  ConfirmRequest request;
  request.request_id = fields.need("request_id", read_request_id);
  request.top = fields.maybe("top", SmallInteger{1, confirm_top_max}, request.top);
  request.seeds = fields.maybe("seeds", SmallInteger{2, seeds_max}, request.seeds);
  fields.done();
  return request;
}

AskRequest read_ask(const Spot& spot) {
  Fields fields(spot);
  AskRequest request{fields.need("asker", Line{1, 128})};
  fields.done();
  return request;
}

TellRequest read_tell(const Spot& spot) {
  Fields fields(spot);
  TellRequest request;
  request.told = fields.maybe("told", WordOf<Told>{}, Told::value);
  request.phase = fields.optional("phase", phase_number);
  request.step = fields.maybe("step", step_number, std::int64_t{0});
  const auto value = fields.optional("value", read_score);
  request.score = value.value_or(Score::diverged());
  request.further = fields.maybe("further", further_values, std::vector<Score>{});
  request.detail = fields.maybe("detail", Text{}, std::string{});
  if (fields.done() && value.has_value() != (request.told == Told::value))
    fields.refuse("value", "a result has a value; a trial that failed or is infeasible has none");
  return request;
}

EnqueueRequest read_enqueue(const Spot& spot) {
  Fields fields(spot);
  EnqueueRequest request;
  request.request_id = fields.need("request_id", read_request_id);
  request.params = fields.need("params", read_params);
  request.from = fields.optional("from", IdOf<TrialId>{});
  fields.done();
  return request;
}

CreateTokenRequest read_create_token(const Spot& spot) {
  Fields fields(spot);
  CreateTokenRequest request;
  request.request_id = fields.need("request_id", read_request_id);
  request.name = fields.need("name", Line{1, name_max});
  request.scopes = fields.need("scopes", read_scopes);
  request.sha256 = fields.need("sha256", Digest{});
  request.lifetime = fields.optional("expires_in", Length{seconds(1)});
  fields.done();
  return request;
}

Done read_nothing(const Spot& spot) {
  Fields fields(spot);
  fields.done();
  return {};
}

SaveModelRequest read_save_model(const Spot& spot) {
  Fields fields(spot);
  SaveModelRequest request;
  request.sha256 = fields.need("sha256", Digest{});
  request.bytes = fields.need("bytes", Integer{0, exact_max});
  request.step = fields.need("step", step_number);
  request.phase = fields.need("phase", phase_number);
  fields.done();
  return request;
}

MetricPoint read_point(const Spot& spot) {
  Fields fields(spot);
  MetricPoint point;
  point.name = fields.need("name", Line{1, name_max});
  point.step = fields.need("step", step_number);
  point.value = fields.need("value", Real{});
  fields.done();
  return point;
}

MetricsRequest read_metrics(const Spot& spot) {
  Fields fields(spot);
  MetricsRequest request{fields.need("points", ListOf{read_point})};
  fields.done();
  return request;
}

// What a worker can have seen. The other reasons are the server's own conclusions.
EndReason read_seen_reason(const Spot& spot) {
  const auto reason = WordOf<EndReason>{}(spot);
  switch (reason) {
    case EndReason::none:
    case EndReason::worker_lost:
    case EndReason::retries_exhausted:
    case EndReason::user_stop:
    case EndReason::told_failed:
    case EndReason::not_promoted:
      spot.refuse_rule(in_quotes(word(reason)) + " is not for a worker to say");
      break;
    case EndReason::budget_reached:
    case EndReason::exited_early:
    case EndReason::evicted:
    case EndReason::diverged:
    case EndReason::no_report:
    case EndReason::exit_code:
    case EndReason::signal:
    case EndReason::cannot_start:
    case EndReason::infeasible:
    case EndReason::requeue_requested:
    case EndReason::user_cancel:
    case EndReason::user_kill:
    case EndReason::time_limit:
    case EndReason::disk_limit:
      break;
  }
  return reason;
}

EndRequest read_end(const Spot& spot) {
  Fields fields(spot);
  EndRequest request;
  request.reason = fields.need("reason", read_seen_reason);
  request.exit_code = fields.maybe("exit_code", SmallInteger{}, 0);
  request.detail = fields.maybe("detail", Text{}, std::string{});
  request.log_tail = fields.maybe("log_tail", Text{}, std::string{});
  request.failure = fields.maybe("failure", WordOf<Failure>{}, Failure::none);
  fields.done();
  return request;
}

BeatRequest read_beat(const Spot& spot) {
  Fields fields(spot);
  BeatRequest request{fields.need("leases", ListOf{LeaseName{}})};
  fields.done();
  return request;
}

Json encode_point(const MetricPoint& point) {
  Json json = Json::object();
  json["name"] = point.name;
  json["step"] = point.step;
  json["value"] = point.value;
  return json;
}

}  // namespace
}  // namespace codec

Result<SubmitRequest> decode_submit_request(const Json& document) {
  return codec::decode_with(document, codec::read_submit);
}
Result<SteerRequest> decode_steer_request(const Json& document) {
  return codec::decode_with(document, codec::read_steer);
}
Result<JoinRequest> decode_join_request(const Json& document) {
  return codec::decode_with(document, codec::read_join);
}
Result<AcquireRequest> decode_acquire_request(const Json& document) {
  return codec::decode_with(document, codec::read_acquire);
}
Result<ReportRequest> decode_report_request(const Json& document) {
  return codec::decode_with(document, codec::read_report);
}
Result<AskRequest> decode_ask_request(const Json& document) {
  return codec::decode_with(document, codec::read_ask);
}
Result<TellRequest> decode_tell_request(const Json& document) {
  return codec::decode_with(document, codec::read_tell);
}
Result<EnqueueRequest> decode_enqueue_request(const Json& document) {
  return codec::decode_with(document, codec::read_enqueue);
}
Result<ConfirmRequest> decode_confirm_request(const Json& document) {
  return codec::decode_with(document, codec::read_confirm);
}
Result<CreateTokenRequest> decode_create_token_request(const Json& document) {
  return codec::decode_with(document, codec::read_create_token);
}
Result<Done> decode_no_request(const Json& document) {
  return codec::decode_with(document, codec::read_nothing);
}
Result<SaveModelRequest> decode_save_model_request(const Json& document) {
  return codec::decode_with(document, codec::read_save_model);
}
Result<MetricsRequest> decode_metrics_request(const Json& document) {
  return codec::decode_with(document, codec::read_metrics);
}
Result<EndRequest> decode_end_request(const Json& document) {
  return codec::decode_with(document, codec::read_end);
}
Result<BeatRequest> decode_beat_request(const Json& document) {
  return codec::decode_with(document, codec::read_beat);
}

Json encode(const SubmitRequest& request) {
  Json json = Json::object();
  json["request_id"] = request.request_id;
  json["spec"] = encode(request.spec);
  json["workflow"] = encode(request.workflow);
  if (request.forked_from) json["forked_from"] = text(*request.forked_from);
  if (request.dataset) json["dataset"] = encode(*request.dataset);
  return json;
}

Json encode(const SteerRequest& request) {
  Json json = Json::object();
  json["verb"] = word(request.verb);
  return json;
}

Json encode(const JoinRequest& request) {
  Json json = Json::object();
  json["request_id"] = request.request_id;
  json["host"] = request.host;
  json["pid"] = request.pid;
  json["cpus"] = request.cpus;
  json["gpus"] = request.gpus;
  json["hone_version"] = request.hone_version;
  return json;
}

Json encode(const AcquireRequest& request) {
  Json json = Json::object();
  json["request_id"] = request.request_id;
  json["worker"] = text(request.worker);
  json["cpus"] = request.cpus;
  json["gpus"] = request.gpus;
  json["wait"] = codec::seconds_json(request.wait);
  return json;
}

Json encode(const ReportRequest& request) {
  Json json = Json::object();
  json["phase"] = request.phase;
  json["step"] = request.step;
  json["value"] = encode(request.score);
  if (!request.further.empty()) json["further"] = codec::encode_scores(request.further);
  if (request.seed_applied) json["seed_applied"] = *request.seed_applied;
  return json;
}

Json encode(const ConfirmRequest& request) {
  Json json = Json::object();
  json["request_id"] = request.request_id;
  json["top"] = request.top;
  json["seeds"] = request.seeds;
  return json;
}

Json encode(const AskRequest& request) {
  Json json = Json::object();
  json["asker"] = request.asker;
  return json;
}

Json encode(const TellRequest& request) {
  Json json = Json::object();
  json["told"] = word(request.told);
  if (request.phase) json["phase"] = *request.phase;
  json["step"] = request.step;
  if (request.told == Told::value) json["value"] = encode(request.score);
  if (!request.further.empty()) json["further"] = codec::encode_scores(request.further);
  if (!request.detail.empty()) json["detail"] = request.detail;
  return json;
}

Json encode(const EnqueueRequest& request) {
  Json json = Json::object();
  json["request_id"] = request.request_id;
  json["params"] = encode(request.params);
  if (request.from) json["from"] = text(*request.from);
  return json;
}

Json encode(const CreateTokenRequest& request) {
  Json json = Json::object();
  json["request_id"] = request.request_id;
  json["name"] = request.name;
  json["scopes"] = codec::encode_scopes(request.scopes);
  json["sha256"] = request.sha256;
  if (request.lifetime) json["expires_in"] = codec::seconds_json(*request.lifetime);
  return json;
}

Json encode(const SaveModelRequest& request) {
  Json json = Json::object();
  json["sha256"] = request.sha256;
  json["bytes"] = request.bytes;
  json["step"] = request.step;
  json["phase"] = request.phase;
  return json;
}

Json encode(const MetricsRequest& request) {
  Json points = Json::array();
  for (const auto& point : request.points) points.push_back(codec::encode_point(point));
  Json json = Json::object();
  json["points"] = std::move(points);
  return json;
}

Json encode(const EndRequest& request) {
  Json json = Json::object();
  json["reason"] = word(request.reason);
  json["exit_code"] = request.exit_code;
  json["detail"] = request.detail;
  json["log_tail"] = request.log_tail;
  if (request.failure != Failure::none) json["failure"] = word(request.failure);
  return json;
}

Json encode(const BeatRequest& request) {
  Json leases = Json::array();
  for (const auto lease : request.leases) leases.push_back(text(lease));
  Json json = Json::object();
  json["leases"] = std::move(leases);
  return json;
}

}  // namespace hone
