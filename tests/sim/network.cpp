#include "tests/sim/network.hpp"

#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "schemas/types/expect.hpp"

namespace hone::sim {
namespace {

// Through text, as over a socket.
template <class T, class Decode>
T travelled(const T& body, Decode decode) {
  const auto document = parse_json(to_text(encode(body)));
  expect(document.ok(), "what we encode parses");
  auto decoded = decode(*document);
  expect(decoded.ok(),
         decoded.ok() ? "" : ("what we encode decodes: " + decoded.error().detail).c_str());
  return std::move(*decoded);
}

struct ToCommand {
  std::optional<Command> operator()(const JoinRequest& c) const {
    return Join{travelled(c, decode_join_request)};
  }
  std::optional<Command> operator()(const AcquireRequest& c) const {
    return Acquire{travelled(c, decode_acquire_request)};
  }
  std::optional<Command> operator()(const worker::BeatCall& c) const {
    return Beat{c.worker, travelled(c.request, decode_beat_request)};
  }
  std::optional<Command> operator()(const worker::ReportCall& c) const {
    return Report{c.lease, travelled(c.request, decode_report_request)};
  }
  std::optional<Command> operator()(const worker::SaveModelCall& c) const {
    return SaveModel{c.lease, travelled(c.request, decode_save_model_request)};
  }
  std::optional<Command> operator()(const worker::MetricsCall& c) const {
    return LogMetrics{c.lease, travelled(c.request, decode_metrics_request)};
  }
  std::optional<Command> operator()(const worker::EndCall& c) const {
    return End{c.lease, travelled(c.request, decode_end_request)};
  }
  std::optional<Command> operator()(const worker::StoreBlob&) const { return std::nullopt; }
  std::optional<Command> operator()(const worker::FetchBlob&) const { return std::nullopt; }
};

struct ToCallReply {
  worker::CallReply operator()(const Done& r) const { return r; }
  worker::CallReply operator()(const JoinReply& r) const { return travelled(r, decode_join_reply); }
  worker::CallReply operator()(const std::optional<LeaseGrant>& r) const {
    return travelled(r, decode_acquire_reply);
  }
  worker::CallReply operator()(const BeatReply& r) const { return travelled(r, decode_beat_reply); }
  worker::CallReply operator()(const ReportReply& r) const {
    return travelled(r, decode_report_reply);
  }
  worker::CallReply operator()(const SaveModelReply& r) const {
    return travelled(r, decode_save_model_reply);
  }
  worker::CallReply operator()(const Submitted&) const { unreachable(); }
  worker::CallReply operator()(const Steered&) const { unreachable(); }
  worker::CallReply operator()(const AskReply&) const { unreachable(); }
  worker::CallReply operator()(const TellReply&) const { unreachable(); }
  worker::CallReply operator()(const EnqueueReply&) const { unreachable(); }
};

}  // namespace

std::optional<Command> command_of(const worker::Call& call) {
  return std::visit(ToCommand{}, call);
}

Result<worker::CallReply> call_reply_of(const Result<Reply>& reply) {
  if (!reply) return reply.error();
  return std::visit(ToCallReply{}, *reply);
}

}  // namespace hone::sim
