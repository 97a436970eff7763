#include "server/api/arguments.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"

namespace hone::api {

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

Status check_save_artifact(const BlobStore& blobs, const Command& command) {
  return check_bytes(blobs, std::get<SaveArtifact>(command).request);
}

}  // namespace hone::api
