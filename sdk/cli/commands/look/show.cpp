// show: one object of any kind with its tags and notes.
#include <functional>
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/look/executed.hpp"
#include "sdk/cli/commands/look/show_texts.hpp"
#include "sdk/cli/commands/look/worker_texts.hpp"
#include "sdk/cli/render/evaluation.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/width.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"
#include "sdk/cli/session/shortage.hpp"
#include "sdk/cpp/transport.hpp"

namespace hone::cli {
namespace {

using Describe = std::function<std::string(const Json&, const Shown&)>;

// Prints `text`, the tags and notes, and `rest`. In JSON, tags and notes are members of the object.
Result<Exit> print_shown(Session& session, const ObjectId& id, Json object, const std::string& text,
                         const std::string& rest = {}) {
  const auto about = session.get("/v1/about/" + in_path(id));
  if (!about) return about.error();
  object["tags"] = member(*about, "/tags");
  object["notes"] = member(*about, "/notes");
  return print_object(session, object, text + about_text(*about, {session.screen(), now()}) + rest);
}

Result<Exit> show_at(Session& session, const ObjectId& id, const std::string& path,
                     Describe describe) {
  auto object = session.get(path);
  if (!object) return object.error();
  const std::string shown = describe(*object, {session.screen(), now()});
  return print_shown(session, id, *std::move(object), shown);
}

// A list shown below a trial, a run or a model.
struct Part {
  std::string path;
  Describe describe;
};

Result<Exit> show_with(Session& session, const ObjectId& id, const std::string& path,
                       const std::vector<Part>& parts, Describe describe,
                       const std::string& use = {}) {
  auto object = session.get(path);
  if (!object) return object.error();
  if (const auto* run = std::get_if<RunId>(&id))
    if (auto added = add_command(session, *object, *run, 0); !added) return added.error();
  if (session.options().format != Format::table)
    return print_shown(session, id, *std::move(object), "");
  const Shown shown{session.screen(), now()};
  std::string rest = use + command_text(*object, session.screen());
  for (const Part& part : parts) {
    const auto items = session.list(part.path);
    if (!items) return items.error();
    if (!items->empty()) rest += part.describe(Json(*items), shown);
  }
  const std::string head = describe(*object, shown);
  rest += log_text(*object, shown);
  return print_shown(session, id, *std::move(object), head, rest);
}

// Describes the resources that a run used, as `hone explain` does; "" if unknown.
std::string use_text(Session& session, const std::string& run) {
  if (session.options().format != Format::table) return {};
  const auto explanation = session.get("/v1/runs/" + run + "/explain");
  const std::string text = explanation ? text_at(*explanation, "/use/text") : std::string();
  return text.empty() ? text : paragraphs(text, session.screen().columns);
}

Result<Exit> show_sweep(Session& session, SweepId id) {
  auto sweep = session.get("/v1/sweeps/" + text(id));
  if (!sweep) return sweep.error();
  std::string shown = sweep_text(*sweep, {session.screen(), now()});
  if (session.options().format == Format::table)
    if (const auto why = shortage_of_sweep(session, *sweep); !why.empty())
      shown += paint(session.screen(), Ink::bad, "waits: " + why) + "\n";
  return print_shown(session, id, *std::move(sweep), shown);
}

Result<Exit> show_attempt(Session& session, AttemptId id) {
  const auto attempts = session.list("/v1/runs/" + text(id.run) + "/attempts");
  if (!attempts) return attempts.error();
  for (Json attempt : *attempts) {
    if (text_at(attempt, "/id") != text(id)) continue;
    if (auto added = add_command(session, attempt, id.run, id.number); !added) return added.error();
    const std::string head = attempt_text(attempt, {session.screen(), now()});
    const std::string command = command_text(attempt, session.screen());
    return print_shown(session, id, std::move(attempt), head, command);
  }
  return refuse(Code::not_found, "unknown attempt " + text(id) +
                                     "; list the attempts with: hone show " + text(id.run));
}

// A server of an older hone keeps no history.
Result<Exit> show_worker(Session& session, const ObjectId& id) {
  const std::string path = "/v1/workers/" + text(id);
  auto worker = session.get(path);
  if (!worker) return worker.error();
  const auto history = session.get(path + "/history");
  if (!history && history.error().code != Code::not_found) return history.error();
  const Shown shown{session.screen(), now()};
  const std::string head = worker_text(*worker, shown);
  const std::string rest = history ? "\n" + worker_history_text(*history, shown) : std::string();
  (*worker)["history"] = history ? *history : Json(nullptr);
  return print_shown(session, id, *std::move(worker), head, rest);
}

Result<Exit> show_object(Session& session, const std::string& word) {
  const auto id = parse_object(word);
  if (!id) {  // the name of a sweep, as everywhere
    const auto sweep = resolve_sweep(session, word);
    return sweep ? show_sweep(session, *sweep) : Result<Exit>(sweep.error());
  }
  const std::string name = text(*id);
  return std::visit(
      Overloaded{
          [&](SweepId sweep) { return show_sweep(session, sweep); },
          [&](TrialId) {
            return show_with(
                session, *id, "/v1/trials/" + name, {{"/v1/trials/" + name + "/runs", runs_text}},
                [&session](const Json& trial, const Shown& shown) {
                  const auto sweep = session.get("/v1/sweeps/" + text_at(trial, "/sweep"));
                  Json whole = trial;
                  if (sweep) whole["spec"] = member(*sweep, "/spec");
                  return trial_text(whole, shown);
                });
          },
          [&](RunId) {
            return show_with(session, *id, "/v1/runs/" + name,
                             {{"/v1/runs/" + name + "/attempts", attempts_text},
                              {"/v1/runs/" + name + "/artifacts", artifacts_text}},
                             run_text, use_text(session, name));
          },
          [&](AttemptId attempt) { return show_attempt(session, attempt); },
          [&](ModelId) {
            return show_with(
                session, *id, "/v1/models/" + name,
                {{"/v1/find?where=" + escape_path("evaluation where model.id = " + name),
                  evaluations_text}},
                model_text);
          },
          [&](DatasetId) { return show_at(session, *id, "/v1/datasets/" + name, plain_text); },
          [&](WorkflowId) { return show_at(session, *id, "/v1/workflows/" + name, workflow_text); },
          [&](WorkerId) { return show_worker(session, *id); },
          [&](EvaluationId) {
            return show_at(
                session, *id, "/v1/evaluations/" + name,
                [](const Json& evaluation, const Shown&) { return evaluation_line(evaluation); });
          }},
      *id);
}

}  // namespace

CommandAction declare_show(Flags& flags) {
  return with_options(show_object, [&](std::string& id) {
    flags.optional_argument("ID", id,
                            "any id: sw_7 (or the sweep's name; the newest sweep), tr_42, rn_42.0, "
                            "rn_42.0#1, md_9, wf_2, ds_3, wk_1, ev_3");
  });
}

}  // namespace hone::cli
