// replay: whether a recorded sweep proposes and decides the same again.
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/targets.hpp"

namespace hone::cli {
namespace {

std::string told(const Json& reply) {
  const auto count = [&](const char* name) { return std::to_string(int_at(reply, name)); };
  std::string text = text_at(reply, "/sweep") + ": " + count("/proposals") + " proposals, " +
                     count("/leases") + " leases, " + count("/verdicts") + " verdicts and " +
                     count("/consequences") + " consequences asked for again: ";
  if (int_at(reply, "/differing") == 0) return text + "all the same\n";
  text += count("/differing") + " differ\n";
  for (const Json& one : member(reply, "/differences"))
    text += "event " + std::to_string(int_at(one, "/seq")) + "\n  recorded " +
            text_at(one, "/recorded") + "\n  again    " + text_at(one, "/again") + "\n";
  return text;
}

Result<Exit> replay(Session& session, const std::string& word) {
  const auto sweep = sweep_of(session, word);
  if (!sweep) return sweep.error();
  const auto reply = session.get("/v1/sweeps/" + text(*sweep) + "/replay");
  if (!reply) return reply.error();
  const auto printed = print_object(session, *reply, told(*reply));
  if (!printed) return printed;
  return int_at(*reply, "/differing") == 0 ? Exit::ok : Exit::general;
}

}  // namespace

Work declare_replay(Flags& flags) {
  auto id = std::make_shared<std::string>();
  flags.optional_argument("SWEEP", *id, "the sweep (or anything of it); default: the newest");
  return [id](Session& session) { return replay(session, *id); };
}

}  // namespace hone::cli
