// The sweep file.
#include <algorithm>
#include <array>

#include "schemas/codec/body.hpp"
#include "schemas/codec/parts.hpp"
#include "schemas/codec/replicates.hpp"
#include "schemas/codec/words.hpp"

namespace hone {
namespace codec {
namespace {

constexpr std::int64_t trials_max = 1'000'000;
constexpr int retries_max = 1000;
constexpr std::size_t word_max = 64;
constexpr std::size_t warm_starts_max = 100;
constexpr std::size_t constraints_max = 100;
constexpr std::size_t constraint_bytes_max = 1000;

// trainer: {name: ga3c, env: CartPole-v1, ...}: all but the name are settings.
BuiltinTrainer read_trainer(const Spot& spot) {
  Fields fields(spot);
  BuiltinTrainer trainer;
  trainer.name = fields.need("name", Line{1, word_max});
  fields.rest([&](const std::string& name, const Spot& setting) {
    if (name == "command")
      setting.refuse(
          "a command is not a trainer's setting: write command: [...] instead of trainer");
    trainer.settings.push_back({name, read_setting(setting)});
  });
  fields.done();
  return trainer;
}

SearchSpec read_search(const Spot& spot) {
  Fields fields(spot);
  SearchSpec search;
  search.method = fields.maybe("method", Line{1, word_max}, std::string{});
  search.trials = fields.maybe("trials", Count{1, trials_max}, search.trials);
  search.warm_start =
      fields.maybe("warm_start", ListOf{IdOf<SweepId>{}, warm_starts_max}, std::vector<SweepId>{});
  if (auto picker = fields.optional("command", read_command_words))
    search.command = *std::move(picker);
  fields.rest([&](const std::string& name, const Spot& setting) {
    static constexpr std::array<std::string_view, 1> needed{"trials"};
    const auto guess = did_you_mean(name, needed);
    if (search.trials == 0 && !guess.empty())
      setting.refuse("unknown field " + in_quotes(name) + guess);
    else
      search.settings.push_back({name, read_setting(setting)});
  });
  fields.done();
  return search;
}

// terminator: {rule: hypertrick, eviction_rate: 0.25}: all but the rule are its settings, by name.
TerminatorSpec read_terminator(const Spot& spot) {
  static constexpr std::array<std::string_view, 1> keys{"rule"};
  Fields fields(spot);
  TerminatorSpec terminator;
  terminator.rule = fields.need("rule", Line{1, word_max});
  fields.rest([&](const std::string& name, const Spot& setting) {
    if (!setting.json.is_number())
      setting.refuse("a setting of a rule must be a number, not " + described(setting.json) +
                     did_you_mean(name, keys));
    else
      terminator.settings.emplace_back(name, Real{}(setting));
  });
  fields.done();
  return terminator;
}

LimitsSpec read_limits(const Spot& spot) {
  Fields fields(spot);
  LimitsSpec limits;
  limits.duration = fields.optional("duration", Length{Duration{1}, true});
  limits.max_retries =
      fields.maybe("max_retries", SmallInteger{0, retries_max}, limits.max_retries);
  limits.run = fields.optional("run", Length{Duration{1}, true});
  limits.phase = fields.optional("phase", Length{Duration{1}, true});
  limits.concurrency = fields.optional("concurrency", SmallInteger{1, concurrency_max});
  fields.done();
  return limits;
}

CheckpointsSpec read_checkpoints(const Spot& spot) {
  Fields fields(spot);
  CheckpointsSpec checkpoints;
  checkpoints.keep = fields.maybe("keep", WordOf<Keep>{}, checkpoints.keep);
  fields.done();
  return checkpoints;
}

constexpr std::string_view ask_trainer = "ask";

// objective: {...}, or objectives: [...] where several are traded off.
void read_objectives(Fields& fields, SweepSpec& spec) {
  const auto one = fields.optional("objective", read_objective);
  auto several = fields.optional("objectives", ListOf{read_objective, objectives_max});
  if (one && several)
    fields.refuse("objectives", "objective and objectives exclude each other: keep one");
  if (one) spec.objective = *one;
  if (!several) return;
  if (several->empty()) return fields.refuse("objectives", "must name at least one objective");
  for (std::size_t i = 0; i < several->size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if ((*several)[i].metric == (*several)[j].metric)
        fields.refuse_rule("objectives",
                           "the metric " + in_quotes((*several)[i].metric) + " appears twice");
  spec.objective = several->front();
  spec.further_objectives.assign(several->begin() + 1, several->end());
}

// Our own methods where the file names none. They weigh one objective; with several, models search
// and every run is complete. A run of one phase leaves a rule nothing to judge.
void choose_methods(SweepSpec& spec) {
  const bool several = !spec.further_objectives.empty();
  if (spec.search.method.empty()) spec.search.method = several ? "tpe" : "hone";
  if (spec.terminator.rule.empty())
    spec.terminator.rule = several || spec.budget.phases == 1 ? "none" : "hone";
}

// Exactly one of trainer and command.
TrainerSpec read_what_to_run(Fields& fields) {
  auto builtin = fields.optional("trainer", read_trainer);
  auto command = fields.optional("command", read_command);
  if (builtin && command)
    fields.refuse("command", "trainer and command exclude each other: keep one");
  if (builtin && builtin->name == ask_trainer) {
    if (!builtin->settings.empty())
      fields.refuse("trainer", "trainer ask has no settings: the client evaluates the trials");
    return AskTrainer{};
  }
  if (builtin) return std::move(*builtin);
  if (command) return std::move(*command);
  return {};
}

}  // namespace

SweepSpec read_sweep_spec(const Spot& spot) {
  Fields fields(spot);
  SweepSpec spec;
  spec.name = fields.maybe("name", Line{1, name_max}, std::string("sweep"));
  spec.project = fields.maybe("project", Line{1, name_max}, spec.project);
  spec.seed =
      static_cast<std::uint64_t>(fields.maybe("seed", Integer{0, exact_max}, std::int64_t{0}));
  read_objectives(fields, spec);
  spec.trainer = read_what_to_run(fields);
  spec.parameters = fields.need("parameters", read_space);
  if (auto* command = std::get_if<CommandTrainer>(&spec.trainer); command != nullptr)
    if (const Json* json = fields.find("command"); json != nullptr && spot.fault.clear())
      settle_command({*json, Place(spot.place, "command"), spot.fault}, spec, *command);
  spec.constraints = fields.maybe(
      "constraints", ListOf{Text{constraint_bytes_max}, constraints_max}, spec.constraints);
  spec.search = fields.maybe("search", read_search, SearchSpec{""});
  spec.terminator = fields.maybe("terminator", read_terminator, TerminatorSpec{"", {}});
  spec.budget = std::holds_alternative<AskTrainer>(spec.trainer)
                    ? fields.maybe("budget", read_budget, BudgetSpec{"trials", 1, 1})
                    : fields.need("budget", read_budget);
  auto replicates = fields.maybe("replicates", read_replicates, Replicates{});
  spec.seeds = replicates.seeds;
  spec.replicates = std::move(replicates.spec);
  spec.resources = fields.maybe("resources", read_resources, ResourcesSpec{});
  spec.limits = fields.maybe("limits", read_limits, LimitsSpec{});
  spec.checkpoints = fields.maybe("checkpoints", read_checkpoints, CheckpointsSpec{});
  spec.confirm = fields.optional("confirm", read_confirm_spec);
  spec.confirms = fields.maybe("confirms", IdOf<SweepId>{}, SweepId{});
  choose_methods(spec);
  if (!fields.done()) return spec;
  if (fields.find("objective") == nullptr && fields.find("objectives") == nullptr)
    fields.refuse("objective", "is missing: 'objective' or 'objectives' is required here");
  if (fields.find("trainer") == nullptr && fields.find("command") == nullptr)
    fields.refuse("trainer",
                  "is missing: say what to run, either trainer: {name: ...} or command: [...]");
  if (spec.search.trials == 0)
    spot.fault.note_rule(
        Place(Place(spot.place, "search"), "trials"),
        "is missing: say how many parameter sets to try, as in search: {trials: 32}");
  return spec;
}

}  // namespace codec

Result<SweepSpec> decode_sweep_spec(const Json& document) {
  return codec::decode_with(document, codec::read_sweep_spec);
}

namespace {

Json encode_trainer(const BuiltinTrainer& trainer) {
  Json json = Json::object();
  json["name"] = trainer.name;
  for (const auto& setting : trainer.settings) json[setting.name] = encode(setting.value);
  return json;
}

void encode_objectives(const SweepSpec& spec, Json& json) {
  if (spec.further_objectives.empty()) {
    json["objective"] = codec::encode_objective(spec.objective);
    return;
  }
  json["objectives"] = Json::array({codec::encode_objective(spec.objective)});
  for (const Objective& one : spec.further_objectives)
    json["objectives"].push_back(codec::encode_objective(one));
}

Json encode_search(const SearchSpec& search) {
  Json json = Json::object();
  json["method"] = search.method;
  if (search.trials != 0) json["trials"] = search.trials;
  for (const Param& setting : search.settings) json[setting.name] = encode(setting.value);
  if (!search.warm_start.empty()) {
    json["warm_start"] = Json::array();
    for (const SweepId sweep : search.warm_start) json["warm_start"].push_back(text(sweep));
  }
  if (!search.command.empty()) json["command"] = search.command;
  return json;
}

Json encode_terminator(const TerminatorSpec& terminator) {
  Json json = Json::object();
  json["rule"] = terminator.rule;
  for (const auto& [name, value] : terminator.settings) json[name] = value;
  return json;
}

Json encode_limits(const LimitsSpec& limits) {
  Json json = Json::object();
  json["duration"] = limits.duration ? codec::seconds_json(*limits.duration) : Json(nullptr);
  json["max_retries"] = limits.max_retries;
  if (limits.run) json["run"] = codec::seconds_json(*limits.run);
  if (limits.phase) json["phase"] = codec::seconds_json(*limits.phase);
  if (limits.concurrency) json["concurrency"] = *limits.concurrency;
  return json;
}

}  // namespace

Json encode(const SweepSpec& spec) {
  Json json = Json::object();
  json["name"] = spec.name;
  json["project"] = spec.project;
  json["seed"] = spec.seed;
  encode_objectives(spec, json);
  if (const auto* builtin = std::get_if<BuiltinTrainer>(&spec.trainer))
    json["trainer"] = encode_trainer(*builtin);
  else if (const auto* command = std::get_if<CommandTrainer>(&spec.trainer))
    json["command"] = codec::encode_command(*command);
  else
    json["trainer"] = encode_trainer({std::string(codec::ask_trainer), {}});
  json["parameters"] = codec::encode_space(spec.parameters);
  if (!spec.constraints.empty()) json["constraints"] = spec.constraints;
  json["search"] = encode_search(spec.search);
  json["terminator"] = encode_terminator(spec.terminator);
  json["budget"] = codec::encode_budget(spec.budget);
  json["replicates"] = codec::encode_replicates(spec.seeds, spec.replicates);
  json["resources"] = codec::encode_resources(spec.resources);
  json["limits"] = encode_limits(spec.limits);
  json["checkpoints"] = Json::object();
  json["checkpoints"]["keep"] = word(spec.checkpoints.keep);
  if (spec.confirm) json["confirm"] = codec::encode_confirm(*spec.confirm);
  if (spec.confirms) json["confirms"] = text(spec.confirms);
  return json;
}

}  // namespace hone
