// The routes of the server as typed calls. Everything refuses with the server's own problem (its
// code, sentence and pointer), or with unavailable / timed_out of the transport.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/wire.hpp"
#include "sdk/cpp/transport.hpp"

namespace hone {

// The bytes of a blob, by content.
struct Blob {
  std::string sha256;
  std::int64_t bytes = 0;
};

// Not thread-safe but for interrupt(): one for each thread.
class Client {
 public:
  explicit Client(Endpoint endpoint, Duration timeout = seconds(30));

  // Users.
  Result<SweepId> submit(const SubmitRequest& request);
  // The sweep file as the user wrote it: the server checks it. `spec` becomes the member "spec".
  Result<SweepId> submit(const std::string& request_id, const Json& spec,
                         const WorkflowInfo& workflow,
                         const std::optional<DatasetInfo>& dataset = {});
  Result<SweepState> steer(SweepId sweep, Verb verb);

  // Optimization without workers: a trial for this asker (the same one until its result is told),
  // its result, and a parameter set of one's own.
  Result<AskReply> ask(SweepId sweep, const AskRequest& request);
  Result<TellReply> tell(TrialId trial, const TellRequest& request);
  Result<EnqueueReply> enqueue(SweepId sweep, const EnqueueRequest& request);

  // Workers.
  Result<JoinReply> join(const JoinRequest& request);
  Result<BeatReply> beat(WorkerId worker, const BeatRequest& request);
  Result<std::optional<LeaseGrant>> acquire(
      const AcquireRequest& request);  // waits request.wait and a little more
  Result<ReportReply> report(LeaseId lease, const ReportRequest& request);
  Result<SaveModelReply> save_model(LeaseId lease, const SaveModelRequest& request);
  Status save_artifact(LeaseId lease, const SaveArtifactRequest& request);
  Status metrics(LeaseId lease, const MetricsRequest& request);
  Status end(LeaseId lease, const EndRequest& request);

  // Blobs. put_blob hashes the file, and sends it unless the server has it. get_blob writes to a
  // temporary file beside `file`, checks the digest and renames: `file` is whole or not there.
  Result<Blob> put_blob(const std::string& file);
  Status get_blob(const std::string& sha256, const std::string& file);

  // Anything else. `path` with its query: "/v1/sweeps/sw_7/trials?sort=value".
  Result<Json> get_json(const std::string& path);
  Result<Json> post_json(const std::string& path, const Json& body);
  Result<std::string> get_text(const std::string& path);  // /metrics

  // Follows /v1/events after `seq` (and of one sweep where given) until on_event answers false or
  // the server ends the stream. on_event sees the document of each `data:` line.
  Status follow(std::int64_t seq, std::optional<SweepId> sweep,
                const std::function<bool(const Json& event)>& on_event);

  // Thread-safe: the call in progress and every later one ends with `unavailable`.
  void interrupt() { transport_.interrupt(); }
  [[nodiscard]] const Endpoint& endpoint() const { return transport_.endpoint(); }

 private:
  Result<Json> exchange(std::string method, std::string path, std::string body, Duration timeout);

  Transport transport_;
  Duration timeout_;
};

}  // namespace hone
