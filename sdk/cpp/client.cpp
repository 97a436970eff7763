#include "sdk/cpp/client.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/files.hpp"
#include "base/sha256.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/words.hpp"
#include "sdk/cpp/reply.hpp"

namespace hone {
namespace {

// Time for the answer of a long poll to arrive.
constexpr Duration poll_margin = seconds(10);
// 256 MiB at 1 MiB/s.
constexpr Duration blob_timeout = seconds(300);
// The server sends a comment line after 15 s of silence.
constexpr Duration silence_max = seconds(60);

Error problem_of(const HttpResponse& response) {
  const auto body = parse_reply(response.body);
  if (body && body->is_object() && body->contains("code")) return decode_problem(*body);
  const std::string status = "the server answered with status " + std::to_string(response.status);
  if (response.status == 404) return refuse(Code::not_found, status);
  const bool passing =
      response.status == 502 || response.status == 503 || response.status == 504;  // of a proxy
  return refuse(passing ? Code::unavailable : Code::internal, status + " without a reason");
}

Error malformed_reply(const std::string& path, const Error& why) {
  if (why.code == Code::too_large)
    return refuse(Code::too_large, "the server's reply to " + path + " is refused: " + why.detail);
  return refuse(Code::internal, "the server's reply to " + path + " is malformed: " + why.detail,
                why.at);
}

// Two threads may download one blob at the same time.
std::string thread_number() {
  return std::to_string(std::hash<std::thread::id>{}(std::this_thread::get_id()));
}

std::string of_lease(LeaseId lease, std::string_view what) {
  return "/v1/leases/" + text(lease) + std::string(what);
}

// A reply that cannot be decoded is an internal error, not the caller's.
template <class T>
Result<T> decoded(const std::string& path, const Result<Json>& answer,
                  Result<T> (*decode)(const Json&)) {
  if (!answer) return answer.error();
  auto value = decode(*answer);
  if (!value) return malformed_reply(path, value.error());
  return value;
}

Result<SweepId> decode_sweep_id(const Json& answer) {
  const auto found = answer.is_object() ? answer.find("sweep") : answer.end();
  const bool has_text = answer.is_object() && found != answer.end() && found->is_string();
  const auto id = has_text ? parse_id<SweepId>(found->get<std::string>()) : std::nullopt;
  if (!id) return refuse(Code::internal, "it names no sweep", "/sweep");
  return *id;
}

Result<SweepState> decode_state(const Json& answer) {
  const bool has_text =
      answer.is_object() && answer.contains("state") && answer["state"].is_string();
  const auto state =
      has_text ? parse_word<SweepState>(answer["state"].get<std::string>()) : std::nullopt;
  if (!state) return refuse(Code::internal, "it names no state", "/state");
  return *state;
}

}  // namespace

Client::Client(Endpoint endpoint, Duration timeout)
    : transport_(std::move(endpoint)), timeout_(timeout) {}

Result<Json> Client::exchange(std::string method, std::string path, std::string body,
                              Duration timeout) {
  HttpRequest request;
  request.method = std::move(method);
  request.target = std::move(path);
  request.body = std::move(body);
  request.timeout = std::chrono::microseconds(timeout.us);
  const auto response = transport_.call(request);
  if (!response) return response.error();
  if (!response->ok()) return problem_of(*response);
  auto json = parse_reply(response->body);
  if (!json) return malformed_reply(request.target, json.error());
  return json;
}

Result<Json> Client::get_json(const std::string& path) {
  return exchange("GET", path, {}, timeout_);
}

Result<Json> Client::post_json(const std::string& path, const Json& body) {
  return exchange("POST", path, to_text(body), timeout_);
}

Result<std::string> Client::get_text(const std::string& path) {
  HttpRequest request;
  request.target = path;
  request.accept = "text/plain, */*";
  request.timeout = std::chrono::microseconds(blob_timeout.us);  // a document may be a whole sweep
  auto response = transport_.call(request);
  if (!response) return response.error();
  if (!response->ok()) return problem_of(*response);
  return std::move(response->body);
}

// Users -------------------------------------------------------------------------------------------

Result<SweepId> Client::submit(const std::string& request_id, const Json& spec,
                               const WorkflowInfo& workflow,
                               const std::optional<DatasetInfo>& dataset) {
  const std::string path = "/v1/sweeps";
  Json body = Json::object();
  body["request_id"] = request_id;
  body["spec"] = spec;
  body["workflow"] = encode(workflow);
  if (dataset) body["dataset"] = encode(*dataset);
  return decoded(path, post_json(path, body), decode_sweep_id);
}

Result<SweepState> Client::steer(SweepId sweep, Verb verb) {
  const std::string path = "/v1/sweeps/" + text(sweep) + "/steer";
  return decoded(path, post_json(path, encode(SteerRequest{verb})), decode_state);
}

Result<AskReply> Client::ask(SweepId sweep, const AskRequest& request) {
  const std::string path = "/v1/sweeps/" + text(sweep) + "/ask";
  return decoded(path, post_json(path, encode(request)), decode_reply<AskReply>);
}

Result<TellReply> Client::tell(TrialId trial, const TellRequest& request) {
  const std::string path = "/v1/trials/" + text(trial) + "/tell";
  return decoded(path, post_json(path, encode(request)), decode_reply<TellReply>);
}

Result<EnqueueReply> Client::enqueue(SweepId sweep, const EnqueueRequest& request) {
  const std::string path = "/v1/sweeps/" + text(sweep) + "/enqueue";
  return decoded(path, post_json(path, encode(request)), decode_reply<EnqueueReply>);
}

// Workers -----------------------------------------------------------------------------------------

Result<JoinReply> Client::join(const JoinRequest& request) {
  const std::string path = "/v1/workers";
  return decoded(path, post_json(path, encode(request)), decode_reply<JoinReply>);
}

Result<BeatReply> Client::beat(WorkerId worker, const BeatRequest& request) {
  const std::string path = "/v1/workers/" + text(worker) + "/beat";
  return decoded(path, post_json(path, encode(request)), decode_reply<BeatReply>);
}

Result<std::optional<LeaseGrant>> Client::acquire(const AcquireRequest& request) {
  const std::string path = "/v1/leases";
  const auto answer = exchange("POST", path, to_text(encode(request)), request.wait + poll_margin);
  return decoded(path, answer, decode_reply<std::optional<LeaseGrant>>);
}

Result<ReportReply> Client::report(LeaseId lease, const ReportRequest& request) {
  const std::string path = of_lease(lease, "/reports");
  return decoded(path, post_json(path, encode(request)), decode_reply<ReportReply>);
}

Result<SaveModelReply> Client::save_model(LeaseId lease, const SaveModelRequest& request) {
  const std::string path = of_lease(lease, "/models");
  return decoded(path, post_json(path, encode(request)), decode_reply<SaveModelReply>);
}

Status Client::save_artifact(LeaseId lease, const SaveArtifactRequest& request) {
  const auto answer = post_json(of_lease(lease, "/artifacts"), encode(request));
  if (!answer) return answer.error();
  return Done{};
}

Status Client::metrics(LeaseId lease, const MetricsRequest& request) {
  const auto answer = post_json(of_lease(lease, "/metrics"), encode(request));
  if (!answer) return answer.error();
  return Done{};
}

Status Client::record_code(LeaseId lease, const RecordCodeRequest& request) {
  const auto answer = post_json(of_lease(lease, "/code"), encode(request));
  if (!answer) return answer.error();
  return Done{};
}

Status Client::end(LeaseId lease, const EndRequest& request) {
  const auto answer = post_json(of_lease(lease, "/end"), encode(request));
  if (!answer) return answer.error();
  return Done{};
}

Result<bool> Client::put_log(WorkerId worker, LeaseId lease, std::int64_t offset,
                             const std::string& bytes, bool last) {
  HttpRequest request;
  request.method = "POST";
  request.target = "/v1/workers/" + text(worker) + "/log?lease=" + text(lease) +
                   "&offset=" + std::to_string(offset) + (last ? "&last=true" : "");
  request.body = bytes;
  request.content_type = "application/octet-stream";
  request.timeout = std::chrono::microseconds(timeout_.us);
  const auto response = transport_.call(request);
  if (!response) return response.error();
  if (!response->ok()) return problem_of(*response);
  const auto json = parse_reply(response->body);
  return json && json->is_object() && json->contains("wanted") && (*json)["wanted"] == true;
}

// Blobs -------------------------------------------------------------------------------------------

Result<Blob> Client::put_blob(const std::string& file) {
  const auto digest = digest_of_file(file);
  if (!digest) return digest.error();
  const Blob blob{digest->sha256, digest->bytes};
  HttpRequest request;
  request.method = "HEAD";
  request.target = "/v1/blobs/" + blob.sha256;
  request.timeout = std::chrono::microseconds(timeout_.us);
  const auto known = transport_.call(request);
  if (!known) return known.error();
  if (known->ok()) return blob;
  request.method = "PUT";
  request.upload = file;
  request.timeout = std::chrono::microseconds(blob_timeout.us);
  const auto put = transport_.call(request);
  if (!put) return put.error();
  if (!put->ok()) return problem_of(*put);
  return blob;
}

Status Client::put_text(const std::string& text) {
  std::string name = (std::filesystem::temp_directory_path() / "hone-XXXXXX").string();
  const FileHandle file(::mkstemp(name.data()));
  if (!file) return refuse(Code::internal, "cannot create a temporary file " + name);
  auto written = write_all(file, text);
  Status stored = Done{};
  if (!written)
    stored = written.error();
  else if (const auto put = put_blob(name); !put)
    stored = put.error();
  std::remove(name.c_str());
  return stored;
}

Status Client::get_blob(const std::string& sha256, const std::string& file) {
  if (!is_sha256_hex(sha256))
    return refuse(Code::invalid, "the server names content by something that is no SHA-256 digest");
  // In the same folder, by another name: that of the file may be as long as names can be.
  const auto folder = std::filesystem::path(file).parent_path();
  const std::string partial =
      (folder / (".hone-part-" + std::to_string(::getpid()) + "-" + thread_number())).string();
  const auto fail = [&](Error error) -> Status {
    std::remove(partial.c_str());
    return error;
  };
  HttpRequest request;
  request.target = "/v1/blobs/" + sha256;
  request.accept = "application/octet-stream, application/json";
  request.download = partial;
  request.timeout = std::chrono::microseconds(blob_timeout.us);
  const auto response = transport_.call(request);
  if (!response) return fail(response.error());
  if (!response->ok()) return fail(problem_of(*response));
  const auto digest = digest_of_file(partial);
  if (!digest) return fail(digest.error());
  if (digest->sha256 != sha256)
    return fail(
        refuse(Code::unavailable, "blob " + sha256 + " arrived damaged, as " + digest->sha256));
  std::error_code failure;
  std::filesystem::rename(partial, file, failure);
  if (failure)
    return fail(refuse(Code::internal, "cannot write " + file + ": " + failure.message()));
  return Done{};
}

// Watching ----------------------------------------------------------------------------------------

Status Client::follow(std::int64_t seq, std::optional<SweepId> sweep,
                      const std::function<bool(const Json& event)>& on_event) {
  HttpRequest request;
  request.target = "/v1/events?after=" + std::to_string(seq);
  if (sweep) request.target += "&sweep=" + text(*sweep);
  request.accept = "text/event-stream";
  request.timeout = std::chrono::microseconds(silence_max.us);
  std::optional<Error> unreadable;
  const auto response = transport_.stream(request, [&](std::string_view line) {
    constexpr std::string_view mark = "data:";
    if (!line.starts_with(mark)) return true;
    auto event = parse_reply(line.substr(mark.size()));
    if (!event) unreadable = malformed_reply("/v1/events", event.error());
    return event && on_event(*event);
  });
  if (unreadable) return *std::move(unreadable);
  if (!response) return response.error();
  if (!response->ok()) return problem_of(*response);
  return Done{};
}

}  // namespace hone
