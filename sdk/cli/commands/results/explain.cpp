// explain: the status of a trial or run, verdict by verdict, recomputed from the recorded numbers.
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/look/columns.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/width.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"

namespace hone::cli {
namespace {

struct ExplainOptions {
  std::string id;
  bool recompute = false;
};

// An attempt is explained by its run.
Result<std::string> explain_path(const std::string& word) {
  const auto id = parse_object(word);
  if (!id) return id.error();
  if (std::holds_alternative<TrialId>(*id)) return "/v1/trials/" + text(*id) + "/explain";
  if (std::holds_alternative<RunId>(*id)) return "/v1/runs/" + text(*id) + "/explain";
  if (const auto* attempt = std::get_if<AttemptId>(&*id))
    return "/v1/runs/" + text(attempt->run) + "/explain";
  return refuse(Code::invalid, text(*id) + " is a " + std::string(kind_of(*id)) +
                                   "; hone explain takes a trial or a run, as tr_42 or rn_42.0");
}

std::string explanation_text(const Json& explanation, bool recompute, const Screen& screen) {
  const std::string state = text_at(explanation, "/state");
  const std::string run = text_at(explanation, "/run");
  std::string out = paint(screen, Ink::bold, run.empty() ? text_at(explanation, "/trial") : run) +
                    "  " + paint(screen, ink_of_state(state), state) + "\n";
  out += paragraphs(text_at(explanation, "/text"), screen.columns);
  const Json& seeds = member(explanation, "/seeds");
  if (!seeds.empty())
    out += "\nall seeds of " + text_at(explanation, "/trial") + ":\n" +
           table_text(seed_columns(), {seeds.begin(), seeds.end()}, screen);
  const Json& verdicts = member(explanation, "/verdicts");
  if (verdicts.empty()) return out;
  const std::vector<Json> rows(verdicts.begin(), verdicts.end());
  return out + "\n" + table_text(verdict_columns(recompute), rows, screen);
}

// Whether a recorded verdict does not follow from its own numbers: worth a warning even if the
// table does not show `recomputed`.
bool is_contradicted(const Json& explanation) {
  for (const auto& verdict : member(explanation, "/verdicts")) {
    const std::string recomputed = text_at(verdict, "/recomputed");
    if (!recomputed.empty() && recomputed != text_at(verdict, "/verdict")) return true;
  }
  return false;
}

bool was_not_replayed(Code code) {
  return code == Code::too_large || code == Code::timed_out || code == Code::busy ||
         code == Code::unavailable;
}

// Decides the sweep again: a verdict rests on the reports of all its trials. Returns whether all
// decisions are the same; false, with a note, if they could not be compared.
Result<bool> follows_from_reports(Session& session, const std::string& id) {
  const auto sweep = resolve_sweep(session, id);
  if (!sweep) return sweep.error();
  const auto reply = session.get("/v1/sweeps/" + text(*sweep) + "/replay");
  if (!reply && was_not_replayed(reply.error().code)) {
    session.note("warning: the verdicts were not decided again from the reports: " +
                 reply.error().detail);
    return false;
  }
  if (!reply) return reply.error();
  const std::int64_t differing = int_at(*reply, "/differing");
  if (differing > 0)
    session.note("warning: " + std::to_string(differing) + " decisions of " + text(*sweep) +
                 " do not follow from its reports: its data folder was changed, or another version "
                 "of hone decided; hone replay " +
                 text(*sweep) + " lists them");
  return differing == 0;
}

Result<Exit> explain(Session& session, const ExplainOptions& options) {
  const auto path = explain_path(options.id);
  if (!path) return path.error();
  const auto explanation = session.get(*path);
  if (!explanation) return explanation.error();
  auto printed = print_object(session, *explanation,
                              explanation_text(*explanation, options.recompute, session.screen()));
  const bool contradicted = is_contradicted(*explanation);
  if (contradicted)
    session.note(
        "warning: a recorded verdict does not follow from its numbers; its data folder was "
        "changed, or this is a bug of hone");
  if (!printed || !options.recompute) return printed;
  const auto follows = follows_from_reports(session, options.id);
  if (!follows) return follows.error();
  if (contradicted || !*follows) return Exit::general;
  session.note("every verdict follows from its numbers, and these from the recorded reports");
  return printed;
}

}  // namespace

CommandAction declare_explain(Flags& flags) {
  return with_options(explain, [&](ExplainOptions& options) {
    flags.argument("ID", options.id, "id of a trial or a run");
    flags.flag(
        "--recompute", options.recompute,
        "recompute each verdict from its numbers, and these from the sweep's reports; status 1 "
        "if one differs or could not be");
  });
}

}  // namespace hone::cli
