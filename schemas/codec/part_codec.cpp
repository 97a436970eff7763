// Values, scores, verdicts, scopes and the blocks that several bodies have in common.
#include <array>
#include <cmath>

#include "base/ascii.hpp"
#include "base/files.hpp"
#include "schemas/codec/parts.hpp"
#include "schemas/codec/trainer_codec.hpp"
#include "schemas/codec/turns.hpp"

namespace hone {
namespace codec {
namespace {

// Keys in order: two objects are equal if their texts are.
JsonText canonical(const Json& json) {
  return {nlohmann::json(json).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
}

}  // namespace

template <>
Value read(const Spot& spot) {
  const Json& json = spot.json;
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_integer()) return Integer{}(spot);
  if (json.is_number()) return read_real(spot);
  if (json.is_null() || json.is_structured()) return canonical(json);
  spot.refuse("must be a JSON value, not " + described(json));
  return false;
}

namespace {

struct WriteValue {
  Json operator()(const JsonText& value) const { return Json::parse(value.text); }
  Json operator()(const auto& value) const { return Json(value); }
};

}  // namespace

template <>
Json write(const Value& value) {
  return std::visit(WriteValue{}, value);
}

Value read_setting(const Spot& spot) {
  if (spot.json.is_null() || spot.json.is_structured())
    spot.refuse("must be a single value (a number, a text, true or false), not " +
                described(spot.json));
  return read_parameter_value(spot);
}

Value read_parameter_value(const Spot& spot) {
  auto value = read<Value>(spot);
  if (spot.json.is_array())
    for (std::size_t i = 0; i < spot.json.size(); ++i)
      read_parameter_value({spot.json[i], Place(spot.place, i), spot.fault});
  const auto meant = spot.text() == nullptr ? std::nullopt : as_yaml_number(*spot.text());
  if (meant)
    spot.refuse_rule("the text " + in_quotes(*spot.text()) +
                     " looks like a number that a YAML 1.1 reader left as text; write " + *meant);
  return value;
}

template <>
Params read(const Spot& spot) {
  Params params;
  Reader(spot).rest(params, read<Value>);
  return params;
}

template <>
Json write(const Params& params) {
  Json json = Json::object();
  Writer(json).rest(params);
  return json;
}

template <>
Score read(const Spot& spot) {
  if (spot.text() != nullptr && *spot.text() == "diverged") return Score::diverged();
  const bool finite = spot.json.is_number() && std::isfinite(spot.json.get<double>());
  if (!finite) spot.refuse("a report's value is a finite number or the word \"diverged\"");
  return finite ? Score::of(spot.json.get<double>()) : Score::diverged();
}

template <>
Json write(const Score& score) {
  if (score.is_not_reached()) return "not_reached";
  return score.is_diverged() ? Json("diverged") : Json(score.value());
}

namespace {

// JSON has no infinities, but a cutoff that every value passes is one.
constexpr std::array infinities{std::pair{"inf", std::numeric_limits<double>::infinity()},
                                std::pair{"-inf", -std::numeric_limits<double>::infinity()},
                                std::pair{"nan", std::numeric_limits<double>::quiet_NaN()}};

double read_input(const Spot& spot) {
  for (const auto& [word, value] : infinities)
    if (spot.text() != nullptr && *spot.text() == word) return value;
  return read_real(spot);
}

}  // namespace

std::vector<VerdictInput> Inputs::operator()(const Spot& spot) const {
  std::vector<VerdictInput> inputs;
  Reader(spot).rest(inputs, read_input);
  return inputs;
}

Json Inputs::json(const std::vector<VerdictInput>& inputs) const {
  Json json = Json::object();
  for (const auto& [name, value] : inputs)
    json[name] = std::isfinite(value) ? Json(value)
                 : std::isnan(value)  ? Json("nan")
                                      : Json(value > 0 ? "inf" : "-inf");
  return json;
}

template <>
Scopes read(const Spot& spot) {
  Scopes scopes;
  for (const Scope scope :
       read_by<std::vector<Scope>>(spot, ListOf{OfType{}, words_of<Scope>.size()}))
    scopes = scopes | scope;
  if (scopes.empty())
    spot.refuse("must name at least one of read, submit, worker, admin and replica");
  return scopes;
}

template <>
Json write(const Scopes& scopes) {
  Json json = Json::array();
  for (const auto word : words_of<Scope>)
    if (scopes.holds(*parse_word<Scope>(word))) json.push_back(word);
  return json;
}

// As in a grant and in the run file. The sweep file writes the settings next to the name instead.
template <>
TrainerSpec read(const Spot& spot) {
  Reader reader(spot);
  std::optional<CommandTrainer> command;
  if (reader.some("command", command); command) return *std::move(command);
  BuiltinTrainer builtin;
  reader("name", builtin.name).maybe("settings", builtin.settings).done();
  return builtin;
}

template <>
Json write(const TrainerSpec& trainer) {
  Json json = Json::object();
  Writer writer(json);
  if (const auto* builtin = std::get_if<BuiltinTrainer>(&trainer))
    writer("name", builtin->name)("settings", builtin->settings);
  else
    writer("command", std::get<CommandTrainer>(trainer));
  return json;
}

std::string read_request_id(const Spot& spot) {
  auto id = Line{1, 128}(spot);
  for (const std::string_view own : {"ask/", "import/"})
    if (id.starts_with(own))
      spot.refuse_rule("must not begin with '" + std::string(own) +
                       "': the server makes such ids itself");
  return id;
}

std::string read_artifact_name(const Spot& spot) {
  auto name = Line{1, 300}(spot);
  if (!is_inner_path(name))
    spot.refuse_rule("must be a relative path without empty parts, '.' and '..'");
  return name;
}

std::string read_step_name(const Spot& spot) {
  auto name = Line{1, 40}(spot);
  if (!name.empty() && !(is_plain(name, "_-.") && is_letter_or_digit(name.front())))
    spot.refuse_rule(
        "is also the name of a folder: it begins with a letter or a digit, and has only these, "
        "'_', '-' and '.'");
  return name;
}

void check(Reader& reader, const Objective& objective) {
  if (objective.goal == Goal::soonest && !objective.reach)
    reader.refuse_rule("goal", "soonest needs a bar, as in {metric: return, reach: 475}");
  if (!objective.reach && reader.find("clock") != nullptr)
    reader.refuse_rule("clock", "is for a time until a bar: give the bar as reach: VALUE");
}

void check(Reader& reader, const BudgetSpec& budget) {
  if (budget.phases > budget.per_run)
    reader.refuse_rule("phases", "must be at most per_run, which is " +
                                     std::to_string(budget.per_run) +
                                     ": a phase trains for at least one unit");
}

}  // namespace codec

template Json encode(const Verdict&);
template Json encode(const WorkflowInfo&);
template Json encode(const EvaluationInfo&);
template Json encode(const DatasetInfo&);
template Json encode(const ResourcesSpec&);
Json encode(const Params& params) { return codec::write(params); }
Json encode(const Score& score) { return codec::write(score); }
Json encode(const Value& value) { return codec::write(value); }
Json encode(const TrainerSpec& trainer) { return codec::write(trainer); }

Result<Value> decode_value(const Json& document, const std::string& at) {
  return codec::decode_as<Value>(document, at);
}
Result<Params> decode_params(const Json& document, const std::string& at) {
  return codec::decode_as<Params>(document, at);
}
Result<Score> decode_score(const Json& document, const std::string& at) {
  return codec::decode_as<Score>(document, at);
}
Result<Verdict> decode_verdict(const Json& document, const std::string& at) {
  return codec::decode_as<Verdict>(document, at, codec::Fault::of_reply());
}
Result<Deadline> decode_deadline(const Json& document, const std::string& at) {
  return codec::decode_as<Deadline>(document, at);
}
Result<CommandTrainer> decode_command(const Json& document, const std::string& at) {
  return codec::decode_as<CommandTrainer>(document, at);
}
Result<Space> decode_space(const Json& document, const std::string& at) {
  return codec::decode_as<Space>(document, at);
}
Json encode_space(const Space& space) { return codec::write(space); }

}  // namespace hone
