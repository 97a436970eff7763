// hone as an optimizer without workers: a client asks for trials and tells their results.
#include "server/api/arguments.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"

namespace hone::api {

// POST /v1/sweeps/{sweep}/ask
Result<Command> parse_ask(const Request& request) {
  const auto id = path_id<SweepId>(request);
  if (!id) return id.error();
  auto ask = body(request, decode_ask_request);
  if (!ask) return ask.error();
  return Command(Ask{*id, *std::move(ask), request.speaker.token});
}

Response render_ask(const Reply& reply) { return json_response(encode(std::get<AskReply>(reply))); }

// POST /v1/trials/{trial}/tell
Result<Command> parse_tell(const Request& request) {
  const auto id = path_id<TrialId>(request);
  if (!id) return id.error();
  auto tell = body(request, decode_tell_request);
  if (!tell) return tell.error();
  return Command(Tell{*id, *std::move(tell)});
}

Response render_tell(const Reply& reply) {
  return json_response(encode(std::get<TellReply>(reply)));
}

// POST /v1/sweeps/{sweep}/enqueue
Result<Command> parse_enqueue(const Request& request) {
  const auto id = path_id<SweepId>(request);
  if (!id) return id.error();
  auto enqueue = body(request, decode_enqueue_request);
  if (!enqueue) return enqueue.error();
  return Command(Enqueue{*id, *std::move(enqueue)});
}

Response render_enqueue(const Reply& reply) {
  return json_response(encode(std::get<EnqueueReply>(reply)));
}

}  // namespace hone::api
