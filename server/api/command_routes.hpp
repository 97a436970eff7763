// The write routes that follow from their command alone: its first member is the id of the path,
// `request` the body, `by` the token that sent it, and Answer the reply. Internal to server/api.
#pragma once

#include "schemas/codec/body.hpp"
#include "server/api/arguments.hpp"
#include "server/api/router.hpp"

namespace hone::api {

// What a route returns for each answer that schemas/codec does not describe.
Response render(const Done& done);
Response render(const Submitted& submitted);
Response render(const Steered& steered);
Response render(const Key& key);
Response render(const FleetReply& made);
Response render_done(const Reply& reply);

// Without a member `request` the body must be {}.
template <class C>
Result<Command> read_body(const Request& request, C command) {
  if constexpr (requires { command.request; }) {
    auto read = body<decltype(command.request)>(request);
    if (!read) return read.error();
    command.request = *std::move(read);
  } else {
    if (const auto nothing = body<Done>(request); !nothing) return nothing.error();
  }
  if constexpr (requires { command.by; }) command.by = request.speaker.token;
  return Command(std::move(command));
}

template <class C, class Id>
Result<Command> read_with_id(const Request& request, Id C::*member) {
  const auto id = path_id<Id>(request);
  if (!id) return id.error();
  C command{};
  command.*member = *id;
  return read_body(request, std::move(command));
}

template <class C>
Response render_answer(const Reply& reply) {
  const auto& answer = std::get<typename C::Answer>(reply);
  if constexpr (requires { render(answer); })
    return render(answer);
  else
    return json_response(encode(answer));
}

// write<Join>(): `but` has what differs from other routes.
template <class C>
consteval Write write(Write but = {}) {
  but.parse = [](const Request& request) { return read_body(request, C{}); };
  but.render = render_answer<C>;
  return but;
}

template <class C, class Id>
consteval auto class_of(Id C::*) -> C;

// write_to<&Tell::trial>(): the path names what the command acts on. Another rendering is a
// parameter, as g++ 12 with -fsanitize=undefined compares no function with nullptr in a constant.
template <auto member, auto render_reply = render_answer<decltype(class_of(member))>>
consteval Write write_to(Write but = {}) {
  but.parse = [](const Request& request) { return read_with_id(request, member); };
  but.render = render_reply;
  return but;
}

}  // namespace hone::api
