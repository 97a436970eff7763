// show: one thing of any kind, for people; the other formats print what the server says.
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/show_texts.hpp"
#include "sdk/cli/flags.hpp"
#include "sdk/cli/output.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/targets.hpp"

namespace hone::cli {
namespace {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

using Text = std::string (*)(const Json&, const Shown&);

Result<Exit> show_at(Session& session, const std::string& path, Text text) {
  const auto object = session.get(path);
  if (!object) return object.error();
  return print_object(session, *object, text(*object, {session.screen(), now()}));
}

// A trial or run is shown together with what it consists of; a run's log comes last.
struct Part {
  std::string path;
  Text text;
};

Result<Exit> show_with(Session& session, const std::string& path, const std::vector<Part>& parts,
                       Text text) {
  auto object = session.get(path);
  if (!object) return object.error();
  if (session.options().format != Format::table) return print_object(session, *object, "");
  const Shown shown{session.screen(), now()};
  std::string all = text(*object, shown);
  for (const Part& part : parts) {
    const auto items = session.list(part.path);
    if (!items) return items.error();
    if (!items->empty()) all += part.text(Json(*items), shown);
  }
  return print_object(session, *object, all + log_text(*object, shown));
}

Result<Exit> show_attempt(Session& session, AttemptId id) {
  const auto attempts = session.list("/v1/runs/" + text(id.run) + "/attempts");
  if (!attempts) return attempts.error();
  for (const auto& attempt : *attempts)
    if (text_at(attempt, "/id") == text(id))
      return print_object(session, attempt, attempt_text(attempt, {session.screen(), now()}));
  return refuse(Code::not_found, "there is no attempt " + text(id) + "; hone show " + text(id.run) +
                                     " lists those there are");
}

Result<Exit> show(Session& session, const std::string& word) {
  const auto id = object_of(word);
  if (!id) return id.error();
  const std::string name = text(*id);
  return std::visit(
      Overloaded{
          [&](SweepId) { return show_at(session, "/v1/sweeps/" + name, sweep_text); },
          [&](TrialId) {
            return show_with(session, "/v1/trials/" + name,
                             {{"/v1/trials/" + name + "/runs", runs_text}}, trial_text);
          },
          [&](RunId) {
            return show_with(session, "/v1/runs/" + name,
                             {{"/v1/runs/" + name + "/attempts", attempts_text},
                              {"/v1/runs/" + name + "/artifacts", artifacts_text}},
                             run_text);
          },
          [&](AttemptId attempt) { return show_attempt(session, attempt); },
          [&](ModelId) { return show_at(session, "/v1/models/" + name, model_text); },
          [&](DatasetId) { return show_at(session, "/v1/datasets/" + name, plain_text); },
          [&](WorkflowId) { return show_at(session, "/v1/workflows/" + name, workflow_text); },
          [&](WorkerId) { return show_at(session, "/v1/workers/" + name, worker_text); }},
      *id);
}

}  // namespace

Work declare_show(Flags& flags) {
  auto id = std::make_shared<std::string>();
  flags.argument("ID", *id, "any id: sw_7, tr_42, rn_42.0, rn_42.0#1, md_9, wf_2, ds_3, wk_1");
  return [id](Session& session) { return show(session, *id); };
}

}  // namespace hone::cli
