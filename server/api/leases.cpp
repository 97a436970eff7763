#include "server/api/arguments.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"

namespace hone::api {

// POST /v1/leases
Result<Command> parse_acquire(const Request& request) {
  auto acquire = body(request, decode_acquire_request);
  if (!acquire) return acquire.error();
  return Command(Acquire{*std::move(acquire)});
}

Response render_acquire(const Reply& reply) {
  return json_response(encode(std::get<std::optional<LeaseGrant>>(reply)));
}

// Returns the run of a worker that disconnected while it waited, so that the run neither waits for
// the lease to expire nor counts as lost.
std::optional<Command> take_back_lease(const Reply& reply) {
  const auto& grant = std::get<std::optional<LeaseGrant>>(reply);
  if (!grant) return std::nullopt;
  EndRequest end;
  end.reason = EndReason::requeue_requested;
  end.detail = "the worker was gone when this lease was granted to it";
  return End{grant->lease, std::move(end)};
}

// POST /v1/leases/{lease}/reports
Result<Command> parse_report(const Request& request) {
  const auto id = path_lease(request);
  if (!id) return id.error();
  const auto report = body(request, decode_report_request);
  if (!report) return report.error();
  return Command(Report{*id, *report});
}

Response render_report(const Reply& reply) {
  return json_response(encode(std::get<ReportReply>(reply)));
}

// POST /v1/leases/{lease}/code
Result<Command> parse_record_code(const Request& request) {
  const auto id = path_lease(request);
  if (!id) return id.error();
  auto code = body(request, decode_record_code_request);
  if (!code) return code.error();
  return Command(RecordCode{*id, *std::move(code)});
}

// POST /v1/leases/{lease}/models
Result<Command> parse_save_model(const Request& request) {
  const auto id = path_lease(request);
  if (!id) return id.error();
  auto save = body(request, decode_save_model_request);
  if (!save) return save.error();
  return Command(SaveModel{*id, *std::move(save)});
}

namespace {

// Reject a record whose blob is missing: it could never be downloaded.
template <class Save>
Status check_bytes(const BlobStore& blobs, const Save& save) {
  const auto blob = blobs.claim(save.sha256);
  if (!blob)
    return refuse(
        Code::invalid,
        "no blob " + save.sha256 + " is here; PUT it to /v1/blobs/" + save.sha256 + " first",
        "/sha256");
  if (blob->bytes != save.bytes)
    return refuse(
        Code::invalid,
        "the blob has " + std::to_string(blob->bytes) + " bytes, not " + std::to_string(save.bytes),
        "/bytes");
  return Done{};
}

}  // namespace

Status check_save_model(const BlobStore& blobs, const Command& command) {
  return check_bytes(blobs, std::get<SaveModel>(command).request);
}

// POST /v1/leases/{lease}/artifacts
Result<Command> parse_save_artifact(const Request& request) {
  const auto id = path_lease(request);
  if (!id) return id.error();
  auto save = body(request, decode_save_artifact_request);
  if (!save) return save.error();
  return Command(SaveArtifact{*id, *std::move(save)});
}

Status check_save_artifact(const BlobStore& blobs, const Command& command) {
  return check_bytes(blobs, std::get<SaveArtifact>(command).request);
}

Response render_save_model(const Reply& reply) {
  return json_response(encode(std::get<SaveModelReply>(reply)));
}

// POST /v1/leases/{lease}/metrics
Result<Command> parse_metrics(const Request& request) {
  const auto id = path_lease(request);
  if (!id) return id.error();
  auto points = body(request, decode_metrics_request);
  if (!points) return points.error();
  return Command(LogMetrics{*id, *std::move(points)});
}

// POST /v1/leases/{lease}/end
Result<Command> parse_end(const Request& request) {
  const auto id = path_lease(request);
  if (!id) return id.error();
  auto end = body(request, decode_end_request);
  if (!end) return end.error();
  return Command(End{*id, *std::move(end)});
}

Response render_done(const Reply&) { return json_response(Json::object()); }

}  // namespace hone::api
