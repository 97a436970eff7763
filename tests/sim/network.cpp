#include "tests/sim/network.hpp"

#include <nlohmann/json.hpp>

#include "base/expect.hpp"
#include "schemas/codec/body.hpp"

namespace hone::sim {
namespace {

template <class T>
Message post(const std::string& target, const T& body) {
  return {api::Method::post, target, to_text(encode(body))};
}

std::string of_lease(LeaseId lease, const char* what) { return "/v1/leases/" + text(lease) + what; }

// Every third lease has other code, as if commits followed each other, and that of every fifth
// changes while its run trains.
WorkflowInfo code_of(const worker::RecordCode& call) {
  const auto commits = call.lease.value / 3 + (call.before && call.lease.value % 5 == 0 ? 1 : 0);
  WorkflowInfo code;
  code.git_commit = std::string(39, 'c') + std::to_string(commits % 10);
  return code;
}

struct ToMessage {
  std::optional<Message> operator()(const JoinRequest& c) const { return post("/v1/workers", c); }
  std::optional<Message> operator()(const AcquireRequest& c) const { return post("/v1/leases", c); }
  std::optional<Message> operator()(const worker::BeatCall& c) const {
    return post("/v1/workers/" + text(c.worker) + "/beat", c.request);
  }
  std::optional<Message> operator()(const worker::ReportCall& c) const {
    return post(of_lease(c.lease, "/reports"), c.request);
  }
  std::optional<Message> operator()(const worker::SaveModelCall& c) const {
    return post(of_lease(c.lease, "/models"), c.request);
  }
  std::optional<Message> operator()(const worker::MetricsCall& c) const {
    return post(of_lease(c.lease, "/metrics"), c.request);
  }
  std::optional<Message> operator()(const worker::EndCall& c) const {
    return post(of_lease(c.lease, "/end"), c.request);
  }
  std::optional<Message> operator()(const worker::StoreBlob&) const { return std::nullopt; }
  std::optional<Message> operator()(const worker::FetchBlob&) const { return std::nullopt; }
  std::optional<Message> operator()(const worker::FetchInputs&) const { return std::nullopt; }
  std::optional<Message> operator()(const worker::FetchCode&) const { return std::nullopt; }
  std::optional<Message> operator()(const worker::KeepFiles&) const { return std::nullopt; }
  std::optional<Message> operator()(const worker::RecordCode& c) const {
    return post(of_lease(c.lease, "/code"), RecordCodeRequest{code_of(c)});
  }
};

template <class T>
Result<worker::CallReply> decoded(Result<T> reply) {
  expect(reply.ok(), "what the server answers decodes");
  worker::CallReply converted;  // g++ 12 warns about members of others in a temporary
  converted.emplace<T>(std::move(*reply));
  return converted;
}

// Decodes the reply to each call.
struct ToReply {
  const Json& json;
  Result<worker::CallReply> operator()(const JoinRequest&) const {
    return decoded(decode_reply<JoinReply>(json));
  }
  Result<worker::CallReply> operator()(const AcquireRequest&) const {
    return decoded(decode_reply<std::optional<LeaseGrant>>(json));
  }
  Result<worker::CallReply> operator()(const worker::BeatCall&) const {
    return decoded(decode_reply<BeatReply>(json));
  }
  Result<worker::CallReply> operator()(const worker::ReportCall&) const {
    return decoded(decode_reply<ReportReply>(json));
  }
  Result<worker::CallReply> operator()(const worker::SaveModelCall&) const {
    return decoded(decode_reply<SaveModelReply>(json));
  }
  Result<worker::CallReply> operator()(const worker::MetricsCall&) const {
    return worker::CallReply{Done{}};
  }
  Result<worker::CallReply> operator()(const worker::EndCall&) const {
    return worker::CallReply{Done{}};
  }
  Result<worker::CallReply> operator()(const worker::StoreBlob&) const { unreachable(); }
  Result<worker::CallReply> operator()(const worker::FetchBlob&) const { unreachable(); }
  Result<worker::CallReply> operator()(const worker::FetchInputs&) const { unreachable(); }
  Result<worker::CallReply> operator()(const worker::FetchCode&) const { unreachable(); }
  Result<worker::CallReply> operator()(const worker::KeepFiles&) const { unreachable(); }
  Result<worker::CallReply> operator()(const worker::RecordCode& c) const {
    return worker::CallReply{worker::RecordedCode{code_of(c)}};
  }
};

}  // namespace

std::optional<Message> message_of(const worker::Call& call) {
  return std::visit(ToMessage{}, call);
}

Message message_of(const SubmitRequest& request) { return post("/v1/sweeps", request); }

Message message_of(SweepId sweep, const SteerRequest& request) {
  return post("/v1/sweeps/" + text(sweep) + "/steer", request);
}

Message message_of(SweepId sweep, const ConfirmRequest& request) {
  return post("/v1/sweeps/" + text(sweep) + "/confirm", request);
}

Result<worker::CallReply> call_reply_of(const worker::Call& call, const api::Response& response) {
  const auto body = parse_json(response.body);
  expect(body.ok(), "every answer is JSON");
  expect(response.status < 500 || response.status == 503, "the server returns no internal error");
  if (response.status >= 400) return decode_problem(*body);
  return std::visit(ToReply{*body}, call);
}

}  // namespace hone::sim
