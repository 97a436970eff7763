// explain: why a trial or run stands where it stands, verdict by verdict, recomputed from the
// recorded numbers.
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/width.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/targets.hpp"

namespace hone::cli {
namespace {

Fields verdict_fields(bool recompute) {
  Fields fields{{"phase", "/phase", Manner::phase},
                {"value", "/value", Manner::score},
                {"verdict", "/verdict"},
                {"reason", "/reason"},
                {"inputs", "/inputs", Manner::params}};
  if (recompute) fields.insert(fields.begin() + 3, {"recomputed", "/recomputed"});
  return fields;
}

// Attempts have no explanation of their own: their run has.
Result<std::string> path_of(const std::string& word) {
  const auto id = object_of(word);
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
  const Json& verdicts = member(explanation, "/verdicts");
  if (verdicts.empty()) return out;
  const std::vector<Json> rows(verdicts.begin(), verdicts.end());
  return out + "\n" + table_text(verdict_fields(recompute), rows, screen);
}

// The table need not show `recomputed`: a stored verdict that its own numbers do not lead to again
// is worth a loud word.
bool is_contradicted(const Json& explanation) {
  for (const auto& verdict : member(explanation, "/verdicts")) {
    const std::string recomputed = text_at(verdict, "/recomputed");
    if (!recomputed.empty() && recomputed != text_at(verdict, "/verdict")) return true;
  }
  return false;
}

Result<Exit> explain(Session& session, const std::string& word, bool recompute) {
  const auto path = path_of(word);
  if (!path) return path.error();
  const auto explanation = session.get(*path);
  if (!explanation) return explanation.error();
  const bool contradicted = is_contradicted(*explanation);
  if (contradicted)
    session.note(
        "warning: a recorded verdict does not follow from its numbers; please report this");
  else if (recompute)
    session.note("every recorded verdict follows again from its recorded numbers");
  auto printed = print_object(session, *explanation,
                              explanation_text(*explanation, recompute, session.screen()));
  if (printed && recompute && contradicted) return Exit::general;
  return printed;
}

}  // namespace

Work declare_explain(Flags& flags) {
  auto id = std::make_shared<std::string>();
  auto recompute = std::make_shared<bool>(false);
  flags.argument("ID", *id, "a trial or a run");
  flags.flag("--recompute", *recompute,
             "prove each verdict from its recorded numbers (else status 1)");
  return [id, recompute](Session& session) { return explain(session, *id, *recompute); };
}

}  // namespace hone::cli
