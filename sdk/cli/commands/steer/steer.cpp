// pause, resume, stop, cancel and kill a sweep; allow a worker.
#include <nlohmann/json.hpp>

#include "base/expect.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/types/wire.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"

namespace hone::cli {
namespace {

std::string_view consequence(Verb verb) {
  switch (verb) {
    case Verb::pause:
      return "no new runs start; running ones continue. Resume it with: hone resume ";
    case Verb::resume:
      return "new runs start again. Follow it with: hone watch ";
    case Verb::stop:
      return "no new runs start; running ones finish. Follow it with: hone watch ";
    case Verb::cancel:
      return "running runs may save a checkpoint and end. See the result with: hone show ";
    case Verb::kill:
      return "running runs are killed. See the result with: hone show ";
  }
  unreachable();
}

struct SteerOptions {
  std::string sweep;
  Verb verb = Verb::pause;
};

// Requires an exact sweep id; unlike read-only commands, it does not resolve related ids.
Result<Exit> steer(Session& session, const SteerOptions& options) {
  const auto id = parse_object(options.sweep);
  if (!id) return id.error();
  if (!std::holds_alternative<SweepId>(*id))
    return refuse(Code::invalid, text(*id) + " is a " + std::string(kind_of(*id)) +
                                     "; steering takes the id of a sweep, as sw_7");
  const auto reply =
      session.post("/v1/sweeps/" + text(*id) + "/steer", encode(SteerRequest{options.verb}));
  if (!reply) return reply.error();
  const std::string state = text_at(*reply, "/state");
  if (session.options().format != Format::table) return print_object(session, *reply, "");
  session.print(text(*id) + " " + state + "\n");
  session.note(std::string(consequence(options.verb)) + text(*id));
  return Exit::ok;
}

Result<Exit> allow(Session& session, const std::string& worker) {
  const auto id = parse_object(worker);
  if (!id) return id.error();
  if (!std::holds_alternative<WorkerId>(*id))
    return refuse(
        Code::invalid,
        text(*id) + " is a " + std::string(kind_of(*id)) +
            "; hone workers allow takes the id of a worker, as wk_3; list them with: hone workers");
  const auto reply = session.post("/v1/workers/" + text(*id) + "/allow", Json::object());
  if (!reply) return reply.error();
  if (session.options().format != Format::table) return print_object(session, *reply, "");
  session.print(text(*id) + " is enabled\n");
  return Exit::ok;
}

}  // namespace

CommandAction declare_allow(Flags& flags) {
  return with_options(
      allow, [&](std::string& worker) { flags.argument("WORKER", worker, "id of the worker"); });
}

CommandAction declare_steer(Flags& flags, Verb verb) {
  return with_options(steer, [&](SteerOptions& options) {
    options.verb = verb;
    flags.argument("SWEEP", options.sweep, "id of the sweep");
  });
}

}  // namespace hone::cli
