// replay: re-runs every proposal and verdict of a recorded sweep and compares.
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"

namespace hone::cli {
namespace {

std::string replay_text(const Json& reply) {
  const auto count = [&](const char* name) { return std::to_string(int_at(reply, name)); };
  std::string text = text_at(reply, "/sweep") + ": " + count("/proposals") + " proposals, " +
                     count("/leases") + " leases, " + count("/verdicts") + " verdicts and " +
                     count("/consequences") + " consequences recomputed: ";
  if (int_at(reply, "/differing") == 0) return text + "no differences\n";
  text += count("/differing") + " differ\n";
  for (const Json& one : member(reply, "/differences"))
    text += "event " + std::to_string(int_at(one, "/seq")) + "\n  recorded " +
            text_at(one, "/recorded") + "\n  again    " + text_at(one, "/again") + "\n";
  return text;
}

Result<Exit> replay(Session& session, const std::string& word) {
  const auto sweep = resolve_sweep(session, word);
  if (!sweep) return sweep.error();
  const auto reply = session.get("/v1/sweeps/" + text(*sweep) + "/replay");
  if (!reply) return reply.error();
  const auto printed = print_object(session, *reply, replay_text(*reply));
  if (!printed) return printed;
  return int_at(*reply, "/differing") == 0 ? Exit::ok : Exit::general;
}

}  // namespace

CommandAction declare_replay(Flags& flags) {
  return with_options(replay, [&](std::string& sweep) {
    flags.optional_argument("SWEEP", sweep, "id of the sweep, or of anything in it (the newest)");
  });
}

}  // namespace hone::cli
