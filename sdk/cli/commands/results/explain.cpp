// explain: the status of a trial or run, verdict by verdict, recomputed from the recorded numbers.
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/look/columns.hpp"
#include "sdk/cli/commands/look/objective_text.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/progress.hpp"
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

// Why a trial is where it is on the leaderboard: "tr_4 ranks 3 of 8 in sw_2: its value is 440.5
// (mean of the last reports of 4 seeds)".
std::string rank_text(Session& session, const std::string& trial) {
  const auto row = session.get("/v1/trials/" + trial);
  if (!row) return {};
  const std::string path = "/v1/sweeps/" + text_at(*row, "/sweep");
  const auto sweep = session.get(path);
  const auto best = session.get(path + "/best?limit=1000");
  if (!sweep || !best || member(*sweep, "/spec/objectives").is_array()) return {};
  const Json& items = member(*best, "/items");
  const std::string of = " of " + std::to_string(items.size()) + " in " + text_at(*row, "/sweep");
  for (const Json& item : items) {
    if (text_at(item, "/id") != trial) continue;
    const std::string rank = trial + " ranks " + std::to_string(int_at(item, "/rank")) + of;
    const std::string value = value_text(member(item, "/value")) + " (" +
                              value_meaning(member(*sweep, "/spec"), int_at(item, "/seeds")) + ").";
    if (const Json& confirmed = member(item, "/confirmed"); !confirmed.is_null())
      return rank + ": confirmed on new seeds, its value is " + value_text(confirmed) +
             "; in tuning it was " + value;
    if (const std::string noise = noise_text(*sweep);
        !noise.empty() && !member(item, "/expected").is_null())
      return rank + ": a model of all trials expects " + value_text(member(item, "/expected")) +
             " of another training, as " + noise + "; its value is " + value;
    return rank + ": its value is " + value;
  }
  return {};
}

// `rank`: of a trial.
std::string explanation_text(const Json& explanation, const std::string& rank, bool recompute,
                             const Screen& screen) {
  const std::string state = text_at(explanation, "/state");
  const std::string run = text_at(explanation, "/run");
  const Json& seeds = member(explanation, "/seeds");
  const bool of_trial = run.empty() || !seeds.empty();
  std::string out = paint(screen, Ink::bold, of_trial ? text_at(explanation, "/trial") : run) +
                    "  " + paint(screen, ink_of_state(state), state) + "\n";
  if (!rank.empty()) out += paragraphs(rank, screen.columns);
  out += paragraphs(text_at(explanation, "/text"), screen.columns);
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
                 "of hone decided; hone explain " +
                 text(*sweep) + " --recompute lists them");
  return differing == 0;
}

Result<Exit> explain(Session& session, const ExplainOptions& options) {
  const auto path = explain_path(options.id);
  if (!path) return path.error();
  const auto explanation = session.get(*path);
  if (!explanation) return explanation.error();
  const bool shows_rank =
      session.options().format == Format::table && path->starts_with("/v1/trials/");
  const std::string rank =
      shows_rank ? rank_text(session, text_at(*explanation, "/trial")) : std::string();
  auto printed =
      print_object(session, *explanation,
                   explanation_text(*explanation, rank, options.recompute, session.screen()));
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

// Repeats all decisions of a sweep.
Result<Exit> replay(Session& session, const std::string& word) {
  const auto sweep = resolve_sweep(session, word);
  if (!sweep) return sweep.error();
  const auto reply = session.get("/v1/sweeps/" + text(*sweep) + "/replay");
  if (!reply) return reply.error();
  const auto printed = print_object(session, *reply, replay_text(*reply));
  if (!printed) return printed;
  return int_at(*reply, "/differing") == 0 ? Exit::ok : Exit::general;
}

Result<Exit> recompute(Session& session, const ExplainOptions& options) {
  return explain_path(options.id) ? explain(session, options) : replay(session, options.id);
}

}  // namespace

CommandAction declare_explain(Flags& flags) {
  return with_options(explain, [&](ExplainOptions& options) {
    flags.argument("ID", options.id, "id of a trial or a run");
  });
}

CommandAction declare_recompute(Flags& flags) {
  return with_options(recompute, [&](ExplainOptions& options) {
    options.recompute = true;
    flags.optional_argument("ID", options.id,
                            "id of a trial or a run: its verdicts from their numbers, and these "
                            "from the sweep's reports; of a sweep (the newest): all its "
                            "proposals and verdicts; status 1 if one differs or could not be");
  });
}

}  // namespace hone::cli
