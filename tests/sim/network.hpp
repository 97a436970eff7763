// Calls of workers and users as requests with a method, a target and a body, as over HTTP, and
// replies with a status and a body.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "schemas/types/submit.hpp"
#include "server/api/request.hpp"
#include "server/api/response.hpp"
#include "worker/agent/messages.hpp"

namespace hone::sim {

struct Message {
  api::Method method = api::Method::post;
  std::string target;
  std::string body;
};

// nullopt for calls that do not reach the engine (blobs).
std::optional<Message> message_of(const worker::Call& call);
Message message_of(const SubmitRequest& request);
Message message_of(SweepId sweep, const SteerRequest& request);
Message message_of(SweepId sweep, const ConfirmRequest& request);

Result<worker::CallReply> call_reply_of(const worker::Call& call, const api::Response& response);

}  // namespace hone::sim
