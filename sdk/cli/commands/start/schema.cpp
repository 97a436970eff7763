// schema: prints the JSON schema of sweep files, for editors and other programs.
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/ascii.hpp"
#include "base/expect.hpp"
#include "schemas/trainers/trainers.hpp"
#include "schemas/trainers/words.hpp"
#include "schemas/types/method_setting.hpp"
#include "schemas/types/methods.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/start/sweep_schema.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/session.hpp"
#include "server/search/samplers/sampler.hpp"
#include "server/search/terminators/terminator.hpp"

namespace hone::cli {
namespace {

// Lets the references that begin with `from` begin with `to`.
void redirect(Json& node, const std::string& from, const std::string& to) {
  for (auto& [key, value] : node.items())
    if (key == "$ref" && value.is_string() && value.get_ref<std::string&>().starts_with(from))
      value = to + value.get<std::string>().substr(from.size());
    else if (value.is_structured())
      redirect(value, from, to);
}

// A default as an editor inserts it.
Json value_of(std::string_view text) {
  const auto parsed = parse_json(text);
  return parsed && (parsed->is_number() || parsed->is_boolean()) ? *parsed : Json(text);
}

// 1000 and not 1000.0.
Json bound_of(double bound) {
  constexpr double exact = 9e15;
  if (bound == std::floor(bound) && std::abs(bound) < exact)
    return static_cast<std::int64_t>(bound);
  return bound;
}

void add_texts(Json& setting, std::string_view help, std::string_view fallback) {
  if (!help.empty()) setting["description"] = help;
  if (!fallback.empty()) setting["default"] = value_of(fallback);
}

// One of the words; of one that ends in * any longer word that begins so.
Json words_schema(std::string_view words) {
  Json any = Json::array(), known = Json::array();
  for (const auto one : trainers::words_of(words)) {
    if (!one.ends_with('*')) {
      known.push_back(one);
      // YAML reads these words as truth values; the server takes both.
      if (one == "true" || one == "false") known.push_back(one == "true");
      continue;
    }
    std::string pattern = "^";
    for (const char c : one.substr(0, one.size() - 1))
      pattern += is_letter_or_digit(c) ? std::string(1, c) : "\\" + std::string(1, c);
    any.push_back({{"type", "string"}, {"pattern", pattern + "."}});
  }
  if (any.empty()) return {{"enum", known}};
  if (!known.empty()) any.push_back({{"enum", known}});
  return {{"anyOf", any}};
}

Json schema_of(const SettingInfo& setting) {
  Json schema = Json::object();
  switch (setting.kind) {
    case SettingKind::whole:
    case SettingKind::real:
      schema = {{"type", setting.kind == SettingKind::whole ? "integer" : "number"},
                {"minimum", bound_of(setting.range.min)},
                {"maximum", bound_of(setting.range.max)}};
      break;
    case SettingKind::word:
      schema = words_schema(setting.words);
      break;
    case SettingKind::text:
      schema = {{"type", "string"}};
      break;
  }
  std::string help(setting.help);
  if (!setting.applies.empty()) help += " (only with " + std::string(setting.applies) + ")";
  add_texts(schema, help, setting.fallback);
  return schema;
}

Json schema_of(const MethodSetting& setting) {
  Json schema = Json::object();
  switch (setting.kind) {
    case MethodSettingKind::whole:
    case MethodSettingKind::real:
      schema["type"] = setting.kind == MethodSettingKind::whole ? "integer" : "number";
      if (std::isfinite(setting.low))
        schema[setting.open_low ? "exclusiveMinimum" : "minimum"] = bound_of(setting.low);
      if (std::isfinite(setting.high))
        schema[setting.open_high ? "exclusiveMaximum" : "maximum"] = bound_of(setting.high);
      break;
    case MethodSettingKind::truth:
      schema["type"] = "boolean";
      break;
    case MethodSettingKind::word:
      schema = words_schema(setting.words);
      break;
  }
  add_texts(schema, setting.help, setting.fallback);
  return schema;
}

// The members of one part of a sweep file where `key` names the row: the settings of the row, and
// no other member than those and `general`.
Json part_schema(const std::string& key, std::string_view name, const Json& settings,
                 const Json& required, const std::vector<std::string>& general) {
  Json members = settings;
  for (const std::string& one : general) members[one] = Json::object();
  members[key] = {{"const", name}};
  Json part{{"properties", std::move(members)}, {"additionalProperties", false}};
  if (!required.empty()) part["required"] = required;
  return part;
}

Json named(const std::string& key, std::string_view name) {
  return {{"type", "object"}, {"properties", {{key, {{"const", name}}}}}, {"required", {key}}};
}

// Adds the settings of each row of the table, whose names are `name`, to a part of a sweep file.
template <class Row>
void add_rows(Json& part, const std::string& key, std::span<const Row> rows,
              std::string_view Row::*name, const std::vector<std::string>& general) {
  Json names = Json::array();
  for (const Row& row : rows) {
    Json settings = Json::object(), required = Json::array();
    for (const MethodSetting& setting : row.settings) {
      settings[setting.name] = schema_of(setting);
      if (setting.required) required.push_back(setting.name);
    }
    names.push_back(row.*name);
    part["allOf"].push_back({{"if", named(key, row.*name)},
                             {"then", part_schema(key, row.*name, settings, required, general)}});
  }
  if (key == "method") names.push_back(nullptr);  // as if it were left out
  part["properties"][key] = {{"enum", names}, {"description", "Its settings stand next to it"}};
}

// The settings of the method where a sweep file names none.
void add_default_method(Json& sweep, std::string_view method, const Json& condition) {
  Json none{{"type", "object"}, {"properties", {{"method", {{"type", "null"}}}}}};
  Json then = Json::object();
  for (const Json& row : sweep["properties"]["search"]["allOf"])
    if (row["if"]["properties"]["method"]["const"] == method) then = row["then"];
  then["properties"]["method"] = Json::object();
  sweep["allOf"].push_back({{"if", {{"allOf", {condition, {{"properties", {{"search", none}}}}}}}},
                            {"then", {{"properties", {{"search", then}}}}}});
}

// Adds the settings of each trainer, and the same names as parameters that a sweep may search.
void add_trainers(Json& sweep) {
  Json& trainer = sweep["properties"]["trainer"];
  Json names = Json::array({"ask"});
  for (const TrainerInfo& info : trainer_catalog()) {
    Json settings = Json::object(), searched = Json::object();
    for (const SettingInfo& setting : info.settings) {
      settings[setting.name] = schema_of(setting);
      searched[setting.name] = {{"description", setting.help}};
    }
    names.push_back(info.name);
    trainer["allOf"].push_back({{"if", named("name", info.name)},
                                {"then", part_schema("name", info.name, settings, {}, {})}});
    sweep["allOf"].push_back(
        {{"if",
          {{"properties", {{"trainer", named("name", info.name)}}}, {"required", {"trainer"}}}},
         {"then", {{"properties", {{"parameters", {{"properties", searched}}}}}}}});
  }
  trainer["properties"]["name"] = {{"enum", names}};
}

// schemas/v1/sweep.json with the definitions of common.json inside: editors follow no reference to
// another file. The settings of trainers, methods and rules are those of the program.
Json whole_schema() {
  auto sweep = parse_json(sweep_schema_text), common = parse_json(common_schema_text);
  if (!sweep || !common) unreachable();  // a test validates files with them
  redirect(*common, "#/$defs/", "#/$defs/common/$defs/");
  redirect(*sweep, "common.json#/$defs/", "#/$defs/common/$defs/");
  (*sweep)["$defs"]["common"]["$defs"] = std::move((*common)["$defs"]);
  add_trainers(*sweep);
  Json& parts = (*sweep)["properties"];
  const std::vector<std::string> general{"trials", "warm_start", "command", "perturb"};
  add_rows(parts["search"], "method", sampler_table(), &SamplerRow::method, general);
  const Json several{{"required", {"objectives"}},
                     {"properties", {{"objectives", {{"minItems", 2}}}}}};
  add_default_method(*sweep, default_method_of_several, several);
  add_default_method(*sweep, default_method, {{"not", several}});
  add_rows(parts["terminator"], "rule", terminator_table(), &TerminatorRow::rule, {});
  return *std::move(sweep);
}

struct SchemaOptions {};

Result<Exit> schema(Session& session, const SchemaOptions&) {
  session.print_json(to_pretty_text(whole_schema()) + "\n");
  return Exit::ok;
}

}  // namespace

CommandAction declare_schema(Flags&) {
  return with_options(schema, [](SchemaOptions&) {});
}

}  // namespace hone::cli
