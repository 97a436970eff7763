// The blocks that several bodies have in common.
#include "schemas/codec/body.hpp"
#include "schemas/codec/parts.hpp"
#include "schemas/codec/words.hpp"

namespace hone {
namespace codec {

std::string read_request_id(const Spot& spot) {
  auto id = Line{1, 128}(spot);
  for (const std::string_view own : {"ask/", "import/"})
    if (id.starts_with(own))
      spot.refuse_rule("must not begin with '" + std::string(own) +
                       "': the server makes such ids itself");
  return id;
}

Objective read_objective(const Spot& spot) {
  Fields fields(spot);
  Objective objective;
  objective.metric = fields.need("metric", Line{1, name_max});
  objective.goal = fields.maybe("goal", WordOf<Goal>{}, objective.goal);
  fields.done();
  return objective;
}

BudgetSpec read_budget(const Spot& spot) {
  Fields fields(spot);
  BudgetSpec budget;
  budget.unit = fields.maybe("unit", Line{1, name_max}, budget.unit);
  budget.per_run = fields.need("per_run", Count{1, per_run_max});
  budget.phases = fields.maybe("phases", SmallInteger{1, phases_max}, budget.phases);
  if (fields.done() && budget.phases > budget.per_run)
    fields.refuse_rule("phases", "there cannot be more phases (" + std::to_string(budget.phases) +
                                     ") than units a run trains for (" +
                                     std::to_string(budget.per_run) + ")");
  return budget;
}

ResourcesSpec read_resources(const Spot& spot) {
  Fields fields(spot);
  ResourcesSpec resources;
  resources.cpus = fields.maybe("cpus", SmallInteger{1, slots_max}, resources.cpus);
  resources.gpus = fields.maybe("gpus", SmallInteger{0, slots_max}, resources.gpus);
  fields.done();
  return resources;
}

WorkflowInfo read_workflow(const Spot& spot) {
  Fields fields(spot);
  WorkflowInfo info;
  info.command = fields.maybe("command", ListOf{Text{}}, info.command);
  info.cwd = fields.maybe("cwd", Text{}, info.cwd);
  info.host = fields.maybe("host", Text{}, info.host);
  info.user = fields.maybe("user", Text{}, info.user);
  info.git_commit = fields.maybe("git_commit", Line{0, name_max}, info.git_commit);
  info.git_branch = fields.maybe("git_branch", Text{}, info.git_branch);
  info.patch_sha256 = fields.maybe("patch_sha256", Digest{true}, info.patch_sha256);
  info.hone_version = fields.maybe("hone_version", Line{0, name_max}, info.hone_version);
  info.environment_sha256 =
      fields.maybe("environment_sha256", Digest{true}, info.environment_sha256);
  fields.done();
  return info;
}

DatasetInfo read_dataset(const Spot& spot) {
  Fields fields(spot);
  DatasetInfo info;
  info.name = fields.need("name", Text{});
  info.version = fields.maybe("version", Text{}, info.version);
  info.digest = fields.maybe("digest", Text{}, info.digest);
  fields.done();
  return info;
}

Scopes read_scopes(const Spot& spot) {
  Scopes scopes;
  for (const Scope scope : ListOf{WordOf<Scope>{}, words_of<Scope>.size()}(spot))
    scopes = scopes | scope;
  if (scopes.empty()) spot.refuse("must name at least one of read, submit, worker and admin");
  return scopes;
}

Json encode_scopes(Scopes scopes) {
  Json json = Json::array();
  for (const auto& row : words_of<Scope>)
    if (scopes.holds(row.value)) json.push_back(row.text);
  return json;
}

Json encode_scores(const std::vector<Score>& scores) {
  Json json = Json::array();
  for (const Score& score : scores) json.push_back(encode(score));
  return json;
}

Json encode_objective(const Objective& objective) {
  Json json = Json::object();
  json["metric"] = objective.metric;
  json["goal"] = word(objective.goal);
  return json;
}

Json encode_budget(const BudgetSpec& budget) {
  Json json = Json::object();
  json["unit"] = budget.unit;
  json["per_run"] = budget.per_run;
  json["phases"] = budget.phases;
  return json;
}

Json encode_resources(const ResourcesSpec& resources) {
  Json json = Json::object();
  json["cpus"] = resources.cpus;
  json["gpus"] = resources.gpus;
  return json;
}

}  // namespace codec

Json encode(const WorkflowInfo& info) {
  Json json = Json::object();
  json["command"] = info.command;
  json["cwd"] = info.cwd;
  json["host"] = info.host;
  json["user"] = info.user;
  json["git_commit"] = info.git_commit;
  json["git_branch"] = info.git_branch;
  json["patch_sha256"] = info.patch_sha256;
  json["hone_version"] = info.hone_version;
  if (!info.environment_sha256.empty()) json["environment_sha256"] = info.environment_sha256;
  return json;
}

Json encode(const DatasetInfo& info) {
  Json json = Json::object();
  json["name"] = info.name;
  json["version"] = info.version;
  json["digest"] = info.digest;
  return json;
}

Result<CommandTrainer> decode_command(const Json& document, const std::string& at) {
  return codec::decode_with(document, codec::read_command, at);
}

// As in a grant and in the run file. The sweep file writes the settings next to the name instead
// (spec_codec.cpp).
Json encode(const TrainerSpec& trainer) {
  Json json = Json::object();
  if (const auto* builtin = std::get_if<BuiltinTrainer>(&trainer)) {
    json["name"] = builtin->name;
    json["settings"] = encode(builtin->settings);
  } else {
    json["command"] = codec::encode_command(std::get<CommandTrainer>(trainer));
  }
  return json;
}

}  // namespace hone
