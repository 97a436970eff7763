#include "sdk/cli/session/resolve.hpp"

#include <nlohmann/json.hpp>

#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cpp/transport.hpp"

namespace hone::cli {
namespace {

Error wrong_kind(const ObjectId& id, const std::string& wanted) {
  return refuse(Code::invalid,
                text(id) + " is a " + std::string(kind_of(id)) + "; this command takes " + wanted);
}

Result<SweepId> sweep_named_at(Session& session, const std::string& path) {
  const auto reply = session.get(path);
  if (!reply) return reply.error();
  const auto sweep = parse_id<SweepId>(text_at(*reply, "/sweep"));
  if (!sweep) return refuse(Code::internal, "the server's reply names no sweep: " + path);
  return *sweep;
}

Result<SweepId> newest_sweep(Session& session) {
  const auto sweeps = session.list("/v1/sweeps");
  if (!sweeps) return sweeps.error();
  SweepId newest;
  for (const auto& sweep : *sweeps)
    if (const auto id = parse_id<SweepId>(text_at(sweep, "/id"))) newest = std::max(newest, *id);
  if (!newest) return refuse(Code::not_found, "no sweeps yet; submit one with: hone submit FILE");
  return newest;
}

// The sweep of that name, if there is one; `otherwise` if there is none.
Result<SweepId> sweep_named(Session& session, const std::string& name, const Error& otherwise) {
  if (name.find_first_of("'\"\\") != std::string::npos) return otherwise;
  const auto found =
      session.get("/v1/find?limit=2&where=" + escape_path("sweep where name = '" + name + "'"));
  if (!found) return otherwise;
  const Json& items = member(*found, "/items");
  if (items.empty()) return otherwise;
  const std::string newest = text_at(items.front(), "/id");
  if (items.size() > 1)
    return refuse(Code::invalid, "several sweeps are named '" + name + "'; the newest is " +
                                     newest + " (hone ls)");
  const auto id = parse_id<SweepId>(newest);
  return id ? Result<SweepId>(*id) : Result<SweepId>(otherwise);
}

}  // namespace

std::string_view kind_of(const ObjectId& id) {
  return std::visit(Overloaded{[](SweepId) { return std::string_view("sweep"); },
                               [](TrialId) { return std::string_view("trial"); },
                               [](RunId) { return std::string_view("run"); },
                               [](AttemptId) { return std::string_view("attempt"); },
                               [](ModelId) { return std::string_view("model"); },
                               [](DatasetId) { return std::string_view("dataset"); },
                               [](WorkflowId) { return std::string_view("workflow"); },
                               [](WorkerId) { return std::string_view("worker"); },
                               [](EvaluationId) { return std::string_view("evaluation"); }},
                    id);
}

std::string in_path(const ObjectId& id) {
  std::string path;
  for (const char c : text(id)) path += c == '#' ? std::string("%23") : std::string(1, c);
  return path;
}

Result<ObjectId> parse_object(const std::string& word) {
  if (const auto id = parse_object_id(word)) return *id;
  return refuse(Code::invalid, "'" + word +
                                   "' is not an id; ids look like sw_7 (sweep), tr_42 (trial), "
                                   "rn_42.0 (run), md_9 (model); a sweep's name takes the place of "
                                   "its id; list the sweeps with: hone ls");
}

Result<SweepId> resolve_sweep(Session& session, const std::string& word) {
  if (word.empty()) return newest_sweep(session);
  const auto id = parse_object(word);
  if (!id) return sweep_named(session, word, id.error());
  const auto of_trial = [&](TrialId trial) {
    return sweep_named_at(session, "/v1/trials/" + text(trial));
  };
  return std::visit(
      Overloaded{
          [](SweepId sweep) -> Result<SweepId> { return sweep; },
          [&](TrialId trial) { return of_trial(trial); },
          [&](RunId run) { return of_trial(run.trial); },
          [&](AttemptId attempt) { return of_trial(attempt.run.trial); },
          [&](ModelId model) { return sweep_named_at(session, "/v1/models/" + text(model)); },
          [&](auto) -> Result<SweepId> { return wrong_kind(*id, "a sweep, as sw_7"); }},
      *id);
}

std::string next_look(Session& session, SweepId sweep) {
  const auto row = session.get("/v1/sweeps/" + text(sweep));
  const std::string state = row ? text_at(*row, "/state") : std::string();
  const bool ended = !state.empty() && state != "running" && state != "paused";
  return (ended ? "see why with: hone show " : "follow it with: hone watch ") + text(sweep);
}

Result<TrialId> resolve_trial(const std::string& word) {
  const auto id = parse_object(word);
  if (!id) return id.error();
  return std::visit(
      Overloaded{[](TrialId trial) -> Result<TrialId> { return trial; },
                 [](RunId run) -> Result<TrialId> { return run.trial; },
                 [](AttemptId attempt) -> Result<TrialId> { return attempt.run.trial; },
                 [&](auto) -> Result<TrialId> { return wrong_kind(*id, "a trial, as tr_42"); }},
      *id);
}

Result<RunId> resolve_run(Session& session, const std::string& word) {
  const auto id = parse_object(word);
  if (!id) return id.error();
  if (const auto* run = std::get_if<RunId>(&*id)) return *run;
  if (const auto* attempt = std::get_if<AttemptId>(&*id)) return attempt->run;
  if (!std::holds_alternative<TrialId>(*id)) return wrong_kind(*id, "a run, as rn_42.0");
  const auto runs = session.list("/v1/trials/" + text(*id) + "/runs");
  if (!runs) return runs.error();
  if (runs->size() == 1)
    if (const auto run = parse_id<RunId>(text_at(runs->front(), "/id"))) return *run;
  return refuse(Code::invalid, text(*id) + " has " + std::to_string(runs->size()) +
                                   " runs; name one of them (hone ls runs " + text(*id) + ")");
}

Result<Json> kept_model(Session& session, const ObjectId& id) {
  if (!std::holds_alternative<ModelId>(id))
    return refuse(Code::invalid, text(id) + " is a " + std::string(kind_of(id)) +
                                     "; list its models with: hone ls models " + text(id));
  auto model = session.get("/v1/models/" + text(id));
  if (!model || text_at(*model, "/dropped_at").empty()) return model;
  return refuse(Code::not_found,
                text(id) + " was dropped when " + text_at(*model, "/run") +
                    " ended, because its sweep keeps only the best checkpoints (checkpoints: "
                    "{keep: all} keeps all); list those left with: hone ls models " +
                    text_at(*model, "/run"));
}

}  // namespace hone::cli
