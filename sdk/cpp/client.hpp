// The routes of the server as typed calls. Every call returns the server's error (its code,
// sentence and pointer), or `unavailable` or `timed_out` without an answer.
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

// Not thread-safe except for interrupt(): use one client for each thread.
class Client {
 public:
  explicit Client(Endpoint endpoint, Duration timeout = seconds(30));

  // Users.
  // The sweep file as the user wrote it: the server checks it. `spec` becomes the member "spec".
  Result<SweepId> submit(const std::string& request_id, const Json& spec,
                         const WorkflowInfo& workflow,
                         const std::optional<DatasetInfo>& dataset = {});
  Result<SweepState> steer(SweepId sweep, Verb verb);

  // Optimization without workers. ask() returns the same trial to an asker until tell() reports its
  // result; enqueue() adds a parameter set to try next.
  Result<AskReply> ask(SweepId sweep, const AskRequest& request);
  Result<TellReply> tell(TrialId trial, const TellRequest& request);
  Result<EnqueueReply> enqueue(SweepId sweep, const EnqueueRequest& request);

  // Workers.
  Result<JoinReply> join(const JoinRequest& request);
  Result<BeatReply> beat(WorkerId worker, const BeatRequest& request);
  // Waits up to request.wait.
  Result<std::optional<LeaseGrant>> acquire(const AcquireRequest& request);
  Result<ReportReply> report(LeaseId lease, const ReportRequest& request);
  Result<SaveModelReply> save_model(LeaseId lease, const SaveModelRequest& request);
  Status save_artifact(LeaseId lease, const SaveArtifactRequest& request);
  Status metrics(LeaseId lease, const MetricsRequest& request);
  Status record_code(LeaseId lease, const RecordCodeRequest& request);
  Status end(LeaseId lease, const EndRequest& request);
  // Sends the bytes of a log from `offset` on; `last` when its process has ended. Returns whether
  // the server wants more.
  Result<bool> put_log(WorkerId worker, LeaseId lease, std::int64_t offset,
                       const std::string& bytes, bool last);

  // Blobs. put_blob hashes the file, and sends it unless the server has it. get_blob writes to a
  // temporary file next to `file`, checks the digest and renames: `file` is complete or absent.
  Result<Blob> put_blob(const std::string& file);
  Status put_text(const std::string& text);  // of up to a few MiB, by way of a temporary file
  Status get_blob(const std::string& sha256, const std::string& file);

  // Any other route. `path` includes the query: "/v1/sweeps/sw_7/trials?sort=value".
  Result<Json> get_json(const std::string& path);
  Result<Json> post_json(const std::string& path, const Json& body);
  Result<std::string> get_text(const std::string& path);  // /metrics

  // Follows the events after `seq`, of one sweep if given, until on_event returns false or the
  // server ends the stream.
  Status follow(std::int64_t seq, std::optional<SweepId> sweep,
                const std::function<bool(const Json& event)>& on_event);

  // Thread-safe. The call in progress and every later one return `unavailable`.
  void interrupt() { transport_.interrupt(); }
  [[nodiscard]] const Endpoint& endpoint() const { return transport_.endpoint(); }

 private:
  Result<Json> exchange(std::string method, std::string path, std::string body, Duration timeout);

  Transport transport_;
  Duration timeout_;
};

}  // namespace hone
