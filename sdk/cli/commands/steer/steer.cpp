// pause, resume, stop, cancel, kill; and allow, for workers.
#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "schemas/codec/words.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/targets.hpp"

namespace hone::cli {
namespace {

std::string_view what_follows(Verb verb) {
  switch (verb) {
    case Verb::pause:
      return "no new runs start; running ones go on. Go on with: hone resume ";
    case Verb::resume:
      return "new runs start again. Follow it with: hone watch ";
    case Verb::stop:
      return "no new runs start; running ones finish. Follow it with: hone watch ";
    case Verb::cancel:
      return "running runs are asked to end. See what is left with: hone show ";
    case Verb::kill:
      return "running runs are killed. See what is left with: hone show ";
  }
  return "";
}

// Only a sweep's own id: steering is not a thing to do to what was merely near.
Result<Exit> steer(Session& session, const std::string& word_of_user, Verb verb) {
  const auto id = object_of(word_of_user);
  if (!id) return id.error();
  if (!std::holds_alternative<SweepId>(*id))
    return refuse(Code::invalid, text(*id) + " is a " + std::string(kind_of(*id)) +
                                     "; only sweeps can be steered, by their id, as sw_7");
  const auto reply = session.post("/v1/sweeps/" + text(*id) + "/steer", encode(SteerRequest{verb}));
  if (!reply) return reply.error();
  const std::string state = text_at(*reply, "/state");
  if (session.options().format != Format::table) return print_object(session, *reply, "");
  session.print(text(*id) + " " + state + "\n");
  session.note(std::string(what_follows(verb)) + text(*id));
  return Exit::ok;
}

Result<Exit> allow(Session& session, const std::string& word_of_user) {
  const auto id = object_of(word_of_user);
  if (!id) return id.error();
  if (!std::holds_alternative<WorkerId>(*id))
    return refuse(Code::invalid, text(*id) + " is a " + std::string(kind_of(*id)) +
                                     "; only workers can be allowed, as wk_3: see hone workers");
  const auto reply = session.post("/v1/workers/" + text(*id) + "/allow", Json::object());
  if (!reply) return reply.error();
  if (session.options().format != Format::table) return print_object(session, *reply, "");
  session.print(text(*id) + " gets work\n");
  return Exit::ok;
}

}  // namespace

Work declare_allow(Flags& flags) {
  auto id = std::make_shared<std::string>();
  flags.argument("WORKER", *id, "the worker's id");
  return [id](Session& session) { return allow(session, *id); };
}

Work declare_steer(Flags& flags, Verb verb) {
  auto id = std::make_shared<std::string>();
  flags.argument("SWEEP", *id, "the sweep's id");
  return [id, verb](Session& session) { return steer(session, *id, verb); };
}

}  // namespace hone::cli
